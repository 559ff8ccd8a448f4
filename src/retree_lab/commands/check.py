"""Check the files, data and methods of a study for mistakes.

Each method is fitted to a tiny problem. The first mistake found is named.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.dummy import DummyClassifier

from retree.errors import RetreeError, as_usage, unknown_name
from retree_lab import paths
from retree_lab.datasets import Dataset, load_dataset
from retree_lab.datasets.column_lines import column_lines
from retree_lab.datasets.own import find_own, read_description
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import ACCURACY, SAME, Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.grids import grid_points
from retree_lab.experiments.planning.keys import depends_on_seed
from retree_lab.experiments.planning.plan import Datasets, load_datasets, plan_item
from retree_lab.experiments.storing.planned import Planned, plan_all
from retree_lab.experiments.storing.status import find_stale, pending_cells, stale_sentences
from retree_lab.experiments.storing.store import open_store
from retree_lab.reports.agreement.headlines import check_names
from retree_lab.reports.page_template import TEMPLATE
from retree_lab.reports.published import PLACE, other_names, published_texts
from retree_lab.statistics.metrics import find_metric
from retree_lab.study.composing import compose
from retree_lab.study.folders import (
    PAPER,
    PUBLISHED,
    QUICKSTART,
    open_study,
    study_folder,
    study_places,
)
from retree_lab.study.overrides import quoted
from retree_lab.study.registry import make_estimator
from retree_lab.study.scorers import find_scorer, needs_numbers
from retree_lab.yaml_files import line_of, located, read_mapping


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument("folder", type=Path, metavar="DIR", nargs="?", help="folder of the study")
    either.add_argument("--repo", metavar="PAPER", help="list what a paper of retree still lacks")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Print what is in order, line by line, and return 0; or 1 if a paper of retree's lacks any."""
    with as_usage():
        if args.repo is not None:
            lacking = lacking_parts(args.repo)
            print("\n".join(lacking) or f"{args.repo} has everything that a paper of retree needs")
            return int(bool(lacking))
        for line in check(args.folder):
            print(line, flush=True)
    return 0


def check(folder: Path) -> Iterator[str]:
    """Check a study from its files to fits on a tiny problem, and yield what is in order."""
    yield from check_all(whole_study(folder))


def lacking_parts(paper: str) -> list[str]:
    """Return a line for each thing that a paper of the repository needs and lacks."""
    folder, results = study_folder(paper), paths.project_dir() / "results" / paper
    needed = {
        folder / QUICKSTART: "the part that retree quickstart computes",
        folder / TEMPLATE: "the paper in words",
        results / "README.md": f"its tables: retree run --report paper={paper} item=all",
        results / "cells.csv.gz": "its cells, which the same command writes",
    }
    lacking = [f"{path} lacks: {what}" for path, what in needed.items() if not path.is_file()]
    if (folder / PUBLISHED).is_file() and "audit" not in read_mapping(folder / PAPER):
        lacking.append(
            f"{folder / PAPER} lacks the key audit: say what to look for in the values, or null"
        )
    return lacking


def whole_study(folder: Path) -> Experiment:
    """Open a study, and return all its items."""
    places = study_places(folder, open_study(folder))
    overrides = [f"{key}={quoted(path)}" for key, path in places.items()]
    return load_experiment(compose([*overrides, "item=all"]))


def check_all(experiment: Experiment) -> Iterator[str]:
    """Check a study that can be read, and yield what is in order."""
    yield f"Items: {', '.join(item.name for item in experiment.items)}"
    wanted = dict.fromkeys(name for item in experiment.items for name in item.datasets)
    names = [name for name in wanted if name not in experiment.paper.missing]
    for name in names:
        if find_own(name) is not None:
            load_dataset(name)
    datasets = load_datasets(experiment)
    for name, why in datasets.lost.items():
        raise RetreeError(f"Data set {name}: {why}")
    yield f"Data sets loaded: {len(names)}"
    yield from (f"  {n} stays blank: {why}" for n, why in datasets.missing.items() if n in wanted)
    for data, file in ((datasets.loaded[name], find_own(name)) for name in names):
        if file is not None:
            about = read_description(file)
            yield from (f"  {data.name}: {line}" for line in column_lines(data.X, data.y, about))
            if data.groups is not None and data.groups.ndim == 2:
                yield f"  {data.name}: comes with {data.groups.shape[1]} splits"
    for item in experiment.items:
        with located(_file(experiment), ["items", item.name]):
            _check_item(experiment, item, datasets)
    yield from _directions(experiment)
    methods = {m.key for item in experiment.items for m in item.methods if m.missing is None}
    yield f"Methods fitted and scored: {len(methods)}"
    blank = {m.key: m.missing for item in experiment.items for m in item.methods if m.missing}
    yield from (f"  {key} stays blank: {why}" for key, why in blank.items())
    if seeded := _seeded(experiment):
        yield f"  a different random_state in each fold, since they set none: {', '.join(seeded)}"
    if ours := [i.name for i in experiment.items if i.digits and i.protocol.has_seed_of_ours]:
        yield (
            f"  not judged digit by digit, since the seed of the folds is ours: {', '.join(ours)}; "
            "if it is the paper's, set published_seed: true in the protocol"
        )
    if experiment.paper.published is not None:
        n_values = _check_published(experiment.paper.published, experiment)
        yield f"Published values matched to the tables: {n_values}"
        if unjudged := [item.name for item in experiment.items if not _is_judged(item)]:
            yield (
                f"  shown beside ours, but not judged in {', '.join(unjudged)}, unless paper.yaml "
                "sets published_protocol: same, or a tolerance"
            )
    check_names(experiment.paper)
    yield from _stale(plan_all(experiment))


def _is_judged(item: Item) -> bool:
    return item.published_protocol == SAME or bool(item.tolerance or item.not_judged)


def _directions(experiment: Experiment) -> Iterator[str]:
    """Yield which metrics are the better the greater they are, and which the smaller."""
    kinds = [item.kind for item in experiment.items]
    names = dict.fromkeys(name for kind in kinds for name in kind.metric_names)
    for word, is_meant in (("greater", False), ("smaller", True)):
        if some := [n for n in names if find_metric(n).smaller_is_better == is_meant]:
            yield f"  {word} is better: {', '.join(some)}"


def _seeded(experiment: Experiment) -> list[str]:
    """Return the methods whose results depend on seeds that retree chooses."""
    grid = experiment.paper.grid
    return sorted(
        {
            m.key
            for item in experiment.items
            for m in item.methods
            if m.missing is None
            and any(depends_on_seed(m, point) for point in grid_points(m, item, grid))
        }
    )


def _stale(planned: Planned) -> Iterator[str]:
    """Yield which results are there, but in another state than that of the study's files."""
    with open_store(planned.experiment) as store:
        missing = pending_cells(planned.plans, store)
        yield from stale_sentences(find_stale(planned.plans, missing, planned, store))


def _file(experiment: Experiment) -> Path:
    return experiment.paper.folder / "paper.yaml"


def _check_item(experiment: Experiment, item: Item, datasets: Datasets) -> None:
    """Check that methods, metrics and folds of `item` suit its data sets."""
    plan = plan_item(experiment, item, datasets)
    metrics = map(find_metric, item.kind.metric_names)
    if any(metric.column for metric in metrics) and not (plan.cells or plan.left_out):
        raise RetreeError(f"{item.name} has nothing to compute: give it datasets and methods.")
    for (dataset, key), why in plan.gaps.items():
        raise RetreeError(f"{item.name} has {key} on {dataset}: {why}. Drop one of them.")
    loaded = check_metrics(item, datasets)
    for method in (method for method in item.methods if method.missing is None):
        try_method(method, item, any(data.is_regression for data in loaded))


def check_metrics(item: Item, datasets: Datasets) -> list[Dataset]:
    """Check that the metrics of `item` suit its data sets, and return those that are loaded."""
    loaded = [datasets.loaded[name] for name in item.datasets if name in datasets.loaded]
    for dataset in loaded:
        _check_metrics(item, dataset)
    return loaded


def _check_metrics(item: Item, dataset: Dataset) -> None:
    for name in item.kind.metric_names:
        of_classes = find_metric(name).column == ACCURACY
        if of_classes and dataset.is_regression:
            raise RetreeError(
                f"The target of {dataset.name} is a number, so {name} is undefined: drop one."
            )
        if name in item.scores and needs_numbers(name) and not dataset.is_regression:
            raise RetreeError(
                f"The target of {dataset.name} is a class, so {name} is undefined: drop one."
            )
        if name in item.scores and not dataset.is_regression:
            n_classes = dataset.y.nunique()
            if why := _refusal(name, n_classes):
                text = f"{name} is undefined for the {n_classes} classes of {dataset.name}"
                raise RetreeError(f"{text} ({why}): use another metric.")


def _refusal(name: str, n_classes: int) -> str:
    """Return why a scorer of scikit-learn cannot score so many classes, "" if it can."""
    if ".py:" in name:
        return ""
    y = np.arange(n_classes).repeat(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            find_scorer(name)(DummyClassifier().fit(y[:, None], y), y[:, None], y)
        except ValueError as error:
            return " ".join(str(error).split()).rstrip(".")
    return ""


def try_method(method: Method, item: Item, regression: bool) -> None:
    """Fit `method` to a tiny problem and score it by the metrics of `item`."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y: Any = X[:, 0] + X[:, 1] if regression else (X[:, 0] + X[:, 1] > 0).astype(np.intp)
    file = method.file
    where = method.estimator if file is None else f"{file}, line {line_of(file, [method.key])}"
    try:
        estimator = make_estimator(method.registered.target, method.params, method.home).fit(X, y)
        predicted = np.asarray(estimator.predict(X))
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        raise RetreeError(
            f"{where}: {method.key} cannot be fitted ({text}): correct it."
        ) from error
    if predicted.shape != y.shape or not (regression or np.isin(predicted, y).all()):
        what = "numbers" if regression else "classes that fit was given"
        raise RetreeError(
            f"{where}: {method.key} must predict {what} of shape (60,) for 60 rows, but predicts "
            f"{predicted.dtype} of shape {predicted.shape}: correct predict."
        )
    for name in item.scores:
        try:
            float(find_scorer(name, method.home)(estimator, X, y))
        except Exception as error:
            text = " ".join(str(error).split())
            raise RetreeError(
                f"{where}: {method.key} cannot be scored by {name} ({text}): drop the metric "
                f"or the method from {item.name}."
            ) from error


def _check_published(path: Path, experiment: Experiment) -> int:
    """Return how many published values there are, each of a cell that the study has."""
    items = {item.name: item for item in experiment.items}
    table = published_texts(path)
    table = table.replace(other_names(experiment.paper, table))
    for row, values in zip(table.index, table.to_dict("records"), strict=True):
        item = items.get(values["table"])
        valid = {
            "table": list(items),
            "dataset": [item.label(n) for n in item.datasets] if item else [],
            "method": [m.name for m in item.methods] if item else [],
            "metric": list(item.kind.metric_names) if item and item.kind else [],
        }
        for key, names in valid.items():
            if values[key] not in names:
                unknown = unknown_name(key, values[key], names)
                raise type(unknown)(f"{path}, line {row}: {unknown}")
        _check_number(values["value"], f"{path}, line {row}: the value")
        if values["std"]:
            _check_number(values["std"], f"{path}, line {row}: the std")
    for row in table.index[table.duplicated(PLACE)]:
        raise RetreeError(f"{path}, line {row}: this value appears twice: keep one.")
    return len(table)


def _check_number(text: str, what: str) -> None:
    try:
        is_number = math.isfinite(float(text))
    except ValueError:
        is_number = False
    if not is_number:
        raise RetreeError(f"{what} {text!r} is not a number: correct it.")
