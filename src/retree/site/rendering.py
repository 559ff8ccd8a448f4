"""The pages of papers and studies, made from the cells beside their rendered files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import joblib
from rich.console import Console

from retree.datasets.catalogue import SERVERS
from retree.experiments.definition.config import load_experiment
from retree.experiments.definition.paper_config import load_paper
from retree.experiments.storing.exports import PROVENANCE
from retree.experiments.storing.planned import plan_all, with_committed_cells
from retree.reports.item_report import ItemReport
from retree.reports.kind import FrameKind
from retree.reports.pages import PaperPages, paper_pages
from retree.reports.rendered_tables import read_table
from retree.study.composing import compose
from retree.study.overrides import quoted
from retree.workspace import open_workspace


def render_papers(names: Sequence[str], results: Path) -> list[PaperPages]:
    """Return the pages of papers, several of them at a time."""
    jobs = min(len(names), joblib.cpu_count())
    parallel = joblib.Parallel(n_jobs=max(1, jobs))
    return list(parallel(joblib.delayed(render)(name, results) for name in names))


def render(name: str, results: Path) -> PaperPages:
    """Return the pages of a paper, or of an opened study, as far as it is rendered.

    No server is asked: of data sets that are not available here the committed results are shown.

    `results`: the folder with its folder of rendered files, from whose cells the pages are made.
    """
    folder = results / name
    items = [item for item in load_paper(name).items if any(folder.glob(f"{item}[._]*"))]
    if not items:
        return PaperPages()
    places = {"results": results, "committed": results, "store": folder / "no.sqlite"}
    own = [f"{key}={quoted(path.resolve())}" for key, path in places.items()]
    asked = [f"paper={name}", f"item=[{','.join(items)}]", *_overrides(folder), *own]
    experiment = load_experiment(compose(asked))
    here = tuple(source for source in experiment.sources if source not in SERVERS)
    experiment = replace(experiment, sources=here)
    planned = plan_all(experiment)
    lost = planned.datasets.lost
    with open_workspace(with_committed_cells(planned), Console(quiet=True)) as workspace:
        contexts = workspace.item_reports()
    shown = [
        _with_committed_rows(context, folder)
        if set(context.plan.unavailable) & set(lost)
        else context
        for context in contexts
    ]
    return paper_pages(replace(experiment, results=results), shown)


def _with_committed_rows(context: ItemReport, folder: Path) -> ItemReport:
    """Let an item that reads data which are not available here show the rows of its csv."""
    path = folder / f"{context.item.name}.csv"
    if not isinstance(context.kind, FrameKind) or not path.is_file():
        return context
    rows = read_table(path, ())
    texts = rows.select_dtypes(exclude="number").columns
    there = set(rows.get("dataset", ()))
    missing = {
        name: why
        for name, why in context.plan.unavailable.items()
        if context.item.label(name) not in there
    }
    shown = replace(context, plan=replace(context.plan, unavailable=missing))
    vars(shown)["rows"] = rows.fillna(dict.fromkeys(texts, ""))
    return shown


def _overrides(folder: Path) -> list[str]:
    """Return what the files in a folder were rendered with, other than it is configured."""
    path = folder / PROVENANCE
    known = json.loads(path.read_text()) if path.exists() else {}
    return [str(text) for text in known.get("overrides", ())]
