"""What a fair tree gives up for fairness, as the weight of fairness rises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from retree.datasets import load_dataset
from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.figures import bare_spines, legend_below, line_style, new_figure
from retree.reports.kind import FrameKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_THETA = "theta"


@dataclass(frozen=True, kw_only=True)
class FairnessCurve(FrameKind):
    """A panel for each sensitive feature: how well scores tell the class, by how fair they are.

    The item varies theta on one data set of two classes, whose trees are kept (protocol whole).
    Both axes are about the share of the last class in the leaf of each row: the AUC for the class,
    and the parity ``1 - 2 * |AUC - 1/2|`` for the value of the sensitive feature that the scores
    tell best from all others. 1 is fair.
    """

    chooses = False

    # By the title of its panel, how the indicator columns of a sensitive feature begin.
    sensitive: Mapping[str, str]
    lines: Mapping[str, str]  # The methods (keys) and what their lines are called

    def check(self, item: Item) -> None:
        """Refuse an item of other than one data set, or that keeps no trees or varies no theta."""
        if len(item.datasets) != 1 or not item.protocol.whole:
            raise RetreeError(f"{item.name} needs one data set and protocol: whole.")
        if not isinstance(item.vary, Mapping) or list(item.vary) != [_THETA]:
            raise RetreeError(f"{item.name} draws theta; give it vary: {{theta: [VALUES]}}.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the AUC of the class, accuracy and parities by method and theta."""
        name = context.item.datasets[0]
        if name in context.plan.unavailable:
            return pd.DataFrame()
        dataset = load_dataset(name, sources=context.experiment.sources)
        X = np.ascontiguousarray(dataset.X.to_numpy(np.float64))
        is_last = dataset.y.to_numpy(str) == np.unique(dataset.y.to_numpy(str))[-1]
        groups = {
            title: [dataset.X[c].to_numpy() > 0 for c in dataset.X if str(c).startswith(start)]
            for title, start in self.sensitive.items()
        }
        rows = []
        for cell in context.frame.sort_values(["method", "point"]).to_dict("records"):
            if cell["status"] == "done":
                tree = context.stored.tree(cell["key"])
                scores = tree.value[tree.apply(X), 1]
                rows.append({
                    "method": cell["method"],
                    _THETA: json.loads(cell["params"])[_THETA],
                    "auc": roc_auc_score(is_last, scores),
                    "accuracy": cell["accuracy"],
                    "leaves": tree.n_leaves,
                    **{f"parity_{t}": parity(scores, values) for t, values in groups.items()},
                })  # fmt: skip
        return pd.DataFrame(rows)

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no results."""
        if len(rows):
            yield "", _figure(self, rows)


def parity(scores: NDArray[np.float64], groups: list[NDArray[np.bool_]]) -> float:
    """Return the strong demographic parity of `scores` towards the worst of `groups`.

    Shapes: `scores` (n_samples,), `groups` (n_samples,).
    `groups`: masks of the rows of each value of a sensitive feature.
    """
    return 1 - 2 * max(abs(float(roc_auc_score(group, scores)) - 0.5) for group in groups)


def _figure(kind: FairnessCurve, rows: pd.DataFrame) -> Figure:
    figure = new_figure(2.9)
    panels: Any = figure.subplots(1, len(kind.sensitive), sharey=True, squeeze=False)[0]
    for axes, title in zip(panels, kind.sensitive, strict=True):
        for number, (key, label) in enumerate(kind.lines.items()):
            line = rows[rows["method"] == key]
            axes.plot(line[f"parity_{title}"], line["auc"], label=label, **line_style(number))
            _name_ends(axes, line, f"parity_{title}", first=number == 0)
        axes.set_title(title)
        axes.set_xlabel(f"parity towards {title} (1 is fair)")
        bare_spines(axes)
    panels[0].set_ylabel("AUC of the class")
    legend_below(figure, panels[0].get_legend_handles_labels()[0], ncols=len(kind.lines))
    return figure


def _name_ends(axes: Axes, line: pd.DataFrame, column: str, *, first: bool) -> None:
    """Write theta beside the last point of a line that has splits, and perhaps beside the first."""
    grown = line[line["leaves"] > 1]
    for row in (grown.iloc[: int(first)], grown.iloc[-1:]):
        for x, y, value in zip(row[column], row["auc"], row[_THETA], strict=True):
            axes.annotate(f"{value:g}", (x, y), (3, 3), textcoords="offset points")
