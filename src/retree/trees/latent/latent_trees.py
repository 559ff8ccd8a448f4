"""Trees that grow on latent features (He, Xu and Chen 2009): LAST, GSODT and LSODT."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from retree import engine
from retree.trees.base import ONE_HOT, ORDINAL, BaseTreeClassifier, CodedColumns
from retree.trees.declaring import changed, declare, parameter, parameters
from retree.trees.latent.base_learner import checked_learner, grow_and_prune
from retree.trees.latent.latent_growing import (
    Pool,
    fit_directions,
    grow_centered,
    grow_local,
    make_transformer,
    to_latent,
)
from retree.trees.latent.transforms import SVDRotation, fold
from retree.trees.mixed import Sample
from retree.trees.parameters import WithClassWeight, WithSmoothing
from retree.trees.tree import Tree
from retree.trees.validation import none_or, one_of, whole

_NO_LEVEL = -1.0


@parameters
class BaseLatentTreeClassifier(
    WithClassWeight, WithSmoothing, CodedColumns, BaseTreeClassifier, ABC
):
    """The part that all latent trees share: checking data, and fitting with a base learner.

    Parameters
    ----------
    estimator : tree classifier of retree or None
        Base learner, whose tests compare features with thresholds; None means C4.5.
    coding : {"one_hot", "ordinal"} or None
        How columns of a pandas category type become numbers (section 2.2): "one_hot" makes a column
        of 0 and 1 for each level, "ordinal" uses the position of the level. A missing or unknown
        level has 0 in all columns of a one-hot code, and position -1. None refuses such columns.

    Attributes
    ----------
    tree_ : Tree
        The grown tree, over the original features.
    categories_ : list of (pandas Index or None)
        Levels of each coded column, None for the other columns; only with `coding`.
    """

    estimator: BaseTreeClassifier | None = None
    coding: Literal["one_hot", "ordinal"] | None = parameter(
        default=None, check=one_of(ONE_HOT, ORDINAL, None), neutral=True
    )

    declares = changed(categories=False, missing=False)
    categorical_features = "from_dtype"

    @property
    def _takes_categories(self) -> bool:
        return self.coding is not None

    def parts(self) -> dict[str, Any]:
        """Return the base learner, C4.5 for None."""
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
            Numbers without missing values; with `coding` also columns of a pandas category type.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; rows of weight 0 are left out. Weights with a mean below 1 are
            scaled to mean 1.
        X_unlabelled : array-like of shape (n_unlabelled, n_features) or None, default=None
            Additional rows from which the latent features are found, such as the rows to predict
            for; each has weight 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is invalid.
        TypeError
            If a parameter has the wrong type.
        """
        self.check_parameters()
        learner = self.parts()["estimator"]
        learner.check_parameters()
        sample = self.checked_sample(X, y, sample_weight)
        order = _order_by_value(sample.X, sample.y, sample.weight)
        sample = sample.take(order).with_mean_weight()
        pool = Pool(sample.X, sample.weight)
        if X_unlabelled is not None:
            others = self._checked_unlabelled(X_unlabelled)
            weight = np.concatenate((sample.weight, np.ones(len(others))))
            pool = Pool(np.concatenate((sample.X, others)), weight)
        self.tree_ = self.smoothed(self._grown(learner, sample, pool))
        return self

    @property
    def impurity(self) -> str:
        """The impurity of the base learner."""
        return str(self.parts()["estimator"].impurity)

    @abstractmethod
    def _grown(self, learner: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        """Return the pruned tree, with tests of the original features."""

    def _checked_unlabelled(self, X_unlabelled: Any) -> NDArray[np.float64]:
        """Check the unlabelled rows and sort them by their values."""
        try:
            rows = self.checked_rows(X_unlabelled)
        except ValueError as error:
            raise ValueError(f"X_unlabelled: {error}") from error
        return rows[_order_by_value(rows)]

    def _encoded(self, X: Any, reset: bool) -> Any:
        """Return a table with level codes, in which a missing level has its own code."""
        if not isinstance(X, pd.DataFrame):  # arrays have no types of columns
            self.categories_ = [] if reset else self.categories_
            return X
        X = super()._encoded(X, reset)
        for j, levels in enumerate(self.categories_):
            if levels is not None and j < X.shape[1]:
                column = X.iloc[:, j] if isinstance(X, pd.DataFrame) else X[:, j]
                column[np.isnan(column)] = _NO_LEVEL
        return X


def _order_by_value(X: NDArray[np.float64], *ties: NDArray[Any]) -> NDArray[np.intp]:
    """Return an order of the rows that depends only on their values, and with it all rounding."""
    keys = np.empty(len(X), np.uint64)
    engine.call("hash_rows", X, keys)
    return np.lexsort((*ties, keys))


_BELOW = ("original", "rotated")


class _TransformedTree(BaseLatentTreeClassifier):
    """A tree grown on all rows after one transform."""

    def _grown(self, learner: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        self.transformer_ = self._transformer()
        directions = fit_directions(self.transformer_, pool.X, pool.weight)
        latent, directions = to_latent(sample, directions)
        tree = grow_and_prune(learner, grow_centered, latent, len(self.classes_))
        return fold(tree, directions)

    def parts(self) -> dict[str, Any]:
        """Return the base learner, and the transformer that makes the latent features."""
        return {**super().parts(), "transformer": self._transformer()}

    @abstractmethod
    def _transformer(self) -> Any:
        """Return the unfitted transformer."""


@declare("latent_space")
class LatentSpaceTreeClassifier(_TransformedTree):
    """A tree grown on linear combinations of the features (the LAST framework).

    A linear transform of all rows makes latent features, and the base learner grows a tree on them
    as on any features. Then the tests are rewritten in the original features: `tree_` tests
    weighted sums of these, so prediction, rules and pruning do not need the transform. A latent
    feature that equals an original feature is tested like that feature.

    The threshold of a test is the middle between the neighbouring values of the node's rows. The
    base learner may take one of these values instead, as C4.5 does. But rounding of the weighted
    sum could then move a row that is exactly on the threshold to the other side.

    Latent features in which the rows differ by no more than rounding errors are left out. If none
    remain, the tree is a leaf. The order of the rows does not matter.

    Parameters
    ----------
    transformer : {"svd", "pca", "ica"} or transformer
        "svd" is `SVDRotation`, which neither centres nor scales; "pca" is the same with `center`;
        "ica" is `IndependentComponents`. Any other transformer must return
        ``(X - mean_) @ components_.T``, or ``X @ components_.T`` if it has no ``mean_``.
    random_state : int, RandomState or None
        Draws the starting point of "ica".

    Attributes
    ----------
    transformer_ : transformer
        The fitted transformer.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import LatentSpaceTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LatentSpaceTreeClassifier(transformer="pca").fit(X, y).get_n_leaves()
    5
    """

    transformer: Any = "svd"
    random_state: int | RandomState | None = None

    @property
    def depends_on_seed(self) -> bool:
        """Whether a fit depends on `random_state`: only with "ica" or a random transformer."""
        return not (isinstance(self.transformer, str) and self.transformer in ("svd", "pca"))

    def _transformer(self) -> Any:
        return make_transformer(self.transformer, self.random_state)


@declare("global_svd", version=2)
class GlobalSVDTreeClassifier(_TransformedTree):
    """GSODT: a tree grown on all rows, rotated by their singular value decomposition (Fig. 2).

    It is `LatentSpaceTreeClassifier` with "svd". The paper finds the rotation from training and
    test rows together: to do the same, pass the test rows as `X_unlabelled` to `fit`. Rotating n
    rows of p features takes O(p^2 n + p^3).

    Attributes
    ----------
    transformer_ : SVDRotation
        The rotation.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import GlobalSVDTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GlobalSVDTreeClassifier().fit(X, y).get_n_leaves()
    5
    """

    def _transformer(self) -> SVDRotation:
        return SVDRotation()


@declare("local_svd", version=2)
class LocalSVDTreeClassifier(BaseLatentTreeClassifier):
    """LSODT: each node in the top levels rotates its own rows (Fig. 4).

    In the top `levels` levels, each node finds its test among latent features of its own rows,
    unlabelled rows included: those that the singular value decomposition gives (see `SVDRotation`).
    The whole tree is pruned at the end, as the base learner prunes its own trees. Thresholds are as
    in `LatentSpaceTreeClassifier`. Each rotation of n rows of p features takes O(p^2 n + p^3).

    Parameters
    ----------
    levels : int or None
        Number of levels, from the root down, whose nodes rotate their rows; None means all levels.
    below : {"rotated", "original"}
        Features that nodes below these levels test: those of the last rotation, or the original
        ones. "rotated" follows Fig. 4 literally, which passes the rotated rows on; with one level
        this gives the tree of `GlobalSVDTreeClassifier`.
    estimator : tree classifier of retree or None
        Base learner, whose tests compare features with thresholds; None means C4.5. Rows that its
        pruning holds out are used for the rotations, but not for growing.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import LocalSVDTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LocalSVDTreeClassifier(levels=2).fit(X, y).get_n_leaves()
    5
    """

    levels: int | None = parameter(default=1, check=none_or(whole(1)))
    below: Literal["original", "rotated"] = parameter(default="rotated", check=one_of(*_BELOW))

    def _grown(self, learner: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        grow = partial(grow_local, pool=pool, levels=self.levels, below=self.below)
        return grow_and_prune(learner, grow, sample, len(self.classes_))
