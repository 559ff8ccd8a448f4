"""How rows are split into training and test rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated
from typing import Protocol as TypingProtocol

from retree.experiments.definition.own_splits import DataTable, OwnSplit
from retree.options import Bounds

SPLITTERS = ("scikit-learn", "weka")


class HasTestRows(DataTable, TypingProtocol):
    """A data set, however it is held, that knows how many of its rows are its test file's."""

    @property
    def test_rows(self) -> int:
        """How many rows, the last ones, are those of a test file; 0 without one."""


@dataclass(frozen=True)
class Protocol:
    """How rows are split. One fold means: train and score on all rows.

    `replicates` is how often all of it is done, each time with other seeds; an item says how many
    of them have a nested selection too. How much the replicates differ is how much one run is
    chance.

    With a `test_file` the one fold is the data set's own: its training file against its test file.
    `on` puts the number of test rows in its place.

    A split of a study's `own` takes the place of the cross-validation, with as many folds, and `on`
    says how many there are where that depends on the data.

    The `splitter` "weka" makes the folds of Weka's Experimenter (repeat r is run `seed` + r) and of
    its Explorer and command line (of that seed), see `retree.experiments.planning.weka_folds`.

    The cells of a `timed` one run one after the other in the parent process, so that their times
    can be compared with each other; they count for the `machine` they ran on, by default this one.
    """

    name: str
    folds: Annotated[int, Bounds(0, 10**6)]
    repeats: Annotated[int, Bounds(1, 10**4)]
    stratified: bool
    shuffle: bool
    seed: Annotated[int, Bounds(0, 2**31)]
    inner_folds: Annotated[int, Bounds(0, 1000)]
    timed: bool = False
    machine: str | None = None
    replicates: Annotated[int, Bounds(1)] = 1
    splitter: str = SPLITTERS[0]
    test_file: bool | int = False
    own: OwnSplit | None = None

    @property
    def whole(self) -> bool:
        """Whether all rows are both training and test rows."""
        return self.folds == 1 and self.test_file is False and self.own is None

    def on(self, data: HasTestRows) -> Protocol:
        """Return the protocol as it splits the data set `data`."""
        if self.own is not None:
            own, folds = self.own.resolve(self.folds, data)
            return replace(self, own=own, folds=folds)
        return replace(self, test_file=data.test_rows) if self.test_file is True else self

    def overlap(self, n_values: int) -> float:
        """Return the share of rows that folds test on, 0 if there is one fold.

        `n_values`: values of a metric, one for each fold of all repeats on a data set.
        """
        if self.own is not None:
            return self.own.overlap(self.folds, n_values // self.repeats)
        return 1 / self.folds if self.folds > 1 else 0.0
