"""A random tree that waits or kills its process first."""

import os
import time
from pathlib import Path

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

DIED = Path(__file__).parent / "died"


class Troubled(ClassifierMixin, BaseEstimator):
    """A random tree.

    Parameters
    ----------
    wait : float
        Seconds.
    dies : str
        "always", "once" (a file says that it has happened) or "never".
    random_state : int or None
        Seed.
    """

    def __init__(self, wait=0.0, dies="never", random_state=None):
        self.wait = wait
        self.dies = dies
        self.random_state = random_state

    def fit(self, X, y):
        """Be in trouble, then grow the tree."""
        if len(X) > 50 and self._has_to_die():
            DIED.touch()
            os._exit(1)
        if len(X) > 50:
            time.sleep(self.wait)
        tree = DecisionTreeClassifier(splitter="random", random_state=self.random_state)
        self.fitted_ = tree.fit(X, y)
        self.classes_ = tree.classes_
        return self

    def predict(self, X):
        """Return the predicted classes."""
        return self.fitted_.predict(X)

    def _has_to_die(self):
        return self.dies == "always" or (self.dies == "once" and not DIED.exists())
