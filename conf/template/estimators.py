"""Estimators of this study."""

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


class Stump(ClassifierMixin, BaseEstimator):
    """A tree of one split.

    Parameters
    ----------
    criterion : str, default="gini"
        As in scikit-learn.
    """

    def __init__(self, criterion="gini"):
        self.criterion = criterion

    def fit(self, X, y):
        """Grow the tree."""
        tree = DecisionTreeClassifier(criterion=self.criterion, max_depth=1, random_state=0)
        self.tree_ = tree.fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        """Return the predicted classes."""
        return self.tree_.predict(X)

    def predict_proba(self, X):
        """Return the shares of the classes in the leaf of each row."""
        return self.tree_.predict_proba(X)
