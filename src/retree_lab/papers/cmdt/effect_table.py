"""Contrasts between groups of methods as effects over the data sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.compare_items import over_sets
from retree_lab.reports.comparison import Comparison, comparison_table
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell, number_cell
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    legend_below,
    new_figure,
)
from retree_lab.reports.fold_values import find_numbers
from retree_lab.reports.formatting import BLANK, agreement_sentence, number, verdict_legend
from retree_lab.reports.kinds import Kind
from retree_lab.reports.published import NOTHING
from retree_lab.reports.runs import FEWEST, Run
from retree_lab.reports.selection import choose
from retree_lab.statistics import JUDGED, Effect, cohen_d_z, mean_difference, win_tie_loss
from retree_lab.statistics.intervals import Prediction, predict
from retree_lab.statistics.metrics import find_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLACE = ["dataset", "repeat", "fold"]


@dataclass(frozen=True)
class Groups:
    """A contrast as an item defines it: its name, and the keys of the methods of both groups."""

    name: str
    of: tuple[str, ...]
    than: tuple[str, ...]


@dataclass(frozen=True)
class Contrast:
    """The values of a contrast."""

    key: str  # What the item calls it: its key, and its label in tables
    name: str
    # Mean value of each group of methods by data set, of the data sets that have all folds of all
    # methods.
    of: pd.Series
    than: pd.Series
    by_place: pd.Series  # The differences by (data set, repeat, fold)
    methods: tuple[str, ...]  # The names of the methods of both groups

    @property
    def differences(self) -> pd.Series:
        """The contrast by data set."""
        return self.of - self.than

    @property
    def by_fold(self) -> pd.Series:
        """Mean of the differences over the data sets, by (repeat, fold)."""
        return self.by_place.groupby(["repeat", "fold"]).mean()


def find_contrasts(
    item: Item, groups: Mapping[str, Groups], frame: pd.DataFrame, metric: str
) -> list[Contrast]:
    """Return the contrasts between `groups` of the item's methods.

    `frame`: results of the item, of one point of the grid or more, of which the best is taken.
    """
    values = _values(item, frame, metric)
    return [
        _contrast(key, contrast, values, item)
        for key, contrast in groups.items()
        if {*contrast.of, *contrast.than} <= set(values.columns)
    ]


def _values(item: Item, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the values by (dataset, repeat, fold) and method."""
    measure = find_metric(metric).of
    choices = choose(frame, item.chosen_on_test)
    columns = {}
    for key in (method.key for method in item.methods):
        pairs = ((d, choices.get((d, key))) for d in item.datasets)
        if values := {d: measure(c.folds) for d, c in pairs if c and len(c.folds)}:
            columns[key] = pd.concat(values)
    return pd.DataFrame(columns).rename_axis(_PLACE) if columns else pd.DataFrame()


def _contrast(key: str, groups: Groups, values: pd.DataFrame, item: Item) -> Contrast:
    names = {method.key: method.name for method in item.methods}
    pair = (groups.of, groups.than)
    of, than = (values[list(keys)].mean(axis=1, skipna=False) for keys in pair)
    is_known = (of - than).notna().groupby("dataset", sort=False).all()
    kept = is_known[is_known].index
    of, than = (side[side.index.isin(kept, level="dataset")] for side in (of, than))
    return Contrast(
        key,
        groups.name,
        of.groupby("dataset", sort=False).mean(),
        than.groupby("dataset", sort=False).mean(),
        of - than,
        tuple(names[key] for key in dict.fromkeys((*groups.of, *groups.than))),
    )


GAIN, METRIC = "accuracy_gain_pct", "accuracy_pct"
_LEVEL = 0.95
_LEGEND = [
    "A contrast is the mean of one group of methods minus the mean of another, averaged over the "
    "data sets. It is judged by the interval expected of the published mean, see below.",
    "The 95 % interval treats the data sets as a random sample (Student's t over their "
    "differences). d_z is the mean difference over its standard deviation between data sets, with "
    "the interval of the noncentral t. Wins, ties and losses count data sets.",
]
_REPEATS = "Single repeats: the lowest and the highest value in any repeat of the cross-validation."
# Each contrast, and its mean over the data sets beside the published one.
Effects = Sequence[tuple[Contrast, Comparison]]


@dataclass(frozen=True, kw_only=True)
class EffectTable(Kind[Effects]):
    """A row for each contrast between two groups of methods, and a figure."""

    contrasts: Mapping[str, Groups]

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The difference of accuracies."""
        return (GAIN,)

    def method_keys(self) -> Iterable[str]:
        """Return the methods of all groups."""
        return {key for groups in self.contrasts.values() for key in (*groups.of, *groups.than)}

    def compare(self, context: Context) -> Effects:
        """Return the contrasts with their means over the data sets."""
        contrasts = find_contrasts(context.item, self.contrasts, context.frame, METRIC)
        means = context.judge(_mean(context, contrast) for contrast in contrasts)
        return list(zip(contrasts, means, strict=True))

    def comparisons(self, context: Context, rows: Effects) -> Sequence[Comparison]:
        """Return the means by contrast (as method), and then each data set."""
        return _comparisons(rows)

    def tables(self, rows: Effects) -> Mapping[str, pd.DataFrame]:
        """Return the means and each data set."""
        return {"": comparison_table(_comparisons(rows))}

    def document(self, context: Context, rows: Effects) -> Document:
        """Return the table of contrasts."""
        means = [mean for _, mean in rows]
        repeated = any(mean.runs for mean in means)
        legend = [*_LEGEND, *([_REPEATS] * repeated)]
        legend += [agreement_sentence(means), *verdict_legend(means)]
        header = ["contrast", "points (published)", *(["single repeats"] * repeated)]
        header += ["95 % interval over data sets", "expected of the published mean"]
        header += ["d_z", "wins/ties/losses"]
        numbers = find_numbers(context.item, context.best, METRIC)
        lines = [_line(*row, numbers, repeated=repeated) for row in rows]
        return Document(introduction(context), [Table(header, lines), Bullets(legend)])

    def draw(self, context: Context, rows: Effects) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no results."""
        if rows:
            yield "", _figure([c for c, _ in rows], [mean for _, mean in rows])


def _comparisons(rows: Effects) -> list[Comparison]:
    singles = [
        Comparison(
            *(str(d), c.name, GAIN, float(v), math.nan, NOTHING, len(c.by_fold), "{}"),
            method_key=c.key,
            item=mean.item,
        )
        for c, mean in rows
        for d, v in c.differences.items()
    ]
    return [*(mean for _, mean in rows), *singles]


def _mean(context: Context, contrast: Contrast) -> Comparison:
    printed = context.find_published(MEAN, contrast.name, GAIN)
    n_sets, n_folds, n_all = len(contrast.of), len(contrast.by_fold), context.n_datasets
    ours = float(contrast.differences.mean()) if n_sets else math.nan
    std = float(contrast.by_fold.std()) if n_folds > 1 else math.nan
    reason = "" if n_sets == n_all else f"mean over {n_sets} of {n_all} data sets"
    mean = Comparison(
        *(MEAN, contrast.name, GAIN, ours, std, printed, n_folds, "{}", reason),
        method_key=contrast.key,
        item=context.item.name,
        is_comparable=not reason,
    )
    runs = contrast.by_fold.groupby("repeat").mean().tolist()
    if reason or len(runs) < FEWEST:
        return mean
    run, ours_only = Run(GAIN, tuple(runs), (math.nan,) * len(runs), 1), context.paper.our_data
    mean = replace(mean, run=run)
    if others := [float(v) for d, v in contrast.differences.items() if d in ours_only]:
        expected = [_expected(runs) for d, runs in _by_set(contrast) if d not in ours_only]
        return over_sets(mean, expected, others)
    return replace(mean, prediction=_expected(runs))


def _by_set(contrast: Contrast) -> Iterator[tuple[str, list[float]]]:
    """Yield each data set with the mean of each repeat of the protocol on it."""
    for dataset, values in contrast.by_place.groupby("dataset", sort=False):
        yield str(dataset), values.groupby("repeat").mean().tolist()


def _expected(runs: Sequence[float]) -> Prediction:
    """Return the expected mean of as many repeats as there are."""
    return predict(runs, averaged=len(runs))


def _line(
    contrast: Contrast,
    mean: Comparison,
    numbers: Mapping[tuple[str, str], Comparison],
    *,
    repeated: bool,
) -> list[Entry]:
    sources = [numbers[d, name] for d in contrast.of.index for name in contrast.methods]
    a, b = contrast.of.to_numpy(), contrast.than.to_numpy()
    gain, d_z = mean_difference(a, b, level=_LEVEL), cohen_d_z(a, b, level=_LEVEL)
    texts = [
        *([_over_repeats(mean)] * repeated),
        _interval(gain),
        _ends(mean.low, mean.high),
        f"{d_z.estimate:.2f} {_interval(d_z)}".replace("-", "−"),
        str(win_tie_loss(a, b)),
    ]
    made_of = (TableCell(text, sources=sources) for text in texts)
    return [contrast.name, number_cell(replace(mean, sources=tuple(sources))), *made_of]


def _over_repeats(mean: Comparison) -> str:
    """Return the lowest and the highest mean of a repeat of the protocol, if it has several."""
    if not mean.runs:
        return BLANK
    low, high = (number(GAIN, value, sign=True) for value in (min(mean.runs), max(mean.runs)))
    return f"{low} to {high}"


def _interval(effect: Effect) -> str:
    return _ends(effect.low, effect.high)


def _ends(low: float, high: float) -> str:
    if math.isnan(low):
        return BLANK
    return f"[{number(GAIN, low, sign=True)}, {number(GAIN, high, sign=True)}]"


def _figure(contrasts: Sequence[Contrast], means: Sequence[Comparison]) -> Figure:
    figure = new_figure(0.25 * len(contrasts) + 1.2)
    axes = figure.subplots()
    for place, (contrast, mean) in enumerate(zip(contrasts, means, strict=True)):
        _draw(axes, place, contrast, mean)
    axes.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    label_rows(axes, [c.name for c in contrasts])
    axes.set_xlabel("difference in percentage points")
    bare_spines(axes)
    handles, labels = axes.get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    legend_below(figure, list(named.values()), ncols=2)
    return conclude(figure, *_words(contrasts, means))


def _words(contrasts: Sequence[Contrast], means: Sequence[Comparison]) -> tuple[str, str]:
    """Return how many published means lie above the intervals, and all means."""
    above, words = 0, []
    measured = [
        pair for pair in zip(contrasts, means, strict=True) if not math.isnan(pair[1].published)
    ]
    for contrast, mean in measured:
        effect = mean_difference(contrast.of, contrast.than, level=_LEVEL)
        above += mean.published > effect.high
        published = number(GAIN, mean.published, sign=True)
        words.append(f"{contrast.name}: {number(GAIN, effect.estimate, sign=True)}, {published}")
    finding = f"{above} of {len(measured)} published gains lie above the interval of ours"
    if not any(mean.verdict in JUDGED for mean in means):
        finding = "Mean gains on our data sets, next to the published ones on others"
    return finding, f"Mean differences in points, ours and published. {'; '.join(words)}"


def _draw(axes: Axes, place: int, contrast: Contrast, mean: Comparison) -> None:
    values = contrast.differences.to_numpy()
    level = np.full(len(values), float(place))
    axes.plot(values, level, "o", color="0.55", markersize=2.6, markerfacecolor="none",
              label="one data set")  # fmt: skip
    effect = mean_difference(contrast.of, contrast.than, level=_LEVEL)
    axes.plot([effect.low, effect.high], [place, place], color=COLOURS[0], linewidth=2,
              label="95 % interval of the mean")  # fmt: skip
    axes.plot(
        effect.estimate,
        place,
        "D",
        color=COLOURS[0],
        markersize=3.6,
        label="mean over the data sets",
    )
    if not math.isnan(mean.published):
        axes.plot(mean.published, place, "x", color=COLOURS[1], markersize=5,
                  markeredgewidth=1.4, label="published mean")  # fmt: skip
