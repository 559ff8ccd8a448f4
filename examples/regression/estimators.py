"""scikit-learn's regression tree, pruned by cross-validation."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor


class PrunedTree(RegressorMixin, BaseEstimator):
    """A tree pruned at the ``ccp_alpha`` with the lowest cross-validated squared error.

    Parameters
    ----------
    cv : int, default=5
        Number of folds of the cross-validation.
    n_alphas : int, default=10
        Number of values along the pruning path that are tried.
    random_state : int or None, default=None
        Seed of all trees.
    """

    def __init__(self, cv=5, n_alphas=10, random_state=None):
        self.cv = cv
        self.n_alphas = n_alphas
        self.random_state = random_state

    def fit(self, X, y):
        """Choose ``ccp_alpha`` on the training rows, and grow the tree with it."""
        path = self._tree(0.0).cost_complexity_pruning_path(X, y).ccp_alphas
        alphas = np.unique(np.quantile(path.clip(min=0), np.linspace(0, 1, self.n_alphas)))
        scores = [
            cross_val_score(self._tree(a), X, y, cv=self.cv, scoring="neg_mean_squared_error")
            for a in alphas
        ]
        self.alpha_ = alphas[int(np.argmax(np.mean(scores, axis=1)))]
        self.regressor_ = self._tree(self.alpha_).fit(X, y)
        return self

    def predict(self, X):
        """Return the predicted values."""
        return self.regressor_.predict(X)

    def get_n_leaves(self):
        """Return the number of leaves."""
        return self.regressor_.get_n_leaves()

    def _tree(self, alpha):
        return DecisionTreeRegressor(ccp_alpha=alpha, random_state=self.random_state)
