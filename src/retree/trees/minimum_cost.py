"""Prediction of the class of least expected cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from retree.trees.base import ProbabilisticClassifier
from retree.trees.c45.classifier import C45Classifier
from retree.trees.declaring import Declared, declare
from retree.trees.validation import check_weight

Costs = Mapping[Any, Mapping[Any, float]]
_TIED = 1e-12  # of the greatest cost


@declare()
class MinimumCostClassifier(MetaEstimatorMixin, ProbabilisticClassifier, Declared):
    """Predicts the class of least expected cost by the probabilities of another classifier.

    With the probabilities P(i) of a row and the cost C(i, j) of predicting class j where i is
    right, the class j of the least sum of P(i) C(i, j) is predicted, the first label where classes
    tie. The classifier is fitted without regard to the costs, and its probabilities remain. Trees
    have better ones with `smoothing` than without (Provost and Domingos 2003): by shares alone a
    pure leaf of one row is certain, whatever the costs.

    Parameters
    ----------
    estimator : classifier with `predict_proba` or None
        None is ``C45Classifier(smoothing="laplace")``.
    costs : dict of dict or None
        ``costs[i][j]`` is the cost of predicting j where i is right, a number from 0 on; i and j
        are class labels. What is left out costs 1, a right prediction 0; so None predicts the
        class of greatest probability.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator.
    costs_ : ndarray of shape (n_classes, n_classes)
        The cost of each prediction (column) of each class (row).

    References
    ----------
    Elkan C. (2001). The foundations of cost-sensitive learning. IJCAI 17, 973-978.

    Examples
    --------
    >>> from retree import C45Classifier, MinimumCostClassifier
    >>> X, y = [[0], [0], [0], [0], [1]], ["well", "well", "well", "ill", "well"]
    >>> tree = C45Classifier().fit(X, y)
    >>> tree.predict([[0]])
    array(['well'], dtype='<U4')
    >>> costly = MinimumCostClassifier(estimator=C45Classifier(), costs={"ill": {"well": 9}})
    >>> costly.fit(X, y).predict([[0]])
    array(['ill'], dtype='<U4')
    """

    estimator: Any = None
    costs: Costs | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._made())
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> MinimumCostClassifier:
        """Fit the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What the estimator takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights for the estimator's `fit`, if it takes any.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If `costs` are not as described, or name classes that y does not have.
        TypeError
            If the estimator has no `predict_proba`.
        """
        self.estimator_ = self._made()
        if not hasattr(self.estimator_, "predict_proba"):
            raise TypeError(
                f"{type(self.estimator_).__name__} has no predict_proba; take a classifier that "
                "has, or wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_.fit(X, y, **weights)
        self.costs_ = _cost_matrix(self.costs, self.classes_)
        return self

    def expected_costs(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the expected cost of each prediction for each row, (n_samples, n_classes)."""
        shares = self.predict_proba(X)
        found = np.zeros_like(shares)
        for i, of_class in enumerate(self.costs_):
            found += shares[:, i : i + 1] * of_class
        return found

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of least expected cost, the first label where classes tie.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        costs = self.expected_costs(X)
        least = costs.min(axis=1, keepdims=True) + _TIED * self.costs_.max()
        return self.classes_[(costs <= least).argmax(axis=1)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of the estimator, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        found: NDArray[np.float64] = self.estimator_.predict_proba(X)
        return found

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, sorted, shape (n_classes,)."""
        return self._of_fitted("classes_")

    @property
    def n_features_in_(self) -> int:
        """Number of features seen in `fit`."""
        return int(self._of_fitted("n_features_in_"))

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Column names seen in `fit`, if there were any."""
        return self._of_fitted("feature_names_in_")

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances of the features in the estimator, shape (n_features,)."""
        check_is_fitted(self)
        return self._of_fitted("feature_importances_")

    def _made(self) -> Any:
        """Return the unfitted estimator."""
        return (
            C45Classifier(smoothing="laplace") if self.estimator is None else clone(self.estimator)
        )

    def _of_fitted(self, name: str) -> Any:
        """Return an attribute of the fitted estimator; of an unfitted one there is none."""
        if "estimator_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return getattr(self.estimator_, name)


def _cost_matrix(costs: Costs | None, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the cost of each prediction (column) of each class (row)."""
    labels = classes.tolist()
    matrix = 1.0 - np.eye(len(labels))
    if costs is None:
        return matrix
    if not (isinstance(costs, Mapping) and all(isinstance(c, Mapping) for c in costs.values())):
        raise ValueError(
            'costs must be a dict of dicts, {right: {predicted: cost}}, such as {"ill": {"well": '
            f"9}}}}, got {costs!r}."
        )
    for right, of_class in costs.items():
        for predicted, cost in of_class.items():
            if unknown := [label for label in (right, predicted) if label not in labels]:
                raise ValueError(f"costs have classes that y does not have: {unknown}.")
            number = check_weight(f"costs[{right!r}][{predicted!r}]", cost)
            matrix[labels.index(right), labels.index(predicted)] = number
    return matrix
