import numpy as np
from sklearn.tree import DecisionTreeClassifier


class Mine(DecisionTreeClassifier):
    def __init__(self, depth=2):
        super().__init__(random_state=0)
        self.depth = depth

    def fit(self, X, y):
        self.max_depth = self.depth
        return super().fit(X, y)


def worst_class_error(y_true, y_pred):
    return max(np.mean(y_pred[y_true == c] != c) for c in np.unique(y_true))
