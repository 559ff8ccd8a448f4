"""Clusters of a data set against its classes (kind ``cluster_table``)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.clustering import k_means
from retree.datasets import load_dataset
from retree.errors import RetreeError
from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.relief import ReliefF, measure_columns
from retree.reports.comparison import Comparison, comparison_table
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import bullets, markdown_table, tex_table
from retree.reports.published import Published, known_wrong
from retree.reports.wording import agreement_sentence, cell_text, number, verdict_legend
from retree.statistics import verdict

ERRORS, WEIGHT = "errors", "relief_weight"
_N_DRAWS = 200


@dataclass(frozen=True)
class _Data:
    """A numeric data set: rows on a scale where each column has range 1, codes, and names."""

    name: str
    rows: NDArray[np.float64]
    codes: NDArray[np.intp]
    classes: list[str]
    columns: list[str]


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``; a data set that cannot be had leaves none."""
    if item.datasets[0] in plan.holes:
        return []
    comparisons = compare_clusters(experiment, item, plan)
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), _markdown(experiment, item, comparisons)),
        write(base.with_suffix(".tex"), _tex(experiment, item, comparisons)),
    ]


def compare_clusters(experiment: Experiment, item: Item, plan: Plan) -> list[Comparison]:
    """Compare the errors of clusterings, and the weights they use, with the printed ones.

    The item has ``weights`` (whether columns are weighted by Relief-F) and ``readings``, each with
    a ``name`` and ``max_rounds``, of k-means that starts from the centres of the classes. An error
    is a row whose cluster has more rows of another class.

    Parameters
    ----------
    experiment, item, plan
        The item and its plan, which knows whether the data set can be had.

    Returns
    -------
    list of Comparison
        The errors by reading, then the weights by column.

    Raises
    ------
    RetreeError
        If the item is not of exactly one data set.
    """
    if len(item.datasets) != 1:
        raise RetreeError(f"{item.name} clusters one data set; say datasets=[NAME] with one name.")
    if item.datasets[0] in plan.holes:
        return []
    data = _load(experiment, item)
    found = [
        _compare(experiment, item, str(reading["name"]), ERRORS, _errors(counts))
        for reading, counts in _clusterings(item, data)
    ]
    if item.options["weights"]:
        weights = ReliefF().fit(data.rows, data.codes).feature_weights_
        named = zip(data.columns, weights, strict=True)
        found += [_compare(experiment, item, name, WEIGHT, float(w)) for name, w in named]
    return found


def _load(experiment: Experiment, item: Item) -> _Data:
    dataset = load_dataset(item.datasets[0], sources=experiment.sources)
    X = dataset.X.to_numpy(dtype=np.float64)
    offset, scale = measure_columns(X, np.zeros(X.shape[1], dtype=np.bool_))
    classes, codes = np.unique(dataset.y.to_numpy(dtype=str), return_inverse=True)
    names = [str(column) for column in dataset.X]
    return _Data(dataset.name, (X - offset) / scale, codes, classes.tolist(), names)


def _clusterings(item: Item, data: _Data) -> list[tuple[Mapping[str, object], NDArray[np.intp]]]:
    """Return the readings with the rows of each class in each cluster."""
    weights = None
    if item.options["weights"]:
        # A negative weight is none.
        weights = np.maximum(ReliefF().fit(data.rows, data.codes).feature_weights_, 0)
    found = []
    for reading in item.options["readings"].values():
        rounds = reading["max_rounds"]
        labels = k_means(data.rows, data.codes, weights=weights, max_rounds=rounds).labels
        counts = [np.bincount(data.codes[labels == c], minlength=len(data.classes))
                  for c in range(labels.max() + 1)]  # fmt: skip
        found.append((reading, np.array(counts)))
    return found


def _errors(counts: NDArray[np.intp]) -> float:
    return float(counts.sum() - counts.max(axis=1).sum())


def _compare(experiment: Experiment, item: Item, name: str, metric: str, ours: float) -> Comparison:
    place = item.name, item.datasets[0], name, metric
    printed = Published(experiment.paper).find(*place)
    wrong = bool(known_wrong(experiment.paper, *place))
    judged = verdict(metric, ours, math.nan, 1, printed.value, wrong)
    return Comparison(item.datasets[0], name, metric, ours, math.nan, *printed, judged, 1, "")


def _grid(
    item: Item, data: _Data, comparisons: Sequence[Comparison]
) -> tuple[list[str], list[list[str]]]:
    errors = {c.method: c for c in comparisons if c.metric == ERRORS}
    rows = []
    for reading, counts in _clusterings(item, data):
        for i, row in enumerate(counts):
            first = [str(reading["name"]), cell_text(errors[str(reading["name"])])]
            rows.append([*(first if i == 0 else ["", ""]), f"cluster {i + 1}", *map(str, row)])
    return ["k-means after", "errors", "", *data.classes], rows


def _weights(data: _Data, comparisons: Sequence[Comparison]) -> tuple[list[str], list[list[str]]]:
    """Return a table of the weights: of all rows, and over draws of fewer."""
    by_name = {c.method: c for c in comparisons if c.metric == WEIGHT}
    rows = [["all rows (printed)", *(cell_text(by_name[name]) for name in data.columns)]]
    for n_samples in (100, 50, 20):
        drawn = [
            ReliefF(n_samples=n_samples, random_state=s).fit(data.rows, data.codes)
            for s in range(_N_DRAWS)
        ]
        ends = np.quantile([d.feature_weights_ for d in drawn], [0.025, 0.975], axis=0).T
        texts = [f"{number(WEIGHT, low)} to {number(WEIGHT, high)}" for low, high in ends]
        rows.append([f"{n_samples} rows, 95 % of {_N_DRAWS} draws", *texts])
    return ["Relief-F weights of", *data.columns], rows


def _legend(comparisons: Sequence[Comparison]) -> list[str]:
    return [
        "k-means from the centres of the classes, on columns of range 1. An error is a row whose "
        "cluster has more rows of another class.",
        agreement_sentence(comparisons),
        *verdict_legend(comparisons),
    ]


def _markdown(experiment: Experiment, item: Item, comparisons: Sequence[Comparison]) -> str:
    paper, data = experiment.paper, _load(experiment, item)
    text = f"# {item_title(item.name)}: {item.caption}\n\n"
    text += f"{paper.authors}: {paper.title}. {paper.reference}.\n\n"
    header, rows = _grid(item, data, comparisons)
    text += markdown_table(header, rows) + "\n"
    if item.options["weights"]:
        text += markdown_table(*_weights(data, comparisons)) + "\n"
    return text + bullets(_legend(comparisons))


def _tex(experiment: Experiment, item: Item, comparisons: Sequence[Comparison]) -> str:
    data = _load(experiment, item)
    label = f"tab:{item.name}"
    tables = [tex_table(*_grid(item, data, comparisons), item.caption, label, _legend(comparisons))]
    if item.options["weights"]:
        caption = f"{item.caption}: weights, computed (printed)"
        tables.append(tex_table(*_weights(data, comparisons), caption, f"{label}-weights"))
    return "\n".join(tables)
