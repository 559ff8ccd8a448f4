"""A method at all points of a grid of its parameters (kind ``parameter_sweep``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.grids import grid_points
from retree_lab.experiments.planning.keys import canonical
from retree_lab.reports.context import Context, best_words, coverage_notes, protocol_sentence
from retree_lab.reports.document import Block, Bullets, Document, Entry, Text
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, blank_sentences, capitalized, number
from retree_lab.reports.kinds import FrameKind, refuse_nested
from retree_lab.reports.kinds.sweep_figures import MOST_PANELS, Panel, draw_panels
from retree_lab.reports.published import published_name
from retree_lab.reports.sections import entries_table
from retree_lab.reports.selection import OUTER, PLACE, Choice
from retree_lab.statistics.metrics import METRICS, find_metric, is_nested

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = dict[str, Any]
_BEST, _NESTED = "best_test", "nested"


class Swept(NamedTuple):
    """One method on one data set, at all points of its grid."""

    dataset: str
    method: Method
    points: Sequence[Point]  # In the order of the grid
    folds: pd.DataFrame  # The outer cells, in rows
    best: Choice
    nested: Choice | None  # What is chosen inside the training folds, if that was asked for

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The parameters of more than one value, with their values in the order of the grid."""
        values: dict[str, dict[str, Any]] = {}
        for point in self.points:
            for name, value in point.items():
                values.setdefault(name, {}).setdefault(canonical(value), value)
        return {name: [*axis.values()] for name, axis in values.items() if len(axis) > 1}

    @property
    def place(self) -> int | None:
        """The position of the best point in the grid."""
        return int(self.best.folds["point"].iloc[0]) if len(self.best.folds) else None

    @property
    def counts(self) -> Counter[int]:
        """The number of folds in which each point is chosen inside the training rows."""
        # A method of one point has nothing to choose.
        if self.nested is None or len(self.points) == 1:
            return Counter()
        return Counter(self.nested.folds["point"])

    def values(self, metric: str) -> pd.DataFrame:
        """Return a metric: a row for each fold, a column for each point; NaN where it is not done.

        A metric that no cell has gives no column.
        """
        values = find_metric(metric).of(self.folds).where(self.folds["status"] == "done")
        table = self.folds[[*PLACE, "point"]].assign(value=values)
        wide = table.pivot(index=PLACE, columns="point", values="value")
        return wide if values.notna().any() else wide.iloc[:, :0]


@dataclass(frozen=True, kw_only=True)
class ParameterSweep(FrameKind):
    """A table and a picture of each method on each data set over the points of its grid.

    The csv has a row for each metric and point: mean and standard deviation over the folds, how far
    the point lies behind the best one, paired by fold, and in how many folds it is the one that the
    training rows choose. A last row is of that choice.
    """

    shows_both: ClassVar[bool] = True
    metrics: tuple[str, ...] = ("accuracy", "depth", "leaves")

    def check(self, item: Item) -> None:
        """Refuse an item that does not ask for what is shown, test scores of all points."""
        refuse_nested(item)

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the rows."""
        rows = [
            row | {"published": _published(context, swept, row)}
            for swept in _swept(context)
            for metric in self.metrics
            for row in _rows(swept, metric)
        ]
        names = dict.fromkeys(name for row in rows for name in row["point"])
        lines = [{**row, **row.pop("point")} for row in (dict(row) for row in rows)]
        first, *rest = ("dataset method metric", "reproduced reproduced_std n_folds behind_best",
                        "behind_best_std published choice nested_folds params")  # fmt: skip
        columns = [*first.split(), *names, *" ".join(rest).split()]
        return pd.DataFrame(lines, columns=columns)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return a table for each method and data set, and what is chosen."""
        item, blocks = context.item, list[Block]()
        for swept in _swept(context):
            blocks += self._blocks(context, swept)
        sentences = [protocol_sentence(item.protocol, item.select), *coverage_notes(context)]
        sentences.append("± is the standard deviation over the folds.")
        if any(len(swept.points) > 1 for swept in _swept(context)):
            sentences.append(
                "Behind: how far a point lies behind the one with the "
                f"{best_words(item, 'mean test')}, as mean and standard deviation of the "
                "differences fold by fold."
            )
        return Document([*sentences, *blank_sentences([context.plan])], blocks)

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield a figure for each data set that has results over more than one point."""
        item, metric = context.item, self.metrics[0]
        for dataset in item.datasets:
            panels = [
                panel
                for swept in _swept(context)
                if swept.dataset == dataset and swept.axes
                for panel in _panels(context, swept, metric)
            ]
            if 0 < len(panels) <= MOST_PANELS:
                yield f"_{dataset}", draw_panels(item.label(dataset), find_metric(metric), panels)

    def _blocks(self, context: Context, swept: Swept) -> Iterator[Block]:
        metrics = [name for name in self.metrics if swept.values(name).size]
        title = f"{context.item.label(swept.dataset)}, {swept.method.name}"
        fixed = {n: v for n, v in swept.points[0].items() if n not in swept.axes}
        title += "".join(f", {name}={value}" for name, value in fixed.items())
        heads = [capitalized(find_metric(name).label) for name in metrics]
        several = len(swept.points) > 1 and bool(metrics)
        rows = list(zip(*(_rows(swept, name) for name in metrics), strict=True))
        lines = []
        for first, *others in rows:
            if first["choice"] == _NESTED:
                continue
            line: dict[str, Entry] = {
                name: str(first["point"].get(name, "")) for name in swept.axes
            } or {"folds": str(len(swept.values(self.metrics[0])))}
            for head, row in zip(heads, (first, *others), strict=True):
                line[head] = _mean(row["metric"], row["reproduced"], row["reproduced_std"])
            if several:
                behind = first["behind_best"], first["behind_best_std"]
                line |= {"behind": _mean(metrics[0], *behind), "chosen": _choice(first, swept)}
            lines.append(line)
        left = max(len(swept.axes), 1)
        yield entries_table(lines, left=left, title=title) if lines else Text(title)
        sentences = list(_sentences(context, swept, metrics)) if several else []
        if len(list(_panels(context, swept, self.metrics[0]))) > MOST_PANELS:
            sentences.append(f"No picture, since it would need more than {MOST_PANELS} panels.")
        yield Bullets(sentences)


def _swept(context: Context) -> Iterator[Swept]:
    """Yield the methods on the data sets that have cells."""
    item, frame = context.item, context.frame
    for dataset in item.datasets:
        for method in item.methods:
            mine = (frame["dataset"] == dataset) & (frame["method"] == method.key)
            folds, pair = frame[mine & (frame["inner"] == OUTER)], (dataset, method.key)
            if len(folds):
                points = grid_points(method, item, context.paper.grid)
                nested = context.nested.get(pair)
                yield Swept(dataset, method, points, folds, context.best[pair], nested)


def _rows(swept: Swept, metric: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each point, and one of the points that the training rows choose."""
    values, counts = swept.values(metric), swept.counts
    sign = 1 if find_metric(metric).smaller_is_better else -1
    about = {"dataset": swept.dataset, "method": swept.method.name, "metric": metric}
    for place in map(int, values.columns):
        here = values[place]
        is_done = here.notna().all()
        behind = sign * (here - values[swept.place]) if swept.place is not None else here * math.nan
        yield about | {
            "point": swept.points[place],
            **_spread("reproduced", here if is_done else here * math.nan),
            "n_folds": int(here.notna().sum()),
            **_spread("behind_best", behind if is_done else behind * math.nan),
            "choice": _BEST if place == swept.place and len(swept.points) > 1 else "",
            "nested_folds": counts[place] if counts else None,
            "params": canonical(swept.points[place]),
        }
    if counts and swept.nested is not None and values.size:
        here = find_metric(metric).of(swept.nested.folds)
        yield about | {
            "point": {},
            **_spread("reproduced", here),
            "n_folds": len(here),
            "choice": _NESTED,
            "params": swept.nested.params,
        }


def _published(context: Context, swept: Swept, row: Mapping[str, Any]) -> float:
    """Return the published value beside the best point, which it is of as a rule."""
    values = published_values(context, swept, row["metric"]) if row["choice"] == _BEST else iter(())
    return next((value for _, value in values), math.nan)


def _spread(name: str, values: pd.Series) -> dict[str, float]:
    return {name: values.mean(), f"{name}_std": values.std()}


def _mean(metric: str, mean: float, std: float) -> str:
    spread = "" if math.isnan(std) else f" ± {number(metric, std)}"
    return f"{number(metric, mean)}{spread}"


def _choice(row: dict[str, Any], swept: Swept) -> str:
    words = ["on the test rows"] if row["choice"] == _BEST else []
    n = row["nested_folds"]
    words += [f"in {n} of {swept.counts.total()} folds"] if n else []
    return ", ".join(words)


def _sentences(context: Context, swept: Swept, metrics: Sequence[str]) -> Iterator[str]:
    """Yield what is chosen on the test rows and inside the training rows, and what is published."""
    metric = metrics[0]
    label = find_metric(metric).label
    if swept.place is not None:
        best = swept.values(metric)[swept.place]
        point = point_text(swept.points[swept.place])
        yield (
            f"Chosen on the test rows, which is optimistic: {point}, "
            f"{label} {_mean(metric, best.mean(), best.std())}."
        )
    if swept.counts and swept.nested is not None:
        honest = find_metric(metric).of(swept.nested.folds)
        points = ", ".join(
            f"{point_text(swept.points[place])} ({n} of {swept.counts.total()} folds)"
            for place, n in swept.counts.most_common(3)
        )
        more = ", …" if len(swept.counts) > 3 else ""
        yield (
            f"Chosen inside the training folds: {label} "
            f"{_mean(metric, honest.mean(), honest.std())}, with {points}{more}."
        )
    for table, value in published_values(context, swept, metric):
        yield f"Published in {item_title(table)}: {label} {number(metric, value)}."


def published_values(context: Context, swept: Swept, metric: str) -> Iterator[tuple[str, float]]:
    """Yield the tables of the paper that have the metric of a method on a data set, and its value.

    Errors in per cent are of the same quantity as accuracies.
    """
    paper, measure = context.paper, find_metric(metric)
    names = {swept.method.name, published_name(swept.method), paper.names.get(swept.method.key, "")}
    label = paper.names.get(swept.dataset, swept.dataset)
    same = {m.name: m for m in METRICS.values() if m.column == measure.column and m.column}
    for name, other in {**same, metric: measure}.items():
        for table, value in (
            context.published.places(one, name).get(label, ("", None))
            for one in sorted(names - {""})
            if not is_nested(name) and name != "optimism"
        ):
            if value is not None:
                plain = (value.value - other.offset) / other.scale
                yield table, measure.offset + measure.scale * plain


def _panels(context: Context, swept: Swept, metric: str) -> Iterable[Panel]:
    """Yield the panels of a method: one for each combination of all but two parameters.

    These two are the ones of the most values.
    """
    values, axes = swept.values(metric), swept.axes
    if not values.size:
        return
    inside = sorted(axes, key=lambda name: -len(axes[name]))[:2]
    apart = [name for name in axes if name not in inside]
    several = len(context.item.methods) > 1
    leaves = swept.values("leaves")
    groups: dict[str, list[int]] = {}
    for place, point in enumerate(swept.points):
        fixed = {name: point[name] for name in apart}
        words = [swept.method.name] * several + ([point_text(fixed)] if apart else [])
        groups.setdefault(": ".join(words), []).append(place)
    honest = (
        find_metric(metric).of(swept.nested.folds).mean() if swept.counts and swept.nested else None
    )
    for title, places in groups.items():
        yield Panel(
            title=title,
            name=swept.method.name,
            axes={name: some for name, some in axes.items() if name in inside},
            points=[swept.points[place] for place in places],
            means=[values[place].mean(skipna=False) for place in places],
            stds=[values[place].std() for place in places],
            best=places.index(swept.place) if swept.place in places else None,
            shares=[swept.counts[place] / max(swept.counts.total(), 1) for place in places],
            # A tree has one leaf at least, so that a mean of one is one everywhere.
            roots=[bool(leaves.size) and leaves[place].mean() == 1 for place in places],
            honest=honest,
            published=[value for _, value in published_values(context, swept, metric)],
            n_folds=len(values),
        )


def point_text(point: Point) -> str:
    """Return a point in words: ``k=2, omega2=0.01``."""
    return ", ".join(f"{name}={value}" for name, value in point.items()) or BLANK
