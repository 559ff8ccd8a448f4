"""Random rows, base learners and assertions that the tests of latent trees share."""

import numpy as np

from retree.trees.c45.c45_trees import C45Classifier, ID3Classifier
from retree.trees.cart import CartClassifier
from retree.trees.structure.structure_trees import StructurePurityClassifier

UNPRUNED = C45Classifier(pruning=None, collapse=False)
LEARNERS = [
    C45Classifier(),
    UNPRUNED,
    C45Classifier(pruning=None),
    C45Classifier(min_cases=5, max_depth=4, subtree_raising=False),
    C45Classifier(pruning="cost_complexity", pruning_params={"alpha": 0.01}),
    ID3Classifier(max_depth=3),
    CartClassifier(pruning="pessimistic"),
    CartClassifier(criterion="entropy", min_impurity_decrease=0.01, pruning="ebp"),
    StructurePurityClassifier(criterion="gini", small_child="skip", max_depth=5),
]
TREE_ARRAYS = ("children_ptr", "children", "feature", "threshold", "counts", "normals")


def blobs(seed, n=120, m=4, n_classes=3, noise=0.3):
    """Return continuous rows whose classes follow from a weighted sum, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) @ rng.normal(size=(m, m)) + rng.normal(size=m)
    score = X @ rng.normal(size=m) + noise * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def crossed(seed, n=60):
    """Return rows whose singular vectors are the axes: every row with all its reflections."""
    rng = np.random.default_rng(seed)
    signs = np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1], [-1, -1, 1]]) * [[[1, 1, 1]], [[1, 1, -1]]]
    X = (rng.normal(size=(n, 1, 3)) * signs.reshape(1, 8, 3)).reshape(-1, 3) * [100.0, 10.0, 1.0]
    score = X[:, 1] + 5 * X[:, 2] + 2 * rng.normal(size=len(X))
    return X, np.digitize(score, [-8, 0, 8])


def assert_same_tree(tree, other):
    for name in TREE_ARRAYS:
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)


def assert_same_partition(model, X, other, Z):
    """Assert that two trees have the same shape and counts, and rows in the same leaves."""
    np.testing.assert_array_equal(model.tree_.children, other.tree_.children)
    np.testing.assert_array_equal(model.tree_.counts, other.tree_.counts)
    np.testing.assert_array_equal(model.apply(X), other.apply(Z))
