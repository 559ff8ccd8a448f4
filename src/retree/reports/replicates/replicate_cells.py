"""The cells of the chosen points of each further replicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from retree.experiments.definition.replicates import count_nested
from retree.experiments.planning.plan import Plan
from retree.experiments.storing.exports import BEST_TEST, DONE, NESTED, SELECTED
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.stored_cells import StoredCells
from retree.reports.selection import PAIR, PLACE, Choices, choose, nested

# The key of a method, and that of a cell, which another method may have too.
Owned = tuple[str, str]


@dataclass(frozen=True)
class ReplicateCells:
    """The outer cells that stand for each further replicate that is complete."""

    # Those of the points that numbers are of: rows as from
    # `retree.experiments.storing.results.results_frame`, and the columns ``replicate`` (1 or more)
    # and ``n_points`` (points of the grid).
    best: pd.DataFrame
    # Those of the points chosen inside the training folds, of the replicates that do so beside.
    nested: pd.DataFrame
    how: str = BEST_TEST  # How the points of `best` were chosen

    @property
    def every(self) -> pd.DataFrame:
        """Both, each cell once, and how it was chosen in the column ``selected``."""
        both = pd.concat([self.best, self.nested], ignore_index=True)
        how = dict.fromkeys(self.best["key"], self.how)
        for key in self.nested["key"]:
            how[key] = f"{how[key]} {NESTED}" if key in how else NESTED
        both = both.drop_duplicates("key")
        return both.assign(**{SELECTED: both["key"].map(how)})


def replicate_cells(plan: Plan, stored: StoredCells) -> ReplicateCells:
    """Return the cells that stand for the further replicates of an item.

    Points are chosen as in `retree.reports.selection`, in each replicate by itself. Where the
    choice is committed only its cells are planned, and it stands: of two cells of a fold, the one
    that is not of the best point was chosen inside the training fold.
    """
    frame = results_frame(replace(plan, cells=plan.replicates), stored)
    frame["replicate"] = frame["repeat"] // plan.item.protocol.repeats
    n_points: Counter[tuple[str, str]] = Counter()
    for cell in plan.cells:
        pair = cell.dataset, cell.method
        n_points[pair] = max(n_points[pair], cell.point + 1)
    pairs = zip(frame["dataset"], frame["method"], strict=True)
    frame["n_points"] = [n_points[pair] for pair in pairs]
    best: set[Owned] = set()
    honest: set[Owned] = set()
    for replicate, rows in frame.groupby("replicate"):
        choices = choose(rows, plan.item.chosen_on_test)
        best |= {(m, key) for (_, m), choice in choices.items() for key in choice.folds["key"]}
        honest |= set(_nested(plan, int(str(replicate)), rows, choices))
    how = BEST_TEST if plan.item.chosen_on_test else NESTED
    return ReplicateCells(_of_keys(frame, best), _of_keys(frame, honest), how)


def _nested(plan: Plan, replicate: int, rows: pd.DataFrame, best: Choices) -> Iterator[Owned]:
    """Yield the cells that a nested selection chose in a replicate."""
    if NESTED not in plan.item.select or not plan.item.chosen_on_test:
        return
    rows = rows[[replicate < count_nested(plan.item, name) for name in rows["dataset"]]]
    honest = nested(rows, best)
    for pair, some in rows.groupby(PAIR, sort=False):
        choice, method = best[str(pair[0]), str(pair[1])], str(pair[1])
        if pair in honest:
            yield from ((method, key) for key in honest[pair].folds["key"])
        elif len(choice.folds):
            yield from ((method, key) for key in _committed_choice(some, choice.folds))


def _committed_choice(rows: pd.DataFrame, best: pd.DataFrame) -> Sequence[str]:
    """Return the keys of the cells that are not of the best point, and of that where all are."""
    of_best = dict(zip(best["key"], best.index, strict=True))
    columns = (rows[name].tolist() for name in ("key", "status", *PLACE))
    other = {key: (status, place) for key, status, *place in zip(*columns, strict=True)}
    other = {key: found for key, found in other.items() if key not in of_best}
    if any(status != DONE for status, _ in other.values()):
        return []
    places = {tuple(place) for _, place in other.values()}
    return [*other, *(key for key, place in of_best.items() if place not in places)]


def _of_keys(frame: pd.DataFrame, chosen: Collection[Owned]) -> pd.DataFrame:
    owned = zip(frame["method"], frame["key"], strict=True)
    return frame[np.array([one in chosen for one in owned], bool)].reset_index(drop=True)
