"""How rows are split into training and test rows."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Annotated, Any
from typing import Protocol as TypingProtocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from retree.errors import RetreeError
from retree_lab.datasets.given_folds import changed, read_places
from retree_lab.yaml_files import Bounds

K_FOLD, WEKA, OPENML = "k_fold", "weka", "openml"
Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]
HOLDOUT, LEAVE_ONE_OUT, GROUPS, TIME = "holdout", "leave_one_out", "groups", "time"
BOOTSTRAP, FILE, DATA_SET = "bootstrap", "file", "data_set"


class DataTable(TypingProtocol):
    """A data set, however it is held."""

    @property
    def name(self) -> str:
        """Its name."""
        return ""

    @property
    def y(self) -> Any:
        """Its target."""

    @property
    def groups(self) -> NDArray[Any] | None:
        """The group of each row, or its places in splits of its own; None without any."""
        return None

    @property
    def test_rows(self) -> int:
        """The number of rows, the last ones, that are a test file; 0 without one."""
        return 0


class _AsJson:
    """Reads a mapping as text, which has a hash."""

    def read(self, value: Any, what: str, hint: Any) -> str:
        if not isinstance(value, Mapping):
            raise RetreeError(f"{what} must be a mapping, not {value!r}.")
        return json.dumps(value, sort_keys=True)


@dataclass(frozen=True)
class Protocol:
    """How rows are split. One fold means: train and score on all rows.

    With a `test_file` the one fold is the data set's own: its training file against its test file.
    `on` puts the number of test rows in its place. Of splits whose number of folds depends on the
    data it says how many there are.
    """

    name: str
    folds: Annotated[int, Bounds(0, 10**6)] = 0  # The number of folds
    repeats: Annotated[int, Bounds(1, 10**4)] = 1  # Repeat r has the seed `seed` + r
    stratified: bool = True  # Whether each fold keeps the class shares
    shuffle: bool = True  # Whether rows are shuffled first
    seed: Annotated[int, Bounds(0, 2**31)] = 0  # The seed of the first repeat
    # Whether the paper gives this seed, so that its folds are the same. Otherwise a number that
    # depends on the seed is not judged by ``digits``. Weka's and OpenML's seeds are known.
    published_seed: bool = False
    # Folds of the training rows on which parameters are chosen.
    inner_folds: Annotated[int, Bounds(0, 1000)] = 3
    # Whether cells run one at a time in the parent process, so that their times can be compared.
    # Times count for the `machine` that they were measured on, by default this one.
    timed: bool = False
    machine: str | None = None
    # How often the whole protocol is run, each time with other seeds. The spread of the results
    # shows how much of one run is chance.
    replicates: Annotated[int, Bounds(1)] = 1
    # ``k_fold``; ``weka``, the folds of Weka's Experimenter (repeat r is its run `seed` + r),
    # Explorer and command line; ``openml``, the folds of OpenML's tasks, with seed 0; ``holdout``,
    # ``leave_one_out``, ``groups``, ``time``, ``bootstrap``, ``file``; ``data_set``, the folds that
    # come with a data set; or the dotted name of a class in ``sklearn.model_selection``.
    splitter: str = K_FOLD
    test_file: bool | int = False
    test_share: float = 0.0  # The share of rows that a hold-out tests on
    # A file of the study. A csv has a header, one line per row of the data set and one column per
    # repeat. Each entry is the fold in which the row is tested, counted from 0. Any other file has
    # row numbers, counted from 0: a line of training rows, a line of test rows, and so on.
    # ``{dataset}`` in the name of the file stands for the name of a data set.
    file: str = ""
    # The arguments of scikit-learn's class, as a mapping.
    arguments: Annotated[str, _AsJson()] = "{}"
    content: str = ""  # Hash of the groups, or of the file of the data set, that it splits

    @property
    def is_own(self) -> bool:
        """Whether a split of its own takes the place of a cross-validation."""
        return self.splitter not in (K_FOLD, WEKA, OPENML)

    @property
    def whole(self) -> bool:
        """Whether all rows are both training and test rows."""
        return self.folds == 1 and self.test_file is False and not self.is_own

    @property
    def draws(self) -> bool:
        """Whether its folds depend on its seed."""
        if self.splitter == K_FOLD:
            return self.shuffle and self.folds > 1
        if "." in self.splitter:
            takes = signature(_class_of(self.splitter)).parameters
            shuffles = json.loads(self.arguments).get("shuffle", "shuffle" not in takes)
            return "random_state" in takes and bool(shuffles)
        return self.splitter not in (LEAVE_ONE_OUT, TIME, FILE, DATA_SET)

    @property
    def has_seed_of_ours(self) -> bool:
        """Whether its folds depend on a seed that the paper does not give."""
        return self.draws and not self.published_seed and self.splitter not in (WEKA, OPENML)

    def on(self, data: DataTable) -> Protocol:
        """Return the protocol as it splits the data set `data`."""
        n_rows = len(data.y)
        if self.test_file is True:
            return replace(self, test_file=data.test_rows)
        if self.splitter == LEAVE_ONE_OUT:
            return replace(self, folds=n_rows)
        if self.splitter == GROUPS:
            if data.groups is None or data.groups.ndim == 2:
                raise ValueError("it has no groups: name their column by groups: in its file")
            content = _digest("\0".join(map(str, data.groups)).encode())
            return replace(self, content=content, folds=self.folds or len(set(data.groups)))
        if self.splitter == DATA_SET:
            if data.groups is None or data.groups.ndim != 2:
                raise ValueError("it comes without folds: name their column or file by folds:")
            content = _digest(data.groups.astype("<i4").tobytes())
            return replace(self, content=content, folds=data.groups.shape[1])
        if self.splitter == FILE:
            path = Path(self.file.replace("{dataset}", data.name))
            folds = read_places(path, n_rows, changed(path))[1]
            return replace(self, file=str(path), content=_digest(path.read_bytes()), folds=folds)
        if "." in self.splitter:
            groups = data.groups if "Group" in self.splitter else None
            made, y = self._scikit_learn(0), np.asarray(data.y)
            return replace(self, folds=int(made.get_n_splits(np.zeros(n_rows), y, groups)))
        return self

    def own_rows(
        self, y: NDArray[Any], groups: NDArray[Any] | None, folds: int, fold: int, seed: int
    ) -> Split:
        """Return the training and the test rows of a fold of an own split, in ascending order.

        Those that a data set comes with have their own order.

        Shapes: `y` (n_samples,), `groups` (n_samples,) or (n_samples, n_splits).
        `y`: class codes, or numbers, which are not stratified.
        `seed`: that of the repeat; the repeat's number for a file, which has no seed.
        """
        make: dict[str, Callable[[], Split]] = {
            LEAVE_ONE_OUT: lambda: _leave_out(len(y), fold),
            BOOTSTRAP: lambda: _bootstrap(len(y), seed),
            FILE: lambda: _from_file(Path(self.file), len(y), seed, fold),
            DATA_SET: lambda: _by_places(groups, fold),
            TIME: lambda: _listed(TimeSeriesSplit(folds), y, None, fold),
        }
        if self.splitter in make:
            return make[self.splitter]()
        if self.splitter == GROUPS:
            return _by_groups(y, groups, folds, fold, seed)
        if self.splitter == HOLDOUT:
            stratified = json.loads(self.arguments)["stratified"] and y.dtype.kind != "f"
            cls = StratifiedShuffleSplit if stratified else ShuffleSplit
            made = cls(1, test_size=self.test_share, random_state=seed)
            return _listed(made, y, None, 0)
        # The others warn that they do not look at groups.
        splitter_groups = groups if "Group" in self.splitter else None
        return _listed(self._scikit_learn(seed), y, splitter_groups, fold)

    def _scikit_learn(self, seed: int) -> Any:
        """Return a splitter of scikit-learn, with the seed if it shuffles and has none."""
        seeded = {"random_state": seed} if self.draws else {}
        return _class_of(self.splitter)(**seeded, **json.loads(self.arguments))

    def overlap(self, n_values: int) -> float:
        """Return the share of rows that folds test on, 0 if there is one fold.

        `n_values`: values of a metric, one for each fold of all repeats on a data set.
        """
        if not self.is_own:
            return 1 / self.folds if self.folds > 1 else 0.0
        if self.splitter == HOLDOUT:
            return float(self.test_share)
        if self.splitter == BOOTSTRAP:
            # n rows are drawn; those that are not are tested on.
            return _share_of_ratio(float(np.exp(-1)))
        if self.splitter == TIME:
            return _share_of_ratio(float(np.mean(1 / np.arange(1, self.folds + 1))))
        if isinstance(share := json.loads(self.arguments).get("test_size"), float):
            return share
        return 1 / max(2, self.folds or n_values // self.repeats)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _share_of_ratio(ratio: float) -> float:
    return ratio / (1 + ratio)


def _leave_out(n_rows: int, fold: int) -> Split:
    rows = np.arange(n_rows)
    return np.delete(rows, fold), rows[fold : fold + 1]


def _bootstrap(n_rows: int, seed: int) -> Split:
    """Return rows drawn with replacement, and the rows that were not drawn."""
    # The stream of RandomState never changes.
    train = np.sort(np.random.RandomState(seed).randint(0, n_rows, n_rows)).astype(np.intp)
    test = np.setdiff1d(np.arange(n_rows), train)
    if not len(test):
        raise ValueError("a bootstrap sample has all its rows")
    return train, test


def _by_groups(
    y: NDArray[Any], groups: NDArray[Any] | None, folds: int, fold: int, seed: int
) -> Split:
    assert groups is not None
    stratified = y.dtype.kind != "f" and folds < len(set(groups))
    cls = StratifiedGroupKFold if stratified else GroupKFold
    return _listed(cls(folds, shuffle=True, random_state=seed), y, groups, fold)


def _by_places(places: NDArray[Any] | None, fold: int) -> Split:
    """Return the rows of a split by their places in it: 1, 2, … to train on, -1, -2, … to test."""
    assert places is not None
    rows = np.argsort(places[:, fold], kind="stable")
    signs = np.sign(places[rows, fold])
    return rows[signs > 0], rows[signs < 0][::-1]


def _from_file(path: Path, n_rows: int, repeat: int, fold: int) -> Split:
    places, folds = read_places(path, n_rows, changed(path))
    if (repeat + 1) * folds > places.shape[1]:
        raise ValueError(f"{path} has {places.shape[1] // folds} repeats, and not {repeat + 1}")
    return _by_places(places, repeat * folds + fold)


def _listed(splitter: Any, y: NDArray[Any], groups: NDArray[Any] | None, fold: int) -> Split:
    train, test = list(splitter.split(np.zeros(len(y)), y, groups))[fold]
    return np.sort(train), np.sort(test)


def _class_of(name: str) -> Any:
    module, _, cls = name.rpartition(".")
    return getattr(importlib.import_module(module), cls)
