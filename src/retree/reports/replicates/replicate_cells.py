"""The cells of the chosen points of each further replicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from retree.experiments.definition.replicates import count_nested
from retree.experiments.planning.plan import Plan
from retree.experiments.storing.exports import BEST_TEST, DONE, NESTED, SELECTED
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.stored_cells import StoredCells
from retree.reports.selection import PAIR, PLACE, Choices, choose, nested


@dataclass(frozen=True)
class ReplicateCells:
    """The outer cells that stand for each further replicate that is complete.

    Attributes
    ----------
    best : DataFrame
        Those of the points that numbers are of: rows as from
        `retree.experiments.storing.results.results_frame`, and the columns ``replicate`` (1 or
        more) and ``n_points`` (points of the grid).
    nested : DataFrame
        Those of the points chosen inside the training folds, of the replicates that do so beside.
    how : str
        How the points of `best` were chosen.
    """

    best: pd.DataFrame
    nested: pd.DataFrame
    how: str = BEST_TEST

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

    Parameters
    ----------
    plan : Plan
        The plan of an item.
    stored : StoredCells
        Where its cells may be.
    """
    frame = results_frame(replace(plan, cells=plan.replicates), stored)
    frame["replicate"] = frame["repeat"] // plan.item.protocol.repeats
    n_points: Counter[tuple[str, str]] = Counter()
    for cell in plan.cells:
        pair = cell.dataset, cell.method
        n_points[pair] = max(n_points[pair], cell.point + 1)
    pairs = zip(frame["dataset"], frame["method"], strict=True)
    frame["n_points"] = [n_points[pair] for pair in pairs]
    best: list[Iterable[str]] = []
    honest: list[Iterable[str]] = []
    for replicate, rows in frame.groupby("replicate"):
        choices = choose(rows, plan.item.chosen_on_test)
        best += [choice.folds["key"] for choice in choices.values()]
        honest += _nested(plan, int(str(replicate)), rows, choices)
    how = BEST_TEST if plan.item.chosen_on_test else NESTED
    return ReplicateCells(_of_keys(frame, best), _of_keys(frame, honest), how)


def _nested(
    plan: Plan, replicate: int, rows: pd.DataFrame, best: Choices
) -> Iterator[Iterable[str]]:
    """Yield the keys of the cells that a nested selection chose in a replicate, by pair."""
    if NESTED not in plan.item.select or not plan.item.chosen_on_test:
        return
    rows = rows[[replicate < count_nested(plan.item, name) for name in rows["dataset"]]]
    honest = nested(rows, best)
    for pair, some in rows.groupby(PAIR, sort=False):
        choice = best[str(pair[0]), str(pair[1])]
        if pair in honest:
            yield honest[pair].folds["key"]
        elif len(choice.folds):
            yield _committed_choice(some, choice.folds)


def _committed_choice(rows: pd.DataFrame, best: pd.DataFrame) -> Sequence[str]:
    """Return the keys of the cells that are not of the best point, and of that where all are."""
    other = rows[~rows["key"].isin(best["key"])].set_index(PLACE)
    if (other["status"] != DONE).any():
        return []
    return [*other["key"], *best["key"][~best.index.isin(other.index)]]


def _of_keys(frame: pd.DataFrame, keys: Iterable[Iterable[str]]) -> pd.DataFrame:
    chosen = {key for some in keys for key in some}
    return frame[frame["key"].isin(chosen)].reset_index(drop=True)
