"""What the latent trees share: coded data in the order of their values, and fitting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from retree import engine
from retree.trees.base import BaseTreeClassifier
from retree.trees.coding import ONE_HOT, ORDINAL, CodedColumns
from retree.trees.declaring import parameter, parameters
from retree.trees.latent.base_learner import checked_learner
from retree.trees.latent.latent_growing import Pool
from retree.trees.mixed import Sample
from retree.trees.parameters import WithClassWeight, WithSmoothing
from retree.trees.tree import Tree
from retree.trees.validation import one_of

_NO_LEVEL = -1.0


@parameters
class BaseLatentTreeClassifier(
    WithClassWeight, WithSmoothing, CodedColumns, BaseTreeClassifier, ABC
):
    """What the latent trees share: data, and fitting with a base learner.

    Parameters
    ----------
    estimator : tree classifier of retree or None
        Base learner, whose tests compare features with thresholds; None is C4.5.
    coding : {"one_hot", "ordinal"} or None
        Columns of a pandas category type become numbers (section 2.2): a column of 0 and 1 for each
        level, or the position of the level. A missing or unknown level has 0 in all columns of
        a one-hot code, and -1 as its position. None refuses such columns.

    Attributes
    ----------
    tree_ : Tree
        The grown tree, over the original features.
    categories_ : list of (pandas Index or None)
        Levels of each column that was coded, None for others; only with `coding`.
    """

    estimator: BaseTreeClassifier | None = None
    coding: str | None = parameter(default=None, check=one_of(ONE_HOT, ORDINAL, None), neutral=True)

    _takes_missing = False
    categorical_features = "from_dtype"

    @property
    def _takes_categories(self) -> bool:  # type: ignore[override]
        return self.coding is not None

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
        self._check_parameters()
        learner = self.parts()["estimator"]
        learner._check_parameters()
        sample = self._checked_sample(X, y, sample_weight)
        order = _order_by_value(sample.X, sample.y, sample.weight)
        sample = sample.take(order).with_mean_weight()
        pool = Pool(sample.X, sample.weight)
        if X_unlabelled is not None:
            others = self._checked_unlabelled(X_unlabelled)
            weight = np.concatenate((sample.weight, np.ones(len(others))))
            pool = Pool(np.concatenate((sample.X, others)), weight)
        self.tree_ = self._smoothed(self._grown(learner, sample, pool))
        return self

    @property
    def _impurity(self) -> str:
        return str(self.parts()["estimator"]._impurity)

    @abstractmethod
    def _grown(self, learner: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        """Return the pruned tree over the original features."""

    def _checked_unlabelled(self, X_unlabelled: Any) -> NDArray[np.float64]:
        """Check the unlabelled rows and put them in the order of their values."""
        try:
            rows = self._checked_rows(X_unlabelled)
        except ValueError as error:
            raise ValueError(f"X_unlabelled: {error}") from error
        return rows[_order_by_value(rows)]

    def _encoded(self, X: Any, reset: bool) -> Any:
        """Return a table with level codes, one of their own where a level is missing."""
        if not isinstance(X, pd.DataFrame):  # arrays have no types of columns
            self.categories_ = [] if reset else self.categories_
            return X
        X = super()._encoded(X, reset)
        for j, levels in enumerate(self.categories_):
            if levels is not None and j < X.shape[1]:
                X.isetitem(j, X.iloc[:, j].fillna(_NO_LEVEL))
        return X


def _order_by_value(X: NDArray[np.float64], *ties: NDArray[Any]) -> NDArray[np.intp]:
    """Return an order of the rows that depends on their values only, so that rounding does too."""
    keys = np.empty(len(X), np.uint64)
    engine.call("hash_rows", X, keys)
    return np.lexsort((*ties, keys))
