"""Checks of estimator parameters that scikit-learn's public helpers do not have."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_scalar
from sklearn.utils.multiclass import check_classification_targets

# Raises unless the parameter of this name may have this value.
Check = Callable[[str, Any], object]
Ends = Literal["both", "left", "right", "neither"]

NO_LIMIT = np.iinfo(np.int64).max

# More classes than this, with fewer rows each, take a tree hours: y is then hardly a class.
_MANY_CLASSES, _FEW_ROWS = 2000, 10
MIXED_LABELS = (
    "y has strings and labels of other types, which cannot be sorted; turn all of them into "
    "strings."
)
_LEAST_CONFIDENCE = 2.0**-53
_MOST_THREADS = 2**31 - 1
_MOST_WEIGHT = 1e100  # its cube is a floating-point number, and so is that of its inverse


@contextmanager
def too_large(name: str) -> Iterator[None]:
    """Raise a ValueError where `name` is or contains a whole number too large for a float."""
    try:
        yield
    except OverflowError:
        raise ValueError(
            f"{name} is or contains a whole number above 1.8e308, the largest floating-point "
            "number: use a smaller one."
        ) from None


def depth_limit(max_depth: int | None) -> int:
    """Return `max_depth`, or `NO_LIMIT` for None."""
    return NO_LIMIT if max_depth is None else min(int(max_depth), NO_LIMIT)


def least_number(name: str, value: Any, total: float, least: int) -> int:
    """Return the number of rows that `value` means, which may be a fraction of all rows.

    `value`: a whole number of at least `least`; or a float in (0, 1), a fraction of `total`, which
    is rounded up as in scikit-learn, but to no less than `least`.
    """
    if isinstance(value, Integral):
        return min(int(check_scalar(value, name, Integral, min_val=least)), NO_LIMIT)
    check_scalar(value, name, Real)
    if not 0 < value < 1:
        raise ValueError(
            f"{name} == {value!r}, must be a whole number of at least {least}, or a fraction of "
            "the rows in (0, 1)."
        )
    return max(least, math.ceil(value * total))


def thread_count(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` means, as in joblib.

    None means 1, unless ``joblib.parallel_config`` sets more; -1 means one per processor.
    """
    bounds = {"min_val": -_MOST_THREADS, "max_val": _MOST_THREADS}
    if n_jobs is not None and check_scalar(n_jobs, "n_jobs", Integral, **bounds) == 0:
        raise ValueError("n_jobs must not be 0: use None or 1 for one thread, -1 for all.")
    return int(effective_n_jobs(n_jobs))


def check_threads(name: str, value: Any) -> None:
    """Raise unless `value` is a valid number of threads."""
    thread_count(value)


def check_choice(name: str, value: Any, valid: Collection[str | None]) -> None:
    """Raise a ValueError that lists the `valid` options unless `value` is one of them."""
    if value not in valid:
        options = ", ".join(repr(v) for v in valid)
        raise ValueError(f"Invalid {name} {value!r}. Valid ones are {options}.")


def check_weight(name: str, value: Any) -> float:
    """Return `value` as a float; raise unless it is finite and not negative."""
    weight = float(check_scalar(value, name, Real, min_val=0))
    if not math.isfinite(weight):
        raise ValueError(f"{name} must be finite, got {value!r}.")
    return weight


def check_confidence(name: str, value: Any) -> None:
    """Raise unless `value` is at most 0.5 and large enough that 1 - `value` is below 1."""
    check_weight(name, value)
    check_scalar(value, name, Real, min_val=_LEAST_CONFIDENCE, max_val=0.5)


def check_flag(name: str, value: Any) -> None:
    """Raise unless `value` is True or False."""
    check_scalar(value, name, (bool, np.bool_))


class one_of:
    """A check that a value is one of the `valid` values."""

    def __init__(self, *valid: str | None) -> None:
        self.valid = valid

    def __call__(self, name: str, value: Any) -> None:
        """Raise a ValueError that lists the valid values unless `value` is one of them."""
        check_choice(name, value, self.valid)


def check_mapping(name: str, value: Any) -> None:
    """Raise unless `value` is a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict of names and values, or None, got {value!r}.")


def whole(least: int, most: float = NO_LIMIT) -> Check:
    """Return a check for a whole number from `least` to `most`."""
    return lambda name, value: check_scalar(value, name, Integral, min_val=least, max_val=most)


def number(least: float | None = None, most: float | None = None, ends: Ends = "both") -> Check:
    """Return a check for a number from `least` to `most`; `ends` says which bounds are included."""

    def check(name: str, value: Any) -> None:
        check_scalar(value, name, Real, min_val=least, max_val=most, include_boundaries=ends)
        if math.isnan(value):
            raise ValueError(f"{name} is NaN; it must be a number.")

    return check


def rows_or_share(least: int) -> Check:
    """Return a check for a number of rows of at least `least`, or a fraction of rows in (0, 1)."""
    return lambda name, value: least_number(name, value, 1.0, least)


def none_or(check: Check) -> Check:
    """Return a check that also accepts None."""
    return lambda name, value: None if value is None else check(name, value)


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Return the weights as an array of shape (n_samples,), ones for None."""
    if sample_weight is None:
        return np.ones(n_samples)
    how: dict[str, Any] = {"ensure_2d": False, "dtype": np.float64, "order": "C"}
    with too_large("sample_weight"):
        weight: NDArray[np.float64] = check_array(sample_weight, input_name="sample_weight", **how)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; it must be one weight per row, "
            f"({n_samples},)."
        )
    if (weight < 0).any():
        raise ValueError("Negative values in sample_weight; weights must be 0 or more.")
    if not weight.any():
        raise ValueError("All sample weights are zero; at least one row needs a weight.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not 1 / _MOST_WEIGHT <= total <= _MOST_WEIGHT:
        raise ValueError(
            f"The sample weights sum to {total:g}: multiply them by a constant, so that the sum is "
            f"between {1 / _MOST_WEIGHT:g} and {_MOST_WEIGHT:g}."
        )
    return weight


def encode_classes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted class labels and the code of each row's class.

    Shapes: `labels` (n_samples,).
    """
    classes, codes = _encode(labels)
    if len(classes) > _MANY_CLASSES and len(codes) < _FEW_ROWS * len(classes):
        raise ValueError(
            f"y has {len(classes):,} classes in {len(codes):,} rows, fewer than {_FEW_ROWS} rows "
            "per class. If it holds numbers to predict, use CartRegressor; otherwise merge rare "
            "classes."
        )
    return classes, codes


def refuse_missing_labels(labels: Any) -> None:
    """Raise if labels or targets are missing in an array or a column of pandas.

    scikit-learn cannot check pandas strings for missing values, and does not count missing labels.
    """
    if not isinstance(labels, np.ndarray | pd.Series | pd.Categorical):
        return
    if n_missing := np.count_nonzero(pd.isna(labels)):
        raise ValueError(
            f"Input y contains NaN: {n_missing} of {len(labels)} labels are missing; leave their "
            "rows out."
        )


def plain_labels(labels: Any) -> Any:
    """Convert a pandas column to the same array as scikit-learn does, in half the time."""
    dtype = getattr(labels, "dtype", None)
    is_plain = isinstance(dtype, np.dtype | pd.StringDtype | pd.CategoricalDtype)
    return np.asarray(labels) if is_plain and isinstance(labels, pd.Series) else labels


def are_plain(labels: Any, kinds: str) -> bool:
    """Return whether labels are a one-dimensional array whose dtype has one of these kinds."""
    is_array = type(labels) is np.ndarray and labels.ndim == 1
    return is_array and labels.dtype.kind in kinds and len(labels) > 0


def _encode(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if labels.dtype == object:
        # Strings are hashed: sorting every one of them takes longer than growing many a tree.
        codes, classes = pd.factorize(labels)
        if (codes < 0).any():
            refuse_missing_labels(labels)
        are_texts = {isinstance(label, str) for label in classes}
        if are_texts == {True}:
            order = np.argsort(classes)
            return classes[order], np.argsort(order)[codes].astype(np.int32)
        if True in are_texts:
            raise TypeError(MIXED_LABELS)
    if labels.dtype.kind not in "biu":
        check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def declared_classes(labels: Any) -> list[Any]:
    """Return the classes that a category type declares, in its order; none for other types."""
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
    """Add a class without rows; return the sorted classes and the codes of the rows."""
    if label in set(classes.tolist()):
        return classes, codes
    if isinstance(label, str) != isinstance(classes[0], str):
        raise TypeError(MIXED_LABELS)
    place = int(np.searchsorted(classes, label))
    return np.insert(classes, place, label), codes + (codes >= place).astype(np.int32)


def declared_order(classes: NDArray[Any], declared: list[Any]) -> NDArray[np.intp] | None:
    """Return the positions of the declared classes among the sorted ones, None if in that order.

    Shapes: `classes` (n_classes,), result (n_classes,).
    """
    places = {label: place for place, label in enumerate(classes.tolist())}
    order = np.array([places[label] for label in declared if label in places], np.intp)
    return None if (order[:-1] < order[1:]).all() else order
