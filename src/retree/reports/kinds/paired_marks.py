"""Marks of paired tests as tables print them: which of two methods is significantly better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.reports.comparison import LEVEL
from retree.reports.published import Published
from retree.reports.selection import best_test
from retree.statistics import PairedTest, corrected_resampled_t_test, paired_t_test
from retree.statistics.metrics import find_metric

BETTER, WORSE, NEITHER = "*", "°", ""


@dataclass(frozen=True)
class Mark:
    """What is said of a method against the one that it is paired with.

    Attributes
    ----------
    dataset, metric : str
        As printed.
    method, base : str
        The method, and what it is compared with.
    difference : float
        Mean of the method less that of the base.
    printed : str or None
        The printed mark, `BETTER`, `WORSE` or `NEITHER`; None where nothing is printed.
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


def item_pairs(item: Item) -> dict[str, list[tuple[Method, Method]]]:
    """Return the item's pairs of a method and its base, by the title of their group.

    The item's ``pairs`` has the titles, and for each the keys of bases by those of methods; pairs
    of methods that are left out are left out.
    """
    methods = {method.key: method for method in item.methods}
    groups = {
        title: [(methods[m], methods[b]) for m, b in keys.items() if {m, b} <= set(methods)]
        for title, keys in item.options["pairs"].items()
    }
    return {title: pairs for title, pairs in groups.items() if pairs}


def find_marks(experiment: Experiment, item: Item, frame: pd.DataFrame) -> list[Mark]:
    """Return the marks of all pairs of an item, by group, pair, metric and data set.

    Both tests are two-sided, at the level `retree.reports.comparison.LEVEL`, over the folds; that
    of Nadeau and Bengio allows for the overlap of the training sets. The printed mark is that of
    the base, or of what it ``stands_for``. Pairs without results are left out.
    """
    return list(_marks(experiment, item, frame))


def marks_table(marks: list[Mark]) -> pd.DataFrame:
    """Return marks as a table, a column for each of their attributes."""
    return pd.DataFrame([asdict(mark) for mark in marks], columns=list(Mark.__annotations__))


def _marks(experiment: Experiment, item: Item, frame: pd.DataFrame) -> Iterator[Mark]:
    best, printed = best_test(frame), _printed_marks(experiment, item)
    test_share = 1 / item.protocol.folds
    for method, base in (pair for pairs in item_pairs(item).values() for pair in pairs):
        for metric in item.options["metrics"]:
            measure = find_metric(metric).of
            for dataset in item.datasets:
                chosen = [best.get((dataset, m.key)) for m in (method, base)]
                if any(choice is None or choice.folds.empty for choice in chosen):
                    continue
                ours, theirs = (measure(choice.folds) for choice in chosen if choice)
                ours, theirs = ours.align(theirs)
                plain = paired_t_test(ours, theirs)
                corrected = corrected_resampled_t_test(ours, theirs, test_share)
                label = item.label(dataset)
                yield Mark(
                    label,
                    metric,
                    method.name,
                    base.name,
                    plain.mean_difference,
                    printed.get((label, printed_name(base), metric)),
                    _mark(plain, metric),
                    _mark(corrected, metric),
                    plain.p_value,
                    corrected.p_value,
                )


def printed_name(method: Method) -> str:
    """Return the name under which the paper prints what `method` is, or is a reading of."""
    return str(method.about.get("stands_for", method.name))


def _printed_marks(experiment: Experiment, item: Item) -> Mapping[tuple[str, str, str], str]:
    table = Published(experiment.paper).table()
    table = table[table["table"] == item.name]
    places = table[["dataset", "method", "metric"]].itertuples(index=False, name=None)
    return dict(zip(places, table["marker"], strict=True))


def _mark(test: PairedTest, metric: str) -> str:
    if not test.p_value < LEVEL:
        return NEITHER
    is_better = (test.mean_difference < 0) == find_metric(metric).smaller_is_better
    return BETTER if is_better else WORSE
