"""A worked example of distances between a row and two clusters (kind ``worked_example``)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.clustering import k_distributions, k_modes
from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, comparison_table
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import bullets, markdown_table, tex_table
from retree.reports.published import Published, known_wrong
from retree.reports.wording import agreement_sentence, cell_text, number, verdict_legend
from retree.statistics import verdict

DISTANCE = "distance"


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    comparisons = compare_distances(experiment, item)
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), _markdown(experiment, item, comparisons)),
        write(base.with_suffix(".tex"), _tex(item, comparisons)),
    ]


def compare_distances(experiment: Experiment, item: Item) -> list[Comparison]:
    """Compare the distances between a row and clusters, by shares of levels, with the printed ones.

    The item has ``levels`` (the levels of each attribute), ``readings`` (the clusters, each with a
    ``name`` and the ``counts`` of the levels of each attribute) and ``rows`` (by name, the levels
    of rows); `retree.clustering.k_distributions` computes.

    Parameters
    ----------
    experiment, item
        The item, and the printed numbers.

    Returns
    -------
    list of Comparison
        By row (as data set) and cluster (as method).
    """
    comparisons = []
    for name, row in _rows(item):
        for cluster in item.options["readings"].values():
            ours = _distance(item, row, cluster["counts"])
            place = item.name, name, cluster["name"], DISTANCE
            printed = Published(experiment.paper).find(*place)
            wrong = bool(known_wrong(experiment.paper, *place))
            judged = verdict(DISTANCE, ours, math.nan, 1, printed.value, wrong)
            comparisons.append(
                Comparison(name, cluster["name"], DISTANCE, ours, math.nan, *printed, judged, 1, "")
            )
    return comparisons


def _rows(item: Item) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield name and level codes of each row."""
    levels = item.options["levels"]
    for name, row in item.options["rows"].items():
        yield name, np.array([levels[a].index(row[a]) for a in levels], dtype=np.float64)


def _distance(item: Item, row: NDArray[np.float64], counts: dict[str, list[int]]) -> float:
    levels = item.options["levels"]
    columns = [np.repeat(np.arange(len(levels[a])), counts[a]) for a in levels]
    members = np.column_stack(columns).astype(np.float64)
    n_levels = [len(levels[a]) for a in levels]
    one = np.zeros(len(members), dtype=np.intp)
    centre = k_distributions(members, one, n_levels, max_rounds=0).centres
    return k_distributions(row[None], centre, n_levels, max_rounds=0).cost


def _modes(item: Item, counts: dict[str, list[int]]) -> list[tuple[int, ...]]:
    """Return every choice of modes of a cluster, as level codes."""
    tied = [np.flatnonzero(np.equal(counts[a], max(counts[a]))) for a in item.options["levels"]]
    return [tuple(int(code) for code in codes) for codes in itertools.product(*tied)]


def _counts_table(item: Item) -> tuple[list[str], list[list[str]]]:
    clusters = item.options["readings"].values()
    rows = [
        [attribute, level, *(str(c["counts"][attribute][i]) for c in clusters)]
        for attribute, levels in item.options["levels"].items()
        for i, level in enumerate(levels)
    ]
    return ["attribute", "value", *(f"rows of {c['name']}" for c in clusters)], rows


def _distances_table(
    item: Item, comparisons: Sequence[Comparison]
) -> tuple[list[str], list[list[str]]]:
    """Return the distances by shares, and by every choice of modes, and the nearest cluster."""
    clusters = list(item.options["readings"].values())
    levels = list(item.options["levels"].values())
    rows = []
    for name, row in _rows(item):
        ours = [c for c in comparisons if c.dataset == name]
        near = _nearest([c.reproduced for c in ours], clusters)
        rows.append([name, "shares of the values", *map(cell_text, ours), near])
        for choice in itertools.product(*(_modes(item, c["counts"]) for c in clusters)):
            far = [k_modes(row[None], [list(codes)], max_rounds=0).cost for codes in choice]
            texts = ["".join(v[c] for v, c in zip(levels, codes, strict=True)) for codes in choice]
            label = "modes " + " and ".join(texts)
            rows.append([name, label, *(number(DISTANCE, d) for d in far), _nearest(far, clusters)])
    heads = [f"distance to {c['name']}" for c in clusters]
    return ["row", "centres", *heads, "nearest"], rows


def _nearest(distances: Sequence[float], clusters: Sequence[dict[str, str]]) -> str:
    least = [i for i, d in enumerate(distances) if math.isclose(d, min(distances))]
    return clusters[least[0]]["name"] if len(least) == 1 else "tied"


def _legend(comparisons: Sequence[Comparison]) -> list[str]:
    return [agreement_sentence(comparisons), *verdict_legend(comparisons)]


def _markdown(experiment: Experiment, item: Item, comparisons: Sequence[Comparison]) -> str:
    paper, rows = experiment.paper, item.options["rows"]
    told = [f"{name} = ({', '.join(row.values())})" for name, row in rows.items()]
    return (
        f"# {item_title(item.name)}: {item.caption}\n\n"
        f"{paper.authors}: {paper.title}. {paper.reference}.\n\n"
        f"{markdown_table(*_counts_table(item), left=2)}\n"
        f"Distances of {'; '.join(told)}:\n\n"
        f"{markdown_table(*_distances_table(item, comparisons), left=2)}\n"
        f"{bullets([*_legend(comparisons), *item.options.get('notes', ())])}"
    )


def _tex(item: Item, comparisons: Sequence[Comparison]) -> str:
    label = f"tab:{item.name}"
    caption = f"{item.caption}: distances, computed (printed)"
    legend = _legend(comparisons)
    return "\n".join(
        [
            tex_table(*_counts_table(item), item.caption, label, left=2),
            tex_table(*_distances_table(item, comparisons), caption, f"{label}-d", legend, left=2),
        ]
    )
