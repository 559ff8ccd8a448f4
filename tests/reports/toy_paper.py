"""A throw-away paper of two methods, and results for it, of which the answers are known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab import paths, reports
from retree_lab.experiments.definition.definitions import Execution, Experiment, Paper
from retree_lab.experiments.definition.item import SAME, Item, read_kind
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.results import METRICS, StoredCells
from retree_lab.experiments.storing.store import Store

GRID = {"k": [2, 3]}
DATASETS = ["waveform1_R", "waveform0_R", "xor"]
PRINTED = """\
table,dataset,method,metric,value,std,marker
table2,waveform1_R,Base,accuracy,0.8000,,
table2,waveform1_R,New+Base,accuracy,0.8600,,
table2,waveform0_R,Base,accuracy,0.7000,,
table2,waveform0_R,New+Base,accuracy,0.9000,,
table2,xor,New+Base,accuracy,0.5000,,
table2,waveform1_R,Other,accuracy,0.7700,,
table3,waveform1_R,Base,depth,4.0,,
table3,waveform1_R,New+Base,depth,2.0,,
table4,MEAN,Base,accuracy,0.7500,,
table4,MEAN,New+Base,accuracy,0.9900,,
"""
BASE = Method("base", "Base", estimator="structure_purity")
NEW = Method("new", "New+Base", estimator="structure_purity", tune=("k",))
OTHER = Method("other", "Other", missing="Other is not implemented yet")
CV5 = Protocol("cv5", 5, 1, True, True, 0, 3)
WHOLE = Protocol("whole", 1, 1, False, False, 0, 0)
ITEMS: dict[str, dict[str, Any]] = {
    "table2": {
        "kind": "metric_table",
        "caption": "Accuracy & more",
        "metrics": ["accuracy"],
        "datasets": DATASETS,
        "methods": ["other", "base", "new"],
        "select": ["best_test", "nested"],
        "baseline": "base",
    },
    "table4": {
        "kind": "metric_table",
        "means": True,
        "by_method": True,
        "caption": "Means",
        "metrics": ["accuracy"],
        "datasets": DATASETS[:2],
        "methods": ["base", "new"],
        "select": ["best_test"],
    },
    "figure1": {
        "kind": "structure_purity/regions.py:DecisionRegions",
        "caption": "Regions",
        "datasets": ["xor"],
        "methods": ["base"],
        "vary": {"max_depth": [1, 2]},
    },
    "figure2": {
        "kind": "computed",
        "figure": "structure_purity/criteria.py:best_parameters",
        "select": ["best_test"],
        "caption": "Best k",
        "datasets": DATASETS,
        "methods": ["new"],
        "options": {"parameters": {"k": ["new", "absent"]}, "axes": {}},
    },
    "interpretations": {
        "kind": "interpretation_table",
        "caption": "Readings",
        "metrics": ["accuracy", "depth"],
        "datasets": DATASETS,
        "methods": ["base", "new"],
        "select": ["best_test"],
    },
    "sweep": {
        "kind": "parameter_sweep",
        "caption": "Sweep",
        "select": ["best_test", "nested"],
        "datasets": ["xor"],
        "methods": ["new"],
    },
}
METHODS = {"base": BASE, "new": NEW, "other": OTHER}
ABSENT, FAILED = "absent", "failed"


def toy_paper(folder: Path, grid: dict[str, list[Any]] | None = None) -> Paper:
    """Write the paper's files to `folder` and return the paper, run with another `grid` or not."""
    (folder / "toy.csv").write_text(PRINTED)
    (folder / "paper.yaml").write_text(json.dumps({"grid": GRID}))
    return Paper(
        name="toy",
        title="Toys",
        authors="A. Author",
        reference="Journal 1, 2000",
        doi="10.1/x",
        grid=grid or GRID,
        items=ITEMS,
        errata=({"table": "table2", "dataset": "xor", "reason": "A slip of the pen."},),
        remarks={"waveform0_R": "Drawn by hand."},
        published=folder / "toy.csv",
        folder=folder,
    )


def make_item(
    name: str,
    kind: str,
    datasets: Sequence[str],
    methods: Sequence[Method],
    options: Mapping[str, Any],
    protocol: Protocol = CV5,
    caption: str = "",
    **others: Any,
) -> Item:
    """Return an item whose kind and keys are as in a configuration.

    `kind`: also of a paper, as ``pruning/kinds.py:PruningPath``.
    """
    found, shared = read_kind(kind, options, name, paths.PAPERS)
    others = {"home": paths.PAPERS} | vars(shared) | {"published_protocol": SAME} | others
    item = Item(name, found, caption, tuple(datasets), tuple(methods), protocol, **others)
    found.check(item)
    return item


def toy_item(
    name: str, datasets: Sequence[str] | None = None, kind: str | None = None, **options: Any
) -> Item:
    """Return an item of the toy paper, or one of another kind or with other options."""
    content = {**ITEMS[name], **options}
    own, caption, all_datasets, methods = (
        content.pop(key) for key in ("kind", "caption", "datasets", "methods")
    )
    chosen = all_datasets if datasets is None else datasets
    protocol = WHOLE if "vary" in content else CV5
    runs = [METHODS[m] for m in methods]
    return make_item(name, kind or own, chosen, runs, content, protocol, caption)


def context_of(
    experiment: Experiment | None,
    plan: Plan,
    frame: pd.DataFrame,
    stored: Store | StoredCells | None = None,
) -> reports.ItemReport:
    """Return an item whose results are `frame`, with what is `stored` of its cells."""
    if isinstance(stored, Store):
        rows = stored.metrics(list(frame["key"]))
        stored = StoredCells(rows, stored.runs(), {key: stored.blobs(key) for key in rows})
    return reports.ItemReport(experiment, plan, frame, stored or StoredCells())


def toy_experiment(folder: Path, paper: Paper, *items: Item) -> Experiment:
    return Experiment(
        paper=paper,
        items=items,
        protocol=CV5,
        execution=Execution("local", "loky", 1),
        sources=("generator",),
        results=folder / "results",
        store=folder / "cells.sqlite",
        dataset=None,
        method=BASE,
    )


def toy_plan(item: Item, **blanks: str) -> Plan:
    missing = {m.key: m.missing for m in item.methods if m.missing}
    return Plan(item, [], missing | blanks)


def cells(
    dataset: str,
    method: str,
    accuracies: Sequence[float | str],
    point: int = 0,
    params: dict[str, Any] | None = None,
    fold: int | None = None,
    **metrics: float,
) -> list[dict[str, Any]]:
    """Return one row for each of `accuracies`: outer folds, or the inner folds of `fold`.

    Instead of an accuracy there may be ``ABSENT`` or ``FAILED``.
    """
    rows = []
    for i, accuracy in enumerate(accuracies):
        place = (0, i, -1) if fold is None else (0, fold, i)
        row: dict[str, Any] = {"dataset": dataset, "method": method, "point": point}
        row |= {"params": json.dumps(params or {}), "status": "done", "reason": ""}
        row |= dict(zip(("repeat", "fold", "inner"), place, strict=True))
        row["key"] = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()
        row |= dict.fromkeys(METRICS)
        if isinstance(accuracy, str):
            why = "not computed yet" if accuracy == ABSENT else "ValueError: too few rows"
            row |= {"status": accuracy, "reason": why}
        else:
            row |= {"accuracy": accuracy, "depth": 3.0, "leaves": 4.0, "nodes": 7.0, "n_test": 10.0}
            row |= metrics
        rows.append(row)
    return rows


def frame_of(*groups: list[dict[str, Any]]) -> pd.DataFrame:
    table = pd.DataFrame([row for group in groups for row in group])
    return table.astype(dict.fromkeys(METRICS, float))


def results() -> pd.DataFrame:
    """Return results for table2: the answers are worked out in the tests.

    New+Base's means are 0.86 for k=2 and 0.85 for k=3 on waveform1_R; on waveform0_R k=2 lacks a
    fold; on xor nothing is complete.
    """
    inner = {2: [0.7, 0.7, 0.7], 3: [0.8, 0.8, 0.8]}
    nested = [
        cells("waveform1_R", "new", inner[k], k - 2, {"k": k}, fold)
        for k in (2, 3)
        for fold in range(5)
    ]
    return frame_of(
        cells("waveform1_R", "base", [0.80, 0.81, 0.79, 0.80, 0.80], depth=4.0),
        cells("waveform1_R", "new", [0.86, 0.87, 0.85, 0.85, 0.87], 0, {"k": 2}),
        cells("waveform1_R", "new", [0.85, 0.86, 0.84, 0.84, 0.86], 1, {"k": 3}),
        *nested,
        cells("waveform0_R", "base", [0.70, 0.70, 0.70, 0.70, 0.70]),
        cells("waveform0_R", "new", [0.99, 0.99, 0.99, 0.99, ABSENT], 0, {"k": 2}),
        cells("waveform0_R", "new", [0.80, 0.80, 0.81, 0.80, 0.79], 1, {"k": 3}),
        cells("xor", "base", [0.5, 0.6, 0.5, 0.6, 0.5]),
        cells("xor", "new", [0.5, FAILED, 0.5, 0.5, 0.5], 0, {"k": 2}),
        cells("xor", "new", [0.5, 0.5, 0.5, 0.5, FAILED], 1, {"k": 3}),
    )
