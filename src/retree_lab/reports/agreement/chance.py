"""Published numbers outside the intervals of one run: how many, how far, and the page on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.agreement.own_columns import (
    find_own_columns,
    own_columns_sections,
    own_columns_tables,
)
from retree_lab.reports.agreement.pictures import (
    DISTANCES,
    count_distances,
    distance_words,
)
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Figure,
    Phrase,
    Prose,
    Text,
    ToPage,
)
from retree_lab.reports.formatting import BLANK, decimal, number
from retree_lab.reports.item_page import linked_number, place_of
from retree_lab.reports.sections import Getter, csv_table, grouped, section
from retree_lab.statistics import JUDGED, OUTSIDE, Verdict
from retree_lab.statistics.intervals import Share, leave_half_out, leave_one_out, resampled_share
from retree_lab.statistics.metrics import find_metric

Numbers = Sequence[Comparison]
Row = Mapping[Any, Any]
# Fewer runs leave too few to predict one from the others.
FEWEST = 4


def predicted(numbers: Iterable[Comparison]) -> list[Comparison]:
    """Return all numbers that have a prediction, and could have been published."""
    return [c for c in numbers if c.prediction and c.verdict]


def judged(numbers: Iterable[Comparison]) -> list[Comparison]:
    """Return those that are judged by their prediction."""
    return [c for c in predicted(numbers) if c.verdict in JUDGED]


def count_outside(numbers: Iterable[Comparison], *by: str) -> pd.DataFrame:
    """Return how many judged numbers are outside, by names of their attributes.

    Columns: `by`; ``count`` of the ``total``, with the interval of their share over other data sets
    (``low``, ``high``); ``weak``, which agree with an interval that holds half of the row;
    ``differing``, which are outside and differ if all numbers of their item are considered
    together; and ``before``, which differ by the tolerance that the folds of one run give.
    """
    rows = [
        place
        | vars(_share(group, lambda c: [c.verdict in OUTSIDE]))
        | {
            "weak": sum(c.verdict == Verdict.WEAK for c in group),
            "differing": sum(c.verdict == Verdict.DIFFERS for c in group),
            "before": sum(c.judgement.by_tolerance == Verdict.DIFFERS for c in group),
        }
        for place, group in _groups(judged(numbers), by)
    ]
    return pd.DataFrame(rows)


def find_coverage(numbers: Iterable[Comparison], *by: str) -> pd.DataFrame:
    """Return how many runs lie in the interval that the others of their number give.

    Where the published number is the mean of several runs, these are the means of half of ours, in
    the interval of the other half. A number that stands in several items counts once.

    Columns: `by`, ``count``, ``total``, ``low`` and ``high``, as `count_outside` has them.
    """
    rows = [
        place | vars(_share(group, lambda c: map(bool, _left_out(c)[1])))
        for place, group in _groups(_once(numbers), by)
    ]
    return pd.DataFrame(rows)


def _groups(numbers: Numbers, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], Numbers]]:
    """Yield the values of attributes, and the numbers that have them."""
    groups = grouped(numbers, lambda c: tuple(getattr(c, name) for name in by))
    yield from ((dict(zip(by, place, strict=True)), group) for place, group in groups.items())


def chance_distances(numbers: Iterable[Comparison]) -> list[float]:
    """Return how far each run is from the others of its cell: 1 is the end of the interval."""
    return [float(distance) for c in _once(numbers) for distance in _left_out(c)[0]]


def chance_table(numbers: Iterable[Comparison]) -> pd.DataFrame:
    """Return the numbers with a published one, those farthest outside first.

    Columns: ``item``, ``dataset``, ``method``, ``metric``, ``reproduced``, ``published``, ``low``,
    ``high``, ``distance`` (standard deviations of one run that the published value is above ours),
    ``p_value``, ``n_replicates``, ``verdict`` and ``by_tolerance``, the verdict before there were
    replicates.
    """
    names = ["item", "dataset", "method", "metric", "reproduced", "published", "low", "high"]
    names += ["distance", "p_value", "n_replicates", "verdict"]
    columns = {name: name for name in names} | {"by_tolerance": "judgement.by_tolerance"}
    table = csv_table(columns, predicted(numbers)).dropna(subset=["published"])
    order = table["distance"].abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def _share(numbers: Numbers, answers: Callable[[Comparison], Iterable[bool]]) -> Share:
    """Return how many answers that numbers give are True, with the interval over data sets."""
    by_dataset = grouped(numbers, lambda c: c.dataset)
    return resampled_share(
        {
            name: [a for c in of_dataset for a in answers(c)]
            for name, of_dataset in by_dataset.items()
        }
    )


def _once(numbers: Iterable[Comparison]) -> list[Comparison]:
    """Return the numbers with enough runs of their own, each once."""
    places = {
        (c.dataset, c.method, c.metric): c
        for c in predicted(numbers)
        # Other data sets than ours would be needed to see how often these are predicted.
        if len(c.runs) >= FEWEST and not c.over_sets
    }
    return list(places.values())


def _left_out(c: Comparison) -> tuple[np.ndarray, np.ndarray]:
    leave_out = leave_half_out if c.run and c.run.averaged > 1 else leave_one_out
    return leave_out(c.runs, c.unit, find_metric(c.metric).log_plus)


TITLE = "What differs beyond chance, and what we tried"
STEM = "chance"
RULES = (
    "A replicate is the whole protocol with other folds, other seeds and its own choice of "
    "parameters. Some replicates also choose parameters inside the training folds.",
    "Each published number comes from one replicate, so we compare it with the 95 % prediction "
    "interval of one replicate: m ± t·s·√(1 + 1/R). Here m and s are mean and standard deviation "
    "of our R replicates. The quantile t has R − 1 degrees of freedom. Sizes enter as logarithms; "
    "depths, which may be 0, after adding 1. Half a unit of the last published digit is added on "
    "either side.",
    "Where the protocol itself repeats its cross-validation, its repeats serve as replicates. The "
    "published number is their mean. So its standard deviation is theirs divided by the square "
    "root of their number.",
    "Data that the paper drew from a known distribution are drawn again in each replicate. The "
    "interval then covers random samples too. On other data all replicates use the same rows, and "
    "the interval covers random folds only. Where the paper's rows are not known at all, a single "
    "number cannot be judged. A mean over data sets is judged by the spread between them.",
    "A number agrees if it lies in the interval. It agrees weakly if the interval also holds at "
    "least half of the other published numbers in its row.",
    "By chance 5 % lie outside. A number outside differs if it is still significant at a false "
    "discovery rate of 5 % (Benjamini and Hochberg, over all numbers of an item). The others are "
    "at the edge. The interval next to a share comes from resampling whole data sets. If none or "
    "all lie outside, it is the exact binomial interval.",
)


def chance_tables(paper: Paper, numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the csv files by name, none without any number that has a prediction."""
    if not judged(numbers):
        return {}
    tables = {f"{STEM}.csv": chance_table(numbers), DISTANCES: distance_table(numbers)}
    return tables | own_columns_tables(find_own_columns(numbers, paper.own_methods))


def distance_table(numbers: Numbers) -> pd.DataFrame:
    """Return how many published numbers, and how many of our runs, are how far away."""
    distances = [c.distance / c.prediction.reach for c in judged(numbers) if c.prediction]
    return count_distances(distances, chance_distances(numbers))


def chance_summary(numbers: Numbers) -> list[Block]:
    """Return how many numbers of a paper lie outside their intervals, as a section of its page."""
    for total in count_outside(numbers).to_dict("records"):
        words = f"{_outside_words(total)}."
        for share in find_coverage(numbers).to_dict("records"):
            words += (
                " As a check, each of our replicates was predicted from the others (for repeats, "
                f"each half from the other). {_percent(share)} % of them lie in their interval; 95 "
                "% should."
            )
        text = (f"{words} See ", Phrase(TITLE.lower(), ToPage(STEM)), ".")
        return [Text("Differences beyond chance", text)]
    return []


def chance_document(paper: Paper, numbers: Numbers, source: Prose) -> Document | None:
    """Return the page of a paper, cited as `source`; None if no number has a prediction."""
    for total in count_outside(numbers).to_dict("records"):
        blocks = [
            Text(text=Phrase(f"{_outside_words(total)}.", strong=True)),
            Figure(f"{STEM}.svg", distance_words(distance_table(numbers))),
            Bullets(RULES),
            *_shares(numbers),
            *_coverage(numbers),
            *own_columns_sections(find_own_columns(numbers, paper.own_methods)),
            *_those_outside(paper, "Numbers that differ", numbers, Verdict.DIFFERS),
            *_those_outside(paper, "Numbers at the edge", numbers, Verdict.EDGE),
        ]
        return Document([], blocks, TITLE, [source])
    return None


def _outside_words(total: Row) -> str:
    words = (
        f"{total['count']} of {total['total']} published numbers lie outside ({_percent(total)} %"
    )
    words += f", {_interval(total)})" if not math.isnan(total["low"]) else ")"
    return (
        f"{words}, where chance gives 5 %: {total['differing']} differ and "
        f"{total['count'] - total['differing']} are at the edge. With the tolerance from the folds "
        f"of a single replicate {total['before']} would differ"
    )


def _shares(numbers: Numbers) -> list[Block]:
    by_method = count_outside(numbers, "item", "metric", "method")
    table = pd.concat([count_outside(numbers, "item"), by_method])
    columns: dict[str, Getter] = {
        **{"item": "{item:title}", "metric": "{metric}", "method": "{method}"},
        **{"numbers": "{total}", "outside": "{count}", "%": _percent, "95 % interval": _interval},
        **{"differ": "{differing}", "agree weakly": "{weak}"},
        "outside by the folds of one replicate": "{before}",
    }
    title = "Outside, by item, metric and method"
    return section(title, table.fillna({"metric": "", "method": ""}), columns, left=3)


def _coverage(numbers: Numbers) -> list[Block]:
    by_method = find_coverage(numbers, "metric", "method")
    table = pd.concat([find_coverage(numbers, "metric"), by_method])
    text = (
        "Each replicate is left out once and predicted from the others. 95 % of them should lie in "
        "the interval. Some published numbers are means over repeats. There the mean of each half "
        "of ours is predicted from the other half, so that the interval is of the same kind."
    )
    columns: dict[str, Getter] = {
        **{"metric": "{metric}", "method": "{method}", "predicted": "{total}"},
        **{"in the interval of the others, %": _percent, "95 % interval": _interval},
    }
    title = "How well the intervals predict a replicate"
    return section(title, table.fillna({"method": ""}), columns, text=text, left=2)


def _those_outside(paper: Paper, title: str, numbers: Numbers, verdict: Verdict) -> list[Block]:
    """Return the numbers of a verdict, those farthest away first."""
    outside = [c for c in judged(numbers) if c.verdict == verdict]
    rows = []
    for c in sorted(outside, key=lambda c: -abs(c.distance)):
        away = decimal(c.distance, 1, sign=True) if math.isfinite(c.distance) else "∞"
        remarks = (paper.remarks.get(name, "") for name in (c.dataset, c.method))
        row = place_of(c) | {"published": number(c.metric, c.published)}
        row |= {"reproduced": linked_number(c)}
        row["interval"] = " to ".join(number(c.metric, value) for value in (c.low, c.high))
        row |= {"standard deviations": away, "what is known": " ".join(filter(None, remarks))}
        rows.append(row)
    return section(title, rows, left=4)


def _percent(share: Row) -> str:
    return f"{100 * share['count'] / share['total']:.1f}" if share["total"] else BLANK


def _interval(share: Row) -> str:
    low, high = share["low"], share["high"]
    return BLANK if math.isnan(low) else f"{100 * low:.0f} to {100 * high:.0f} %"
