"""Marks of paired tests as tables give them: which of two methods is significantly better."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from retree.experiments.definition.definitions import Item, Method
from retree.reports.comparison import LEVEL
from retree.reports.context import Context
from retree.reports.published import published_name
from retree.statistics import PairedTest, corrected_resampled_t_test, paired_t_test
from retree.statistics.metrics import find_metric

BETTER, WORSE, NEITHER = "*", "°", ""


@dataclass(frozen=True)
class Mark:
    """What is said of a method against the one that it is paired with.

    Attributes
    ----------
    dataset, metric : str
        As published.
    method, base : str
        The method, and what it is compared with.
    difference : float
        Mean of the method less that of the base.
    printed : str or None
        The published mark, `BETTER`, `WORSE` or `NEITHER`; None where nothing is published.
    t_mark, corrected_mark : str
        Ours, by the paired t-test over the folds, and by the corrected resampled t-test.
    t_p_value, corrected_p_value : float
        Of these tests.
    """

    dataset: str
    metric: str
    method: str
    base: str
    difference: float
    printed: str | None
    t_mark: str
    corrected_mark: str
    t_p_value: float
    corrected_p_value: float


Pairs = Mapping[str, Mapping[str, str]]


def item_pairs(item: Item, pairs: Pairs) -> dict[str, list[tuple[Method, Method]]]:
    """Return pairs of a method and its base, by the title of their group.

    Parameters
    ----------
    item : Item
        Pairs of methods that it lacks are left out.
    pairs : dict of str to dict of str to str
        By title, the keys of bases by those of methods.
    """
    methods = {method.key: method for method in item.methods}
    groups = {
        title: [(methods[m], methods[b]) for m, b in keys.items() if {m, b} <= set(methods)]
        for title, keys in pairs.items()
    }
    return {title: found for title, found in groups.items() if found}


def find_marks(context: Context, pairs: Pairs, metrics: Sequence[str]) -> Iterator[Mark]:
    """Yield the marks of all pairs of an item, by group, pair, metric and data set.

    Both tests are two-sided, at the level `retree.reports.comparison.LEVEL`, over the folds; that
    of Nadeau and Bengio allows for the overlap of the training sets. The published mark is that of
    the base, or of what it ``stands_for``. Pairs without results are left out.
    """
    item, best, printed = context.item, context.best, _printed_marks(context)
    groups = item_pairs(item, pairs).values()
    for (method, base), metric in itertools.product(itertools.chain(*groups), metrics):
        measure = find_metric(metric).of
        for dataset in item.datasets:
            chosen = [best.get((dataset, m.key)) for m in (method, base)]
            folds = [measure(c.folds) for c in chosen if c is not None and not c.folds.empty]
            if len(folds) == 2:
                place = item.label(dataset), metric, method.name, base.name
                mark = printed.get((place[0], published_name(base), metric))
                yield _find_mark(place, mark, *folds[0].align(folds[1]), 1 / item.protocol.folds)


def marks_table(marks: Iterable[Mark]) -> pd.DataFrame:
    """Return marks as a table, a column for each of their attributes."""
    return pd.DataFrame([asdict(mark) for mark in marks], columns=list(Mark.__annotations__))


def _find_mark(
    place: tuple[str, str, str, str],
    printed: str | None,
    ours: pd.Series,
    theirs: pd.Series,
    test_share: float,
) -> Mark:
    plain = paired_t_test(ours, theirs)
    corrected = corrected_resampled_t_test(ours, theirs, test_share)
    return Mark(
        *place,
        plain.mean_difference,
        printed,
        _mark(plain, place[1]),
        _mark(corrected, place[1]),
        plain.p_value,
        corrected.p_value,
    )


def _printed_marks(context: Context) -> Mapping[tuple[str, str, str], str]:
    table = context.published.table()
    table = table[table["table"] == context.item.name]
    places = table[["dataset", "method", "metric"]].itertuples(index=False, name=None)
    return dict(zip(places, table["marker"], strict=True))


def _mark(test: PairedTest, metric: str) -> str:
    if not test.p_value < LEVEL:
        return NEITHER
    is_better = (test.mean_difference < 0) == find_metric(metric).smaller_is_better
    return BETTER if is_better else WORSE
