"""The order in which a category type declares classes: it decides ties, as the header in Weka."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.trees.validation import MIXED_LABELS


def declared_classes(labels: Any) -> list[Any]:
    """Return the classes that a category type declares, in its order; none of another type."""
    if isinstance(labels, pd.DataFrame) and labels.shape[1] == 1:
        labels = labels.iloc[:, 0]
    dtype = getattr(labels, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype):
        return np.asarray(dtype.categories).tolist()
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(dtype, polars.Enum):
        return dtype.categories.to_list()
    return []


def with_class(
    label: Any, classes: NDArray[Any], codes: NDArray[np.int32]
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted classes with one more, which has no rows, and the codes among them."""
    if label in set(classes.tolist()):
        return classes, codes
    if isinstance(label, str) != isinstance(classes[0], str):
        raise TypeError(MIXED_LABELS)
    place = int(np.searchsorted(classes, label))
    return np.insert(classes, place, label), codes + (codes >= place).astype(np.int32)


def declared_order(classes: NDArray[Any], declared: list[Any]) -> NDArray[np.intp] | None:
    """Return the places of the declared classes among the sorted ones, None if they are sorted.

    Shapes: `classes` (n_classes,), result (n_classes,).
    """
    places = {label: place for place, label in enumerate(classes.tolist())}
    order = np.array([places[label] for label in declared if label in places], np.intp)
    return None if (order[:-1] < order[1:]).all() else order
