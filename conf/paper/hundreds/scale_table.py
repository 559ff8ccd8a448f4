"""By which mean and deviation the training and the test file of a data set are standardised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree.datasets import load_dataset
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Table
from retree.reports.kind import FrameKind

_SLACK = 1e-4
_HEADER = ["data set", "mean in the training file", "deviation", "mean in the test file"]
_HEADER += ["deviation", "standardised"]
_LEGEND = (
    "The means are the largest of all features that vary, without sign; the deviations are their "
    "range. A file is standardised by itself if all its means are 0 and all its deviations 1."
)


@dataclass(frozen=True, kw_only=True)
class ScaleTable(FrameKind):
    """A row for each data set that has a test file."""

    def compare(self, context: Context) -> pd.DataFrame:
        """Return means and deviations of both files of each data set that is available."""
        item = context.item
        names = [name for name in item.datasets if name not in context.plan.unavailable]
        rows = [_row(name, item, context.experiment.sources) for name in names]
        columns = ["dataset", "train_mean", "train_low", "train_high", "test_mean", "test_low"]
        return pd.DataFrame(rows, columns=[*columns, "test_high", "standardised"])

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table."""
        lines = [
            [str(name), *_texts(*spreads[:3]), *_texts(*spreads[3:]), str(how)]
            for name, *spreads, how in rows.to_numpy().tolist()
        ]
        lost = [context.item.label(name) for name in context.plan.unavailable]
        sentences = [_LEGEND, *([f"Unavailable: {', '.join(lost)}."] if lost else [])]
        return Document([], [Table(_HEADER, lines), Bullets(sentences)])


def standardised(train: np.ndarray, test: np.ndarray) -> str:
    """Return which of two files have means of 0 and deviations of 1."""
    found = _is_standard(train), _is_standard(test)
    words = {
        (True, True): "each file by itself",
        (True, False): "the training file only",
        (False, True): "the test file only",
    }
    return words.get(found, "neither")


def _row(name: str, item: Item, sources: tuple[str, ...]) -> list[object]:
    data = load_dataset(name, sources=sources)
    X = data.X.to_numpy(dtype=np.float64)
    train, test = X[: -data.test_rows], X[-data.test_rows :]
    return [item.label(name), *_spread(train), *_spread(test), standardised(train, test)]


def _spread(X: np.ndarray) -> tuple[float, float, float]:
    """Return the largest mean without sign and the range of the deviations of what varies."""
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    deviations = X.std(axis=0, ddof=1)
    return float(np.abs(X.mean(axis=0)).max()), float(deviations.min()), float(deviations.max())


def _is_standard(X: np.ndarray) -> bool:
    mean, low, high = _spread(X)
    return mean < _SLACK and abs(low - 1) < _SLACK and abs(high - 1) < _SLACK


def _texts(mean: float, low: float, high: float) -> list[str]:
    return [f"{mean:.2f}", f"{low:.2f} to {high:.2f}"]
