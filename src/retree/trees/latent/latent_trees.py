"""Trees that are grown on latent features (He, Xu and Chen 2009): LAST, GSODT and LSODT."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from retree import engine
from retree.trees.base import (
    BaseTreeClassifier,
    complete_rows,
    is_checked,
    reject_nonnumeric_columns,
)
from retree.trees.categories import Levels, encode_levels, find_levels, nominal_mask
from retree.trees.class_weights import ClassWeight, weigh_classes
from retree.trees.coding import ONE_HOT, ORDINAL, code_columns, coded_columns, coded_names
from retree.trees.export.describe import Names
from retree.trees.latent.base_learner import checked_learner, grow_and_prune
from retree.trees.latent.directions import fit_directions, make_transformer
from retree.trees.latent.folding import fold
from retree.trees.latent.latent_growing import Pool, grow_centered, grow_local, to_latent
from retree.trees.latent.transforms import SVDRotation
from retree.trees.mixed import Sample
from retree.trees.smoothing import Smoothing, check_smoothing
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weights, encode_classes

_BELOW = ("original", "rotated")
_NO_LEVEL = -1.0


class BaseLatentTreeClassifier(BaseTreeClassifier, ABC):
    """What the latent trees share: data, and fitting with a base learner."""

    estimator: BaseTreeClassifier | None
    coding: str | None
    categories_: list[Levels]

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

    def _names(
        self, feature_names: Names | None = None, class_names: Names | None = None
    ) -> dict[str, Any]:
        # All tests are of numbers.
        return super()._names(feature_names, class_names) | {"levels": None}


class LatentSpaceTreeClassifier(BaseLatentTreeClassifier):
    """A tree grown on linear combinations of the features (the LAST framework).

    A linear transform of all rows makes latent features, on which the base learner grows a tree
    as on any features. The transform is then folded into the tests: `tree_` tests weighted sums
    of the original features, so prediction, rules and pruning do without it. A latent feature
    that is one of the original ones is tested like it.

    The threshold of a test stands in the middle between the neighbouring values of the rows that
    it was found on. The base learner may take one of these values, as C4.5 does, but a row that
    stands exactly on a threshold would change sides with the rounding of its weighted sum.

    Latent features in which the rows differ by no more than rounding are left out; if none are
    left, the tree is a leaf. The order of the rows does not matter.

    Parameters
    ----------
    transformer : {"svd", "pca", "ica"} or transformer, default="svd"
        "svd" is `SVDRotation`, which is neither centred nor scaled, "pca" the same with `center`,
        "ica" `IndependentComponents`. Any other transformer must return
        ``(X - mean_) @ components_.T``, or without ``mean_``.
    estimator : tree classifier of retree or None, default=None
        Base learner, whose tests compare features with thresholds; None is C4.5.
    random_state : int, RandomState or None, default=None
        Draws the start of "ica".
    coding : {"one_hot", "ordinal"} or None, default=None
        Columns of a pandas category type become numbers (section 2.2): a column of 0 and 1 for each
        level, or the position of the level. A missing or unknown level has 0 in all columns of
        a one-hot code, and -1 as its position. None refuses such columns.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.

    Attributes
    ----------
    tree_ : Tree
        The grown tree, over the original features.
    transformer_ : transformer
        The fitted transformer.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each column that was coded, None for others; only with `coding`.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import LatentSpaceTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LatentSpaceTreeClassifier("pca").fit(X, y).get_n_leaves()
    5
    """

    def __init__(
        self,
        transformer: Any = "svd",
        estimator: BaseTreeClassifier | None = None,
        random_state: int | RandomState | None = None,
        coding: str | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
    ) -> None:
        self.transformer = transformer
        self.estimator = estimator
        self.random_state = random_state
        self.coding = coding
        self.class_weight = class_weight
        self.smoothing = smoothing

    def _grown(self, estimator: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        self.transformer_ = self._transformer()
        directions = fit_directions(self.transformer_, pool.X, pool.weight)
        latent, directions = to_latent(sample, directions)
        tree = grow_and_prune(estimator, grow_centered, latent, len(self.classes_))
        return fold(tree, directions)

    def parts(self) -> dict[str, Any]:
        """Return the estimator that the tree is grown with, and what makes the latent features."""
        return {**super().parts(), "transformer": self._transformer()}

    def _transformer(self) -> Any:
        """Return the unfitted transformer."""
        return make_transformer(self.transformer, self.random_state)


class GlobalSVDTreeClassifier(LatentSpaceTreeClassifier):
    """GSODT: a tree grown on all rows rotated by their singular value decomposition (Fig. 2).

    It is `LatentSpaceTreeClassifier` with "svd". The paper rotates by training and test rows
    together: give the latter as `X_unlabelled` of `fit`. The rotation of n rows of p features takes
    O(p^2 n + p^3).

    Parameters
    ----------
    estimator : tree classifier of retree or None, default=None
        Base learner, whose tests compare features with thresholds; None is C4.5.
    coding : {"one_hot", "ordinal"} or None, default=None
        Columns of a pandas category type become numbers (section 2.2): a column of 0 and 1 for each
        level, or the position of the level. A missing or unknown level has 0 in all columns of
        a one-hot code, and -1 as its position. None refuses such columns.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.

    Attributes
    ----------
    tree_ : Tree
        The grown tree, over the original features.
    transformer_ : SVDRotation
        The rotation.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each column that was coded, None for others; only with `coding`.
    n_features_in_ : int
        Number of features seen in `fit`.

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

    def __init__(
        self,
        estimator: BaseTreeClassifier | None = None,
        coding: str | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
    ) -> None:
        self.estimator = estimator
        self.coding = coding
        self.class_weight = class_weight
        self.smoothing = smoothing

    def _transformer(self) -> SVDRotation:
        return SVDRotation()


class LocalSVDTreeClassifier(BaseLatentTreeClassifier):
    """LSODT: the nodes of the top levels rotate their own rows (Fig. 4).

    In the top `levels` levels, each node finds its test on the latent features that the singular
    value decomposition of its own rows makes (see `SVDRotation`), unlabelled rows among them. The
    whole tree is pruned at the end, as the base learner prunes its own. Thresholds are those of
    `LatentSpaceTreeClassifier`. Each rotation of n rows of p features takes O(p^2 n + p^3).

    Parameters
    ----------
    levels : int or None, default=1
        Levels of nodes that rotate their rows; None is all levels.
    below : {"rotated", "original"}, default="rotated"
        Attributes of the nodes below these levels: "rotated" is Fig. 4 taken literally, which hands
        on the rotated rows, so that one level makes the tree of `GlobalSVDTreeClassifier`.
    estimator : tree classifier of retree or None, default=None
        Base learner, whose tests compare features with thresholds; None is C4.5. Rows that its
        pruning keeps aside take part in the rotations, but not in growing.
    coding : {"one_hot", "ordinal"} or None, default=None
        Columns of a pandas category type become numbers (section 2.2): a column of 0 and 1 for each
        level, or the position of the level. A missing or unknown level has 0 in all columns of
        a one-hot code, and -1 as its position. None refuses such columns.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.

    Attributes
    ----------
    tree_ : Tree
        The grown tree, over the original features.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each column that was coded, None for others; only with `coding`.
    n_features_in_ : int
        Number of features seen in `fit`.

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

    def __init__(
        self,
        levels: int | None = 1,
        below: str = "rotated",
        estimator: BaseTreeClassifier | None = None,
        coding: str | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
    ) -> None:
        self.levels = levels
        self.below = below
        self.estimator = estimator
        self.coding = coding
        self.class_weight = class_weight
        self.smoothing = smoothing

    def _grown(self, estimator: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        if self.levels is not None:
            check_scalar(self.levels, "levels", Integral, min_val=1)
        check_choice("below", self.below, _BELOW)
        grow = partial(grow_local, pool=pool, levels=self.levels, below=self.below)
        return grow_and_prune(estimator, grow, sample, len(self.classes_))


def _order_by_value(X: NDArray[np.float64], *ties: NDArray[Any]) -> NDArray[np.intp]:
    """Return an order of the rows that depends on their values only, so that rounding does too."""
    keys = np.empty(len(X), np.uint64)
    engine.call("hash_rows", X, keys)
    return np.lexsort((*ties, keys))
