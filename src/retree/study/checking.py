"""The commands ``retree init`` and ``retree check``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from retree import paths
from retree.datasets import load_dataset
from retree.datasets.own import find_own
from retree.errors import RetreeError, unknown_name
from retree.experiments.config import load_experiment
from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import load_datasets, plan_item
from retree.experiments.registry import make_estimator
from retree.statistics.scoring import find_scorer
from retree.study.composing import compose
from retree.study.folders import open_study
from retree.yaml_files import line_of


def init(folder: Path) -> list[Path]:
    """Write a small study that works, and return its files.

    Raises
    ------
    RetreeError
        If the folder exists already.
    """
    if folder.exists():
        raise RetreeError(f"{folder} exists already: name another folder.")
    try:
        shutil.copytree(paths.conf_dir() / "template", folder)
    except OSError as error:
        raise RetreeError(f"{folder} cannot be written ({error}): name another folder.") from error
    return sorted(path for path in folder.rglob("*") if path.is_file())


def check(folder: Path) -> Iterator[str]:
    """Check a study from its files to fits on a tiny problem, and yield what is in order.

    Raises
    ------
    RetreeError
        At the first thing that is not; the message names file, key and what to do.
    """
    experiment = load_experiment(compose([f"paper={open_study(folder)}", "item=all"]))
    yield f"{len(experiment.items)} items are in order"
    names = dict.fromkeys(name for item in experiment.items for name in item.datasets)
    for name in names:
        if find_own(name) is not None:
            load_dataset(name)
    datasets = load_datasets(experiment)
    for name, why in datasets.lost.items():
        raise RetreeError(f"Data set {name}: {why}")
    yield f"{len(names)} data sets load"
    methods = {m.key: m for item in experiment.items for m in item.methods if m.missing is None}
    for item in experiment.items:
        plan = plan_item(experiment, item, datasets)
        for (dataset, key), why in plan.gaps.items():
            raise RetreeError(
                f"{_file(experiment)}: {item.name} has {key} on {dataset}, but {why}; drop one."
            )
        for method in (method for method in item.methods if method.missing is None):
            _try(method, item, any(d.is_regression for d in datasets.loaded.values()))
    yield f"{len(methods)} methods fit, predict and can be scored"
    if experiment.paper.published is not None:
        yield f"{_check_published(experiment.paper.published, experiment)} published values match"


def _file(experiment: Experiment) -> Path:
    return experiment.paper.folder / "paper.yaml"


def _try(method: Method, item: Item, regression: bool) -> None:
    """Fit `method` to a tiny problem and score it by the metrics of `item`."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y: Any = X[:, 0] + X[:, 1] if regression else (X[:, 0] + X[:, 1] > 0).astype(np.intp)
    file = method.file
    where = "" if file is None else f"{file}, line {line_of(file, [method.key])}"
    try:
        estimator = make_estimator(method.registered.target, method.params, method.home).fit(X, y)
        np.asarray(estimator.predict(X))
    except Exception as error:
        text = " ".join(str(error).split())
        raise RetreeError(
            f"{where}: {method.key} cannot be fitted ({text}); correct it."
        ) from error
    for name in item.scores:
        try:
            find_scorer(name, method.home)(estimator, X, y)
        except Exception as error:
            text = " ".join(str(error).split())
            raise RetreeError(
                f"{where}: {method.key} cannot be scored by {name} ({text}); drop the metric from "
                f"{item.name}, or the method."
            ) from error


def _check_published(path: Path, experiment: Experiment) -> int:
    """Return how many published values there are, each of a cell that the study has."""
    items = {item.name: item for item in experiment.items}
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if lacking := [n for n in ("table", "dataset", "method", "metric", "value") if n not in table]:
        raise RetreeError(f"{path} lacks the columns {', '.join(lacking)}: add them.")
    for row, values in enumerate(table.to_dict("records"), start=2):
        item = items.get(values["table"])
        valid = {
            "table": list(items),
            "dataset": [item.label(n) for n in item.datasets] if item else [],
            "method": [m.name for m in item.methods] if item else [],
            "metric": list(item.kind.metric_names) if item and item.kind else [],
        }
        for key, names in valid.items():
            if values[key] not in names:
                error = unknown_name(key, values[key], names)
                raise type(error)(f"{path}, line {row}: {error}")
        try:
            float(values["value"])
        except ValueError as error:
            raise RetreeError(
                f"{path}, line {row}: the value {values['value']!r} is no number; correct it."
            ) from error
    return len(table)
