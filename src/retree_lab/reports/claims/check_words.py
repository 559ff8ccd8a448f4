"""The check of a claim in words."""

from __future__ import annotations

from retree_lab.experiments.definition.claims import (
    MEAN,
    Check,
    Comparing,
    CountCheck,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    StarsCheck,
    WithinCheck,
)
from retree_lab.reports.files import item_title
from retree_lab.statistics.metrics import find_metric

_STATISTICS = {"mean": "", "std": "standard deviation of the ", "spread": "std/mean of the "}


def check_words(check: Check) -> str:
    """Return a check in words."""
    metric = f"{find_metric(check.metric).label} ({item_title(check.item)})"
    over = "" if MEAN in check.datasets else f"{len(check.datasets)} data sets"
    if isinstance(check, Comparing):
        words = f"{_STATISTICS[check.statistic]}{metric} of {_group(check, check.every)} "
        words += f"{check.relation} {_right(check)}"
        if isinstance(check, CountCheck):
            return f"{words}, on {_bounds(check)} of {over}"
        mean = "geometric means" if isinstance(check, MeanCheck) and check.geometric else "means"
        return f"{words}, {mean} over {over}" if over else f"{words}, as the means are published"
    if isinstance(check, WithinCheck):
        allowed = f"{check.points:g}" if check.points is not None else f"{check.share:.0%}"
        cells = "all cells" if check.at_least is None else f"at least {check.at_least} cells"
        names = _group(check, True)
        return f"{metric} of {names} within {allowed} of the published value, {cells} of {over}"
    if isinstance(check, MeanOfCellsCheck):
        return f"the means of the {metric} are those of the cells of {item_title(check.cells)}"
    if isinstance(check, ParameterCheck):
        values = f"{check.low:g}" if check.low == check.high else f"{check.low:g} to {check.high:g}"
        words = f"best {check.parameter} of {_group(check, True)} ({item_title(check.item)}) "
        if check.most_frequent:
            return f"{words}is most often {values}, over {over}"
        return f"{words}is {values}, at least {check.at_least} times over {over}"
    if isinstance(check, StarsCheck):
        words = f"{metric} of {_group(check, True)} significantly better than its pair (*)"
        return f"{words}, at least {check.at_least} times over {over}"
    raise TypeError(f"A {type(check).__name__} has no words.")


def _group(check: Check, every: bool) -> str:
    names = [check.label(key) for key in check.of]
    if len(names) == 1:
        return names[0]
    return f"{'every one' if every else 'some'} of {', '.join(names)}"


def _right(check: Comparing) -> str:
    times = f"{check.factor:g} · " if check.factor != 1 else ""
    plus = f" {check.plus:+g}" if check.plus else ""
    if isinstance(check.than, int | float):
        return f"{times}{check.than:g}{plus}"
    names = ", ".join(map(check.label, check.than))
    return f"{times}{names if len(check.than) == 1 else f'all of {names}'}{plus}"


def _bounds(check: CountCheck) -> str:
    low, high = check.at_least, check.at_most
    if low is not None and high is not None:
        return f"exactly {low}" if low == high else f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"
