"""Checking the training data of estimators, with switches for what a family takes.

Class weights are applied and missing values are filled in here, if the parameters ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from retree.trees.categories import (
    Levels,
    as_table,
    column_types,
    encode_levels,
    find_levels,
    nominal_mask,
    plain_numbers,
)
from retree.trees.declaring import Declared
from retree.trees.row_weights import ClassWeight, exact_weights, weigh_classes
from retree.trees.rows import (
    ENCODE,
    Filling,
    fill_values,
    filled,
    input_names,
    is_checked,
    lack_infinite,
    refuse_missing,
    refuse_times,
    reject_nonnumeric_columns,
    take_names,
)
from retree.trees.validation import (
    are_plain,
    check_weights,
    declared_classes,
    declared_order,
    encode_classes,
    plain_labels,
    refuse_missing_labels,
    too_large,
    with_class,
)

if TYPE_CHECKING:
    from retree.trees.export.describe import Names


class Sample(NamedTuple):
    """Training rows in the form that growing and pruning functions take."""

    # Numbers, or level codes in categorical columns; NaN where missing; shape (n_samples,
    # n_features).
    X: NDArray[np.float64]
    # Class codes (int32), or the targets of a regression (float64); shape (n_samples,).
    y: NDArray[Any]
    weight: NDArray[np.float64]  # Positive; shape (n_samples,)
    # How often a row counts where C4.5 asks for a number of rows, whatever its weight: in a bag,
    # how often it was drawn. None: once; shape (n_samples,).
    times: NDArray[np.int32] | None = None
    # The rows one by one, as a bag drew them, for a family that grows on rows in their order.
    drawn: NDArray[np.int32] | None = None
    shared: Any = None  # What `GrowsTree.share` makes of all rows

    def take(self, rows: NDArray[Any]) -> Sample:
        """Return the sample of some `rows`, a mask or row numbers, without its `shared` data."""
        rows = np.asarray(rows)
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        times = None if self.times is None else self.times[rows]
        return Sample(self.X.take(rows, axis=0), self.y[rows], self.weight[rows], times)

    def with_weight(self) -> Sample:
        """Return the sample of the rows of positive weight; itself if all rows have one."""
        kept = self.weight > 0
        return self if kept.all() else self.take(kept)

    def with_mean_weight(self) -> Sample:
        """Return the sample with weights scaled to mean 1 if their mean is less; else itself."""
        mean = self.weight.mean()
        return self if mean >= 1 else self._replace(weight=self.weight / mean)


class MixedInput(Declared):
    """Checks data with categorical and numeric columns and missing values.

    Attributes
    ----------
    n_features_in_ : int
        Number of features seen in `fit`.
    """

    categorical_features: Any = None
    class_weight: ClassWeight = None
    fill_missing: Filling | None = None
    classes_: NDArray[Any]
    categories_: list[Levels]
    fill_values_: NDArray[np.float64]
    _n_declared: int  # classes
    # The place among ``classes_`` of each column of a tree's counts; None if they are the same.
    _class_order: NDArray[np.intp] | None = None
    n_features_in_: int

    @property
    def _takes_categories(self) -> bool:
        return self.contract.categories

    @property
    def _knows_first_class(self) -> bool:
        return self.contract.knows_first_class

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes = self._takes_categories
        tags.input_tags.allow_nan = self.contract.missing or self.fill_missing is not None
        tags.input_tags.categorical = takes
        tags.input_tags.string = takes and self.categorical_features is not None
        return tags

    @property
    def n_levels(self) -> NDArray[np.int32]:
        """Number of levels of each categorical column, -1 for a numeric column."""
        levels = self.categories_ if self._takes_categories else [None] * self.n_features_in_
        return np.array([-1 if c is None else len(c) for c in levels], np.int32)

    def checked_sample(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Sample:
        """Check training data, set classes and levels, and return the rows of positive weight."""
        labels = self._labels(y)
        rows = self._numbers(X, reset=True)
        check_consistent_length(rows, labels)
        weight = check_weights(sample_weight, len(rows))
        if self.contract.classes:
            classes, targets = encode_classes(labels)
            weight = weigh_classes(weight, self.class_weight, classes, targets)
            targets = self._take_classes(classes, targets, declared_classes(y))
        else:
            with too_large("y"):
                targets = labels.astype(np.float64)
        sample = Sample(rows, targets, weight).with_weight()
        if self.contract.weights == "exact":
            sample = self.exact(sample.with_mean_weight())
        sample = self._filled(sample)
        if self.contract.weights == "scaled":
            sample = sample.with_mean_weight()
        return sample

    def _take_classes(
        self, classes: NDArray[Any], codes: NDArray[np.int32], declared: list[Any]
    ) -> NDArray[np.int32]:
        """Set the classes and their order; return the codes of the rows in that order."""
        if declared and self._knows_first_class:
            classes, codes = with_class(declared[0], classes, codes)
        self.classes_, self._n_declared = classes, max(len(classes), len(declared))
        self._class_order = declared_order(classes, declared)
        return self.ordered(codes)

    @property
    def class_order_(self) -> NDArray[Any]:
        """Class labels in the order of a tree's columns of counts; the first of tied classes wins.

        It is the order in which the category type of y declares them, or that of ``classes_`` if y
        has no category type.
        """
        check_is_fitted(self)
        return self.classes_ if self._class_order is None else self.classes_[self._class_order]

    def ordered(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Convert positions in ``classes_`` to positions in ``class_order_``."""
        if self._class_order is None:
            return codes
        return np.argsort(self._class_order).astype(codes.dtype)[codes]

    def _by_class(self, values: NDArray[Any]) -> NDArray[Any]:
        """Reorder the last axis of `values` from ``class_order_`` to ``classes_``."""
        return values if self._class_order is None else values[..., np.argsort(self._class_order)]

    def _class_names(self, names: Names | None) -> Any:
        """Return `names` of the classes, by default labels, in the order of ``class_order_``."""
        if names is None:
            return self.class_order_ if self.contract.classes else None
        if self._class_order is None or len(names) != len(self.classes_):
            return names
        return [names[k] for k in self._class_order.tolist()]

    def exact(self, sample: Sample) -> Sample:
        """Return the sample with exact weights, if the estimator takes exact weights."""
        if self.contract.weights != "exact":
            return sample
        return sample._replace(weight=exact_weights(sample.weight)).with_weight()

    def _filled(self, sample: Sample) -> Sample:
        """Set ``fill_values_`` and return the filled sample, if missing values are filled in."""
        self.__dict__.pop("fill_values_", None)
        if self.fill_missing is None:
            return sample
        is_nominal = self.n_levels >= 0
        self.fill_values_ = fill_values(sample.X, sample.weight, is_nominal, self.fill_missing)
        empty = np.flatnonzero(np.isnan(self.fill_values_))
        if len(empty) and not self.contract.missing:
            names = [input_names(self)[j] for j in empty]
            raise ValueError(f"Columns {names} have no value to fill in: leave them out.")
        return sample._replace(X=filled(sample.X, self.fill_values_))

    def checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for."""
        levels = vars(self).get("categories_", ())
        if is_checked(X, self) and all(each is None for each in levels):
            return X
        check_is_fitted(self)
        rows = self._numbers(X)
        return rows if self.fill_missing is None else filled(rows, self.fill_values_)

    def _labels(self, y: Any) -> NDArray[Any]:
        """Return checked class labels or targets, shape (n_samples,)."""
        labels = plain_labels(y)
        # Of strings and whole numbers scikit-learn checks no more than encoding does, but slower.
        if are_plain(labels, "biuO" if self.contract.classes else "biu"):
            return labels
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        refuse_missing_labels(y)
        labels = column_or_1d(labels, warn=True)
        how: dict[str, Any] = {"ensure_2d": False, "dtype": None, "input_name": "y"}
        return check_array(labels, estimator=self, **how)

    def _numbers(self, X: Any, *, reset: bool = False) -> NDArray[np.float64]:
        """Return rows as numbers; `reset` marks training rows."""
        with too_large("X"):
            rows = self._validated(X, reset)
        if not self.contract.missing and self.fill_missing is None:
            refuse_missing(self, rows)
        return self._coded(rows)

    def _validated(self, X: Any, reset: bool) -> Any:
        """Return rows with level codes after scikit-learn's checks."""
        table = as_table(X)
        X = self._encoded(table, reset) if self._takes_categories else plain_numbers(table)
        refuse_times(X)
        if reset or not self._takes_categories:
            fix = "name them in categorical_features, or make them numbers"
            reject_nonnumeric_columns(X, fix if self._takes_categories else ENCODE)
        how: dict[str, Any] = {
            "dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"
        }  # fmt: skip
        if type(X) is np.ndarray and X.ndim == 2:
            # An array is checked in a fifth of the time of the frame that it was.
            if not (reset and take_names(self, table)):
                validate_data(self, table, reset=reset, skip_check_array=True)
            # scikit-learn's check of finite numbers takes a tenth of a small fit.
            return X if lack_infinite(X) else check_array(X, input_name="X", estimator=self, **how)
        return validate_data(self, X, reset=reset, **how)

    def _encoded(self, X: Any, reset: bool) -> Any:
        """Return a table with level codes in its categorical columns; `reset` finds the levels."""
        if reset:
            self.categories_ = []
        # Of what is no table of columns scikit-learn's own check says what is wrong.
        if not _is_encodable(X):
            return X
        types = column_types(X)
        if reset:
            mask = nominal_mask(X, self.categorical_features, types)
            self.categories_ = find_levels(X, mask, types)
        is_known = X.shape[1] == len(self.categories_)
        return encode_levels(X, self.categories_, types) if is_known else X

    def _coded(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the columns that a tree tests, computed from rows with level codes."""
        return rows


def _is_encodable(X: Any) -> bool:
    """Return whether `X` is a table; if not, scikit-learn's check says why."""
    if sparse.issparse(X):
        return False
    return isinstance(X, pd.DataFrame) or (isinstance(X, np.ndarray) and X.ndim == 2)


_MOST_ROWS = 2**31


def repeated_rows(sample: Sample, estimator: Any) -> Sample:
    """Return rows of weight 1, each repeated as often as its weight says."""
    weight = sample.weight
    if (weight == 1).all():
        return sample
    if weight.sum() > _MOST_ROWS:
        raise ValueError(
            f"The sample weights sum to {weight.sum():g} rows, more than 2^31: use smaller weights."
        )
    times = weight.astype(np.int64)
    if (times != weight).any():
        raise ValueError(
            f"{type(estimator).__name__} counts rows, so sample weights must be whole numbers: "
            "round them to multiples of a unit and divide them by it."
        )
    repeated = sample.take(np.repeat(np.arange(len(times)), times))
    return repeated._replace(weight=np.ones(len(repeated.y)))
