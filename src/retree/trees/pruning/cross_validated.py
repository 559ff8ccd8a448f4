"""The parameter of any pruning, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_random_state, column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from retree.trees import declaring
from retree.trees.base import BaseTree
from retree.trees.c45.classifier import C45Classifier
from retree.trees.declaring import Declared, declare
from retree.trees.pruning.alpha_choice import choose_smallest
from retree.trees.pruning.cost_complexity import cost_complexity_path, prune_cost_complexity
from retree.trees.pruning.fitting import DEFAULTS
from retree.trees.pruning.pruning_path import PruningPath
from retree.trees.validation import check_choice, check_weight, check_weights

# The parameter that is chosen unless another is named, and what is tried of each.
_PARAMETERS = {
    "cost_complexity": "alpha",
    "ebp": "confidence",
    "pessimistic": "z",
    "reduced_error": "fraction",
    "stopping": "min_gain",
}
_VALUES: dict[str, Sequence[float]] = {
    "confidence": (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01, 0.001),
    "z": (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
    "fraction": (0.1, 0.2, 0.25, 1 / 3, 0.4, 0.5),
    "min_gain": (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2),
    "max_class_share": (1.0, 0.99, 0.98, 0.95, 0.9, 0.85, 0.8, 0.7),
    "min_rows": (0.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0),
}
_WAYS_TO_ALPHA = ("folds", "validation_fraction", "standard_errors")


@dataclass(frozen=True, eq=False)
class VariedPruning:
    """An estimator, and the parameter of its pruning that varies."""

    estimator: Any
    pruning: str
    parameter: str
    seed: int  # The `random_state` of the estimator, if that has None

    @classmethod
    def of(
        cls, estimator: Any, pruning: str | None, parameter: str | None, rng: RandomState
    ) -> VariedPruning:
        """Return the pruning and the parameter that are named, or the usual ones for None."""
        params = estimator.get_params(deep=False)
        if not {"pruning", "pruning_params"} <= set(params):
            raise ValueError(
                f"{type(estimator).__name__} has no parameters pruning and pruning_params; "
                "give a tree that has them, such as C45Classifier."
            )
        pruning = params["pruning"] if pruning is None else pruning
        if pruning is None:
            raise ValueError("The estimator is not pruned; name a pruning, such as 'ebp'.")
        check_choice("pruning", pruning, _PARAMETERS)
        parameter = _PARAMETERS[pruning] if parameter is None else parameter
        numbers = {"alpha", *_VALUES} & set(DEFAULTS[pruning])
        check_choice(f"parameter of pruning {pruning!r}", parameter, sorted(numbers))
        return cls(estimator, pruning, parameter, int(rng.randint(2**31 - 1)))

    def with_value(self, value: float) -> Any:
        """Return the estimator with a value of the parameter, not fitted."""
        model = clone(self.estimator)
        own = model.get_params(deep=False)
        params = dict(own["pruning_params"] or {}) if own["pruning"] == self.pruning else {}
        if self.parameter == "alpha":
            params = {k: v for k, v in params.items() if k not in _WAYS_TO_ALPHA}
        changes: dict[str, Any] = {"pruning": self.pruning}
        if self.parameter in own:
            changes[self.parameter] = value
        else:
            params[self.parameter] = value
        if "random_state" in own and own["random_state"] is None:
            changes["random_state"] = self.seed
        return model.set_params(**changes, pruning_params=params or None)

    def tries(
        self, values: ArrayLike | None, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], list[Any]]:
        """Return the values from the largest to the smallest tree, and the trees of all rows.

        Shapes: `values` (n_values,), result (n_values,).
        `values`: none is the usual ones; for "alpha" each tree of the path.
        Returns what is reported of each tree, and what it is judged at.
        """
        if values is not None:
            own = tries = np.atleast_1d(np.asarray(values, float))
        elif self.parameter != "alpha":
            own = tries = np.array(_VALUES[self.parameter])
        else:
            whole = self.with_value(0.0).fit(X, y, sample_weight)
            path = cost_complexity_path(whole.tree_, self._risk)
            own = path.alphas
            # Beyond twice the risk of the root no fold has anything but a root.
            last = 2 * path.risks[-1] + path.alphas[-1]
            tries = np.append(np.sqrt(own[:-1] * own[1:]), last)
        if not len(own):
            raise ValueError("values is empty; give at least one.")
        models = list(self.fits(own, X, y, sample_weight))
        n_leaves = np.array([model.get_n_leaves() for model in models], np.int64)
        order = np.argsort(-n_leaves, kind="stable")
        return own[order], tries[order], n_leaves[order], [models[k] for k in order]

    def fits(
        self, values: NDArray[np.float64], X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> Iterable[BaseTree]:
        """Yield the estimators with these values fitted to some rows."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.parameter != "alpha":
            for value in values:
                yield self.with_value(float(value)).fit(X, y, **weights)
            return
        # All subtrees are cut from one tree.
        whole = self.with_value(0.0).fit(X, y, **weights)
        tree = whole.tree_
        for value in values:
            model = copy(whole).set_params(**self.with_value(float(value)).get_params(deep=False))
            model.tree_ = prune_cost_complexity(tree, float(value), self._risk)
            yield model

    @property
    def _risk(self) -> Any:
        """The risk of cost-complexity pruning."""
        return (self.with_value(0.0).pruning_params or {}).get("risk")


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
