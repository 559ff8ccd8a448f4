"""Computing cells: functions that run in a worker process and touch no store."""

from __future__ import annotations

import dataclasses
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import ThreadpoolController

from retree.trees.tree import Tree
from retree_lab.experiments.definition.method import Limits
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.splits import Rows, split_rows
from retree_lab.experiments.running.responses import ask_estimator, score_responses
from retree_lab.experiments.storing.outcomes import (
    Outcome,
    cell_digest,
    pack_predictions,
    pack_tree,
)
from retree_lab.provenance import environment
from retree_lab.study.folders import code_folder
from retree_lab.study.importing import import_estimator
from retree_lab.study.own_sources import folder_hash
from retree_lab.study.registry import inner_targets, make_estimator


class LimitError(BaseException):
    """A cell took more than it may; estimators that catch every `Exception` do not catch this."""


def too_long(limits: Limits) -> str:
    """Return why a cell over its time has no result."""
    return f"took longer than {limits.timeout:g} s (timeout)"


@contextmanager
def enforced(limits: Limits, cells: int) -> Iterator[None]:
    """Raise `LimitError` if the block takes longer than `limits` for a number of `cells`.

    The engine polls for the alarm; other compiled code may see it late.
    """
    # Only the main thread gets signals: others compute in a process of their own.
    if limits.timeout is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    is_over = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        is_over.set()
        raise LimitError(too_long(limits))

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limits.timeout * cells)
    hidden_by = None
    try:
        yield
    except Exception as error:
        if not is_over.is_set():
            raise
        hidden_by = error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Compiled code may drop what is raised in it, or raise an error of its own in its place.
    if is_over.is_set():
        raise LimitError(too_long(limits)) from hidden_by


# The process that the rest is of: it is for messages, and is not stored.
NODE = "node"
Facts = Mapping[str, Any]
Table = NDArray[np.float64] | pd.DataFrame
# Name of a data set, and the hash of its content: one that is drawn anew has several.
Data = tuple[str, str]


@dataclass(frozen=True)
class Problem:
    """A data set as workers see it."""

    # Features: an array of float64 unless some are categorical; shape (n_samples, n_features).
    X: Table
    # Codes of the classes, in the order of their declaration, or else sorted; of a regression
    # float64; shape (n_samples,).
    y: NDArray[Any]
    test_rows: int = 0  # How many rows, the last ones, are those of a test file; 0 without one
    n_classes: int = 0  # Declared classes, of which not all need have rows; 0 if none are declared
    name: str = ""  # What the data set is called
    # Which group each row is of, where the data set says so; shape (n_samples,).
    groups: NDArray[Any] | None = None
    class_names: tuple[str, ...] = ()  # of the codes, for estimators that read a row's text

    def labels(self, rows: Rows) -> NDArray[Any] | pd.Categorical:
        """Return the labels to fit: `y`, of a category type if the rows lack declared classes."""
        codes = self.y[rows]
        if self.n_classes <= len(np.unique(codes)):
            return codes
        return pd.Categorical(codes, np.arange(self.n_classes))


@dataclass(frozen=True)
class Batch:
    """Cells that differ only in their varied parameters, so that they can share their work."""

    data: Data  # Name of the data set, and the hash of its content
    method: str
    target: str  # The estimator, as ``module:Class``
    params: Mapping[str, Any]  # Parameters that all cells have in common
    transductive: bool  # Whether `fit` gets the features of the test rows too
    protocol: Protocol
    repeat: int
    fold: int
    inner: int
    # The parameters of each cell that go on top of `params`, its seed included.
    points: tuple[Mapping[str, Any], ...]
    keys: tuple[str, ...]
    home: Path | None = None  # The folder of a study's own Python files
    # Metrics to compute besides the usual ones; what they need is kept.
    scores: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)  # What each cell may take

    @property
    def own_folders(self) -> frozenset[Path]:
        """The folders of a study's own Python files that it needs."""
        file = Path(self.target.rpartition(":")[0])
        folders = {file.parent} if file.suffix == ".py" else set()
        named = (*inner_targets([self.params, *self.points]), *self.scores)
        if self.home is not None and any(".py:" in name for name in named):
            folders.add(code_folder(self.home))
        return frozenset(folders)

    def part(self, positions: Iterable[int]) -> Batch:
        """Return the cells at some positions as a batch of their own."""
        chosen = tuple(positions)
        points = tuple(self.points[i] for i in chosen)
        return dataclasses.replace(self, points=points, keys=tuple(self.keys[i] for i in chosen))

    @property
    def singles(self) -> list[Batch]:
        """Each cell as a batch of its own."""
        return [self.part([i]) for i in range(len(self.keys))]


def compute_batch(problem: Problem, batch: Batch) -> list[Outcome]:
    """Return the outcomes of the cells of `batch`, in order; an error is an outcome too.

    The cells are fitted at once if the estimator has ``fit_grid``. Should that raise, they are
    fitted one by one, so that only the cells at fault fail.
    """
    outcomes = _outcomes(problem, batch)
    # Asked afterwards: files that were edited before they were imported show.
    by = describe_process(batch.own_folders)
    return [dataclasses.replace(outcome, by=by) for outcome in outcomes]


def describe_process(folders: Iterable[Path]) -> Facts:
    """Return code, versions and processor of this process, and a hash of the files in `folders`."""
    hashes = " ".join(folder_hash(folder) for folder in sorted(folders))
    return {**_environment(), **({"study_code": hashes} if hashes else {}), NODE: platform.node()}


@cache
def _environment() -> Facts:
    return environment()


def _outcomes(problem: Problem, batch: Batch) -> list[Outcome]:
    try:
        if len(batch.keys) == 1 or hasattr(import_estimator(batch.target), "fit_grid"):
            with (
                thread_libraries(len(sys.modules)).limit(limits=1),
                enforced(batch.limits, len(batch.keys)),
            ):
                return _compute(problem, batch)
    except (Exception, SystemExit, LimitError) as error:
        raise_interrupt(error)
        if len(batch.keys) == 1:
            why = str(error) if isinstance(error, LimitError) else traceback.format_exc()
            return [Outcome(batch.keys[0], error=why)]
    return [outcome for cell in batch.singles for outcome in _outcomes(problem, cell)]


@lru_cache(maxsize=1)
def thread_libraries(n_modules: int) -> ThreadpoolController:
    """Return the libraries with threads of their own, sought again when more is imported.

    To seek them takes as long as to fit a small tree.
    """
    return ThreadpoolController()


def fit_points(
    batch: Batch, X: Table, y: ArrayLike, X_test: Table, class_names: tuple[str, ...] = ()
) -> list[Any]:
    """Return a fitted estimator for each point of `batch`; ``fit_grid`` fits more than one."""
    estimator = make_estimator(batch.target, batch.params, batch.home)
    asking = (name for name in estimator.get_params() if name.rpartition("__")[2] == "class_names")
    estimator.set_params(**dict.fromkeys(asking, class_names))
    if len(batch.points) > 1:
        return estimator.fit_grid(X, y, [dict(point) for point in batch.points])
    unlabelled = {"X_unlabelled": X_test} if batch.transductive else {}
    return [estimator.set_params(**batch.points[0]).fit(X, y, **unlabelled)]


def raise_interrupt(error: BaseException | None) -> None:
    """Raise the KeyboardInterrupt that caused `error`, if one did.

    Ctrl-C inside a compiled kernel comes out of it as a SystemError.
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            raise error
        error = error.__cause__


def _compute(problem: Problem, batch: Batch) -> list[Outcome]:
    protocol = batch.protocol.on(problem)
    place = batch.repeat, batch.fold, batch.inner
    train, test = split_rows(protocol, problem.y, *place, problem.groups)
    if problem.y.dtype.kind != "f":  # rows without a class have a code below 0
        train = train[problem.y[train] >= 0]
    X, y = _take(problem.X, train), problem.labels(train)
    X_test, y_test = _take(problem.X, test), problem.y[test]
    wall, cpu = time.perf_counter(), time.thread_time()
    fitted = fit_points(batch, X, y, X_test, problem.class_names)
    wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
    share = {
        "fit_seconds": wall / len(fitted),
        "cpu_seconds": cpu / len(fitted),
        "shared": len(fitted) > 1,
        "n_train": len(train),
        "n_features": X.shape[1],
        "n_test": len(test),
    }
    keep_tree = protocol.whole
    return [
        Outcome(key, **share, **_score(estimator, X_test, y_test, keep_tree, batch))
        for key, estimator in zip(batch.keys, fitted, strict=True)
    ]


def _take(X: Table, rows: Rows) -> Table:
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def _score(
    estimator: Any, X: Table, y: NDArray[Any], keep_tree: bool, batch: Batch
) -> dict[str, Any]:
    predicted = np.asarray(estimator.predict(X))
    tree = getattr(estimator, "tree_", None)
    return {
        "accuracy": None if y.dtype.kind == "f" else float(np.mean(predicted == y)),
        "depth": float(estimator.get_depth()) if hasattr(estimator, "get_depth") else None,
        "leaves": float(estimator.get_n_leaves()) if hasattr(estimator, "get_n_leaves") else None,
        "nodes": _node_count(estimator),
        "digest": cell_digest(estimator, predicted),
        "predictions": pack_predictions(predicted),
        "tree": pack_tree(tree) if keep_tree and isinstance(tree, Tree) else None,
        **(_score_further(estimator, X, y, predicted, batch) if batch.scores else {}),
    }


def _score_further(
    estimator: Any, X: Table, y: NDArray[Any], predicted: NDArray[Any], batch: Batch
) -> dict[str, Any]:
    """Return the further metrics that `batch` asks for, and the probabilities that these need."""
    responses = ask_estimator(estimator, X, predicted)
    scores = score_responses(responses, y, batch.scores, batch.home)
    return {"scores": scores, "probabilities": responses.packed}


def _node_count(estimator: Any) -> float | None:
    """Return the number of nodes of a tree, or of all trees of a forest."""
    if hasattr(estimator, "get_node_count"):
        return float(estimator.get_node_count())
    count = getattr(getattr(estimator, "tree_", None), "node_count", None)
    return None if count is None else float(count)
