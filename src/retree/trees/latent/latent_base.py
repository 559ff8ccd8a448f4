"""What the latent trees share: checked and coded data, and fitting with a base learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from retree import engine
from retree.trees.base import BaseTreeClassifier
from retree.trees.categories import Levels, encode_levels, find_levels, nominal_mask
from retree.trees.class_weights import weigh_classes
from retree.trees.coding import ONE_HOT, ORDINAL, code_columns, coded_columns, coded_names
from retree.trees.latent.base_learner import checked_learner
from retree.trees.latent.latent_growing import Pool
from retree.trees.mixed import Sample
from retree.trees.rows import complete_rows, is_checked, reject_nonnumeric_columns
from retree.trees.smoothing import check_smoothing
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weights, encode_classes

_NO_LEVEL = -1.0


class BaseLatentTreeClassifier(BaseTreeClassifier, ABC):
    """What the latent trees share: data, and fitting with a base learner."""

    estimator: BaseTreeClassifier | None
    coding: str | None
    categories_: list[Levels]
    _tests_levels = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = self.coding is not None
        return tags

    def parts(self) -> dict[str, Any]:
        """Return the estimator that the tree is grown with, C4.5 for None."""
        return {"estimator": checked_learner(self.estimator)}

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_unlabelled: ArrayLike | None = None,
    ) -> BaseLatentTreeClassifier:
        """Find the latent features, grow the tree and prune it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing; with `coding`, columns of a pandas category type too.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; rows of weight 0 are left out. Weights of a mean below 1 are
            scaled to a mean of 1.
        X_unlabelled : array-like of shape (n_unlabelled, n_features) or None, default=None
            Further rows to find the latent features from, such as those to predict for, with a
            weight of 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        TypeError
            If a parameter is of another type.
        """
        estimator = self.parts()["estimator"]
        sample, pool = self._checked_data(X, y, sample_weight, X_unlabelled)
        self.tree_ = self._smoothed(self._grown(estimator, sample, pool))
        return self

    @property
    def _impurity(self) -> str:
        return self.parts()["estimator"]._impurity

    @abstractmethod
    def _grown(self, estimator: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        """Validate the parameters and return the pruned tree over the original features."""

    def _checked_data(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, X_unlabelled: Any
    ) -> tuple[Sample, Pool]:
        """Check the data, set ``classes_``; return the labelled rows and all rows."""
        check_smoothing(self.smoothing)
        if self.coding is not None:
            check_choice("coding", self.coding, (ONE_HOT, ORDINAL))
            is_table = isinstance(X, pd.DataFrame)
            self.categories_ = find_levels(X, nominal_mask(X, "from_dtype")) if is_table else []
        rows, labels = complete_rows(self, self._numbers(X), y)
        rows = self._coded(rows)
        weight = check_weights(sample_weight, len(rows))
        self.classes_, codes = encode_classes(labels)
        weight = weigh_classes(weight, self.class_weight, self.classes_, codes)
        order = _order_by_value(rows, codes, weight)
        sample = Sample(rows, codes, weight).take(order[weight[order] > 0]).with_mean_weight()
        if X_unlabelled is None:
            return sample, Pool(sample.X, sample.weight)
        others = self._checked_unlabelled(X_unlabelled)
        weight = np.concatenate((sample.weight, np.ones(len(others))))
        return sample, Pool(np.concatenate((sample.X, others)), weight)

    def _checked_unlabelled(self, X_unlabelled: Any) -> NDArray[np.float64]:
        """Check the unlabelled rows and put them in the order of their values."""
        try:
            rows = self._checked_rows(X_unlabelled)
        except ValueError as error:
            raise ValueError(f"X_unlabelled: {error}") from error
        return rows[_order_by_value(rows)]

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, and code their categorical columns."""
        if self._used_coding is None and is_checked(X, self):
            return X
        check_is_fitted(self, "classes_")
        return self._coded(complete_rows(self, self._numbers(X), reset=False))

    def _numbers(self, X: Any) -> Any:
        """Return `X` with numbers in its categorical columns: the positions of their levels."""
        is_coded = self._used_coding is not None
        if is_coded and isinstance(X, pd.DataFrame) and X.shape[1] == len(self.categories_):
            X = encode_levels(X, self.categories_)
            for j, levels in enumerate(self.categories_):
                if levels is not None:
                    X.isetitem(j, X.iloc[:, j].fillna(_NO_LEVEL))
        reject_nonnumeric_columns(X)
        return X

    def _coded(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        coding = self._used_coding
        return rows if coding is None else code_columns(rows, self.categories_, coding)

    @property
    def _used_coding(self) -> str | None:
        """The coding, None if there are no categorical columns."""
        if self.coding is None or all(levels is None for levels in self.categories_):
            return None
        return self.coding

    def _columns(self) -> list[tuple[int, int | None]]:
        coding = self._used_coding
        return super()._columns() if coding is None else coded_columns(self.categories_, coding)

    def feature_names(self) -> list[str]:
        """Return the names of the columns that the tree tests, coded ones among them."""
        names = super().feature_names()
        coding = self._used_coding
        return names if coding is None else coded_names(names, self.categories_, coding)


def _order_by_value(X: NDArray[np.float64], *ties: NDArray[Any]) -> NDArray[np.intp]:
    """Return an order of the rows that depends on their values only, so that rounding does too."""
    keys = np.empty(len(X), np.uint64)
    engine.call("hash_rows", X, keys)
    return np.lexsort((*ties, keys))
