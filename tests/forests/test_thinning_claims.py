"""What the paper says of forest thinning and no table shows: held against the algorithms."""

from fractions import Fraction

import numpy as np
import pytest
from oracle_thinning import PlainForest, pruning_tree
from sklearn.datasets import load_iris

from retree import C45Classifier
from retree.forests import AdaBoostM1Classifier, BaggingTreesClassifier, ForestThinner
from retree.forests.thinning import place
from retree_lab.datasets import load

GROWERS = [AdaBoostM1Classifier, BaggingTreesClassifier]


def shares_kept(grower):
    """Return the shares of nodes that FTCG keeps of 10, 30 and 100 trees."""
    X, y = load("balance-scale", sources=["generator"])
    kept = []
    for n_trees in (10, 30, 100):
        forest = grower(n_estimators=n_trees, random_state=0).fit(X, y)
        thinned = ForestThinner().thin(forest, X, y)
        kept.append(thinned.get_node_count() / forest.get_node_count())
    return kept


def test_share_of_nodes_kept_hardly_depends_on_the_number_of_trees():
    kept = shares_kept(BaggingTreesClassifier)
    assert max(kept) - min(kept) < 0.04


def test_share_of_boosted_nodes_kept_falls_with_the_number_of_trees():
    few, some, many = shares_kept(AdaBoostM1Classifier)
    assert few > some + 0.02 > many + 0.04


def separable():
    """Return a forest of one stump that is right on all rows, and the rows."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    forest = AdaBoostM1Classifier(estimator=C45Classifier(pruning=None), n_estimators=1).fit(X, y)
    assert forest.get_node_count() == 3
    return forest, X, y


def test_algorithm_1_prunes_what_helps():
    forest, X, y = separable()
    corrected = ForestThinner().thin(forest, X, y)
    printed = ForestThinner(variant="printed").thin(forest, X, y)
    assert corrected.get_node_count() == 3
    assert corrected.score(X, y) == 1
    assert printed.get_node_count() == 1
    assert printed.score(X, y) == 0.5


def test_algorithm_1_does_not_keep_the_sum_of_the_leaves():
    forest, X, y = separable()
    plain = PlainForest(forest.forest_, X, y)
    tree, con = plain.trees[0], plain.node_contributions(0, plain.shares())
    at_root = con[0]
    pruning_tree(tree, 0, con, lambda gain: gain < 0)
    assert tree.leaves >= {0}
    # The root is the only leaf, but C holds the sum of those that it had.
    assert at_root == 0
    assert con[0] == sum(con[c] for c in tree.tree.children_of(0).tolist()) == Fraction(2)


@pytest.mark.parametrize("grower", GROWERS)
def test_work_of_a_pass_is_bounded_by_trees_rows_and_depth(grower):
    """A pass takes each row once at each node on its path."""
    X, y = load_iris(return_X_y=True)
    forest = grower(n_estimators=20, random_state=0).fit(X, y).forest_
    rows = place(forest, X).rows
    visits = (rows.start[rows.stop] - rows.start[:-1]).sum()
    assert len(X) * len(forest.trees) < visits
    assert visits <= len(X) * len(forest.trees) * (forest.max_depth + 1)
