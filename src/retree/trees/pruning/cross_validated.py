"""The parameter of any pruning, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_random_state, column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from retree.trees import declaring
from retree.trees.c45.classifier import C45Classifier
from retree.trees.declaring import Declared, declare
from retree.trees.pruning.alpha_choice import choose_smallest
from retree.trees.pruning.pruning_path import PruningPath
from retree.trees.pruning.varied import VariedPruning
from retree.trees.validation import check_weight, check_weights


def _has_probabilities(self: Any) -> bool:
    return hasattr(self._unfitted, "predict_proba")


@declare()
class PrunedTreeCV(MetaEstimatorMixin, Declared):
    """A tree whose pruning has the parameter that cross-validation finds best.

    For each value the tree is grown and pruned on all folds but one and tried on that one. Of the
    trees whose error is no more than `standard_errors` standard errors above the least, the one
    with the fewest leaves is chosen, and fitted to all rows.

    Subtree k of cost-complexity pruning is judged at sqrt(alpha[k] alpha[k + 1]) as in Breiman et
    al.; the estimator's own choice of alpha, `choose_alpha`, is the same, but for rows that are
    divided because values are missing: here they count with their prediction, there in parts.

    Parameters
    ----------
    estimator : estimator or None
        A tree with the parameters `pruning` and `pruning_params`; None is ``C45Classifier()``.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None
        How trees are pruned; None for the estimator's own way.
    parameter : str or None
        What is chosen: a number among the parameters of the pruning, see
        `retree.trees.pruning.fitting.grow_pruned`. None is "alpha", "confidence", "z", "fraction"
        or "min_gain", in the order of the prunings.
    values : array-like of shape (n_values,) or None
        What is tried. None is some ten usual values; for "alpha" each tree of the path.
    cv : int, splitter or iterable
        As in scikit-learn's ``GridSearchCV``; a number of folds is shuffled if `random_state` is
        not None.
    standard_errors : float
        1 for the rule of Breiman et al., 0 for the lowest error.
    random_state : int, RandomState or None
        Shuffles the rows before they are dealt into folds, and is the estimator's, if that has
        None.

    Attributes
    ----------
    estimator_ : estimator
        The chosen one, fitted to all rows.
    path_ : PruningPath
        The trees to choose from, with their errors.
    best_value_ : float
        The chosen value.
    classes_ : ndarray of shape (n_classes,)
        Class labels, if the estimator is a classifier.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth. Section 3.4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from retree import C45Classifier, PrunedTreeCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PrunedTreeCV(estimator=C45Classifier(), cv=5, random_state=0).fit(X, y)
    >>> model.path_.parameter, model.best_value_, model.estimator_.get_n_leaves()
    ('confidence', 0.001, 7)
    """

    estimator: Any = None
    pruning: str | None = None
    parameter: str | None = None
    values: ArrayLike | None = None
    cv: Any = 10
    standard_errors: float = declaring.parameter(default=1.0, check=check_weight)
    random_state: int | RandomState | None = None

    @property
    def _unfitted(self) -> Any:
        return C45Classifier() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self._unfitted)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        tags.input_tags, tags.target_tags = own.input_tags, own.target_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> PrunedTreeCV:
        """Choose the value and fit the tree with it.

        Parameters
        ----------
        X, y : array-like
            As the estimator takes them.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows, in growing and in the errors.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self._check_parameters()
        rng = check_random_state(self.random_state)
        varied = VariedPruning.of(self._unfitted, self.pruning, self.parameter, rng)
        X, y = indexable(X, y)
        if np.ndim(y) != 1:
            y = column_or_1d(y, warn=True)
        values, tries, n_leaves, kept = varied.tries(self.values, X, y, sample_weight)
        weight = check_weights(sample_weight, len(y))
        given = None if sample_weight is None else weight
        losses = np.zeros((len(tries), 2))
        for train, test in self._folds(X, y, rng):
            own = _safe_indexing(X, train), _safe_indexing(y, train)
            models = varied.fits(tries, *own, None if given is None else given[train])
            held = _safe_indexing(X, test), np.asarray(_safe_indexing(y, test))
            for k, model in enumerate(models):
                losses[k] += _losses(model, *held, weight[test])
        chosen, errors, deviations = choose_smallest(losses, weight, self.standard_errors)
        self.path_ = PruningPath(varied.parameter, values, n_leaves, errors, deviations, chosen)
        self.best_value_ = float(values[chosen])
        self.estimator_ = kept[chosen]
        self.__dict__.pop("feature_names_in_", None)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _folds(self, X: Any, y: Any, rng: RandomState) -> Iterable[tuple[Any, Any]]:
        """Return the rows to fit and to try, fold by fold."""
        splitter = check_cv(self.cv, y, classifier=is_classifier(self._unfitted))
        if isinstance(self.cv, int) and self.random_state is not None:
            splitter.shuffle, splitter.random_state = True, int(rng.randint(2**31 - 1))
        return splitter.split(X, y)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return what the chosen tree predicts, shape (n_samples,)."""
        check_is_fitted(self)
        found: NDArray[Any] = self.estimator_.predict(X)
        return found

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares of the chosen tree, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        found: NDArray[np.float64] = self.estimator_.predict_proba(X)
        return found

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy, or R^2, of the chosen tree."""
        check_is_fitted(self)
        return float(self.estimator_.score(X, y, sample_weight))


def _losses(model: Any, X: Any, y: NDArray[Any], weight: NDArray[np.float64]) -> Any:
    """Return the sums of the weighted losses on some rows, and of their squares."""
    predicted = model.predict(X)
    loss = 1.0 * (predicted != y) if is_classifier(model) else np.square(predicted - y)
    return np.cumsum([weight * loss, weight * np.square(loss)], axis=1)[:, -1]
