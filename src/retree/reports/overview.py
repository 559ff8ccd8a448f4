"""All cells of all papers: reproduced against published, and how many agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.paper_config import load_paper
from retree.reports.agreement_power import FILE as POWER
from retree.reports.figures import save_figure, style
from retree.reports.rendered_tables import read_comparisons, read_table
from retree.reports.replicates.picture import DISTANCES, draw_distances
from retree.statistics import AGREEING, JUDGED, Verdict
from retree.study.available import available


def judged(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the published cells that have a verdict, ``missing`` among them."""
    return comparisons[(comparisons["verdict"] != "") & comparisons["published"].notna()]


def agreement(comparisons: pd.DataFrame, by: Sequence[str] = ("paper", "item")) -> pd.DataFrame:
    """Count the published cells by verdict.

    Returns columns `by`, one for each verdict, ``printed``, and ``share``: of the cells that agree
    or differ those that agree, weakly or not, NaN if there is none.
    """
    cells = judged(comparisons)
    verdicts = [str(verdict) for verdict in Verdict]
    grouped = cells.groupby(list(by), sort=False)["verdict"]
    rows = [
        [*(key if isinstance(key, tuple) else (key,)), *((values == v).sum() for v in verdicts)]
        for key, values in grouped
    ]
    counts = pd.DataFrame(rows, columns=[*by, *verdicts])
    counts["printed"] = counts[verdicts].sum(axis=1).astype(int)
    agree = counts[list(AGREEING)].sum(axis=1)
    compared = counts[list(JUDGED)].sum(axis=1)
    counts["share"] = (agree / compared).where(compared > 0)
    return counts


def write_overview(results: Path, folder: Path | None = None) -> list[Path]:
    """Draw how many numbers agree and how far they are away, and return the files.

    `folder`: where ``overview.png`` and ``overview.svg`` go, and ``distances.png`` and
    ``distances.svg`` if any paper has them, by default to `results`.
    """
    cells = judged(read_comparisons(results)).dropna(subset=["reproduced"])
    if cells.empty:
        raise RetreeError(
            f"Nothing in {results} has a published number; render an item that has some."
        )
    base = folder or results
    from retree.reports.overview_figure import draw_overview

    called = {paper: load_paper(paper).called for paper in dict.fromkeys(cells["paper"])}
    with style():
        files = save_figure(draw_overview(cells, called), base / "overview")
    if distances := read_distances(results):
        names = ", ".join(load_paper(name).called for name in distances)
        total = pd.concat(distances.values()).groupby(["low", "high"], as_index=False).sum()
        files += draw_distances(total, base / "distances", names)
    return files


def read_distances(results: Path) -> dict[str, pd.DataFrame]:
    """Return how many values of each paper are how far from ours, as `count_distances` does.

    Papers whose protocol was run once, without repeats, have no such distances.
    """
    files = {paper: results / paper / DISTANCES for paper in available("paper")}
    return {paper: read_table(path, ()) for paper, path in files.items() if path.exists()}


def read_power(results: Path) -> pd.DataFrame:
    """Return what the agreement of each paper's tables says, as ``power.csv`` behind ``paper``."""
    files = {paper: results / paper / POWER for paper in available("paper")}
    tables = [
        read_table(path, ("item", "metric")).assign(paper=paper)
        for paper, path in files.items()
        if path.exists()
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["paper"])
