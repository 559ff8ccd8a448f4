"""Which folder is rendered to, so that committed results never become poorer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.committed import CommittedCells
from retree_lab.experiments.storing.exports import DONE
from retree_lab.reports.context import Context
from retree_lab.reports.files import folder

LOCAL = "local"
PLACE = ["dataset", "method", "params", "repeat", "fold", "inner"]


def is_protected(experiment: Experiment) -> bool:
    """Whether files would be written among the committed ones."""
    committed = experiment.committed
    return committed is not None and experiment.results.resolve() == committed.resolve()


def to_local(experiment: Experiment) -> Experiment:
    """Return `experiment` with a folder of its own inside its results."""
    return replace(experiment, results=experiment.results / LOCAL)


def find_losses(
    experiment: Experiment, contexts: Sequence[Context], committed: CommittedCells
) -> dict[str, int]:
    """Return how many committed cells of an item are not stored, by the name of the item.

    A cell is what stands at a place in the item's table and split: one of another version of its
    estimator takes its place. What the item does not ask for any more is not counted.
    """
    here = {context.item.name: _lacking(context.plan, context.frame) for context in contexts}
    if not any(
        lacking or c.plan.unavailable for c, lacking in zip(contexts, here.values(), strict=True)
    ):
        return {}
    rows = committed.table(folder(experiment), "items", *PLACE)
    counts = {c.item.name: _count_lost(rows, c.plan, here[c.item.name]) for c in contexts}
    return {name: count for name, count in counts.items() if count}


def _lacking(plan: Plan, frame: pd.DataFrame) -> set[tuple[Any, ...]]:
    """Return the places of the cells of an item that are not done."""
    names = {method.key: method.name for method in plan.item.methods}
    here = frame[frame["status"] != DONE]
    return set(_places(here.assign(method=here["method"].map(names))))


def _count_lost(committed: pd.DataFrame, plan: Plan, lacking: Collection[tuple[Any, ...]]) -> int:
    items = committed["items"]
    # Many cells, few different texts.
    own = [text for text in items.unique() if plan.item.name in text.split()]
    committed = committed.loc[items.isin(own), PLACE]
    names = [method.name for method in plan.item.methods]
    away = committed["dataset"].isin(plan.unavailable) & committed["method"].isin(names)
    return int(away.sum()) + len(set(lacking).intersection(_places(committed)))


def _places(rows: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    return rows[PLACE].itertuples(index=False, name=None)
