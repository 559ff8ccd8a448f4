"""Pre-pruning as cuts: against growing that stops by itself, a slow reference, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_pruning import from_scikit_learn
from problems import EXACT, assert_same_tree, examples, problems
from real_sets import read_set
from sklearn.tree import DecisionTreeRegressor

from retree import C45Classifier, CartClassifier, ID3Classifier
from retree.trees.pruning.limits import gains, stop_early


def stopped(cls, X, y, **params):
    return cls(pruning="stopping", pruning_params=params).fit(X, y).tree_


@examples
@given(
    problem=problems(EXACT),
    share=st.sampled_from([0.4, 0.6, 2 / 3, 0.75, 1.0]),
    rows=st.integers(2, 12),
)
def test_cuts_are_what_cart_grows_by_its_own_rules(problem, share, rows):
    X, y = problem
    own = CartClassifier(max_class_share=share, min_samples_split=rows).fit(X, y).tree_
    assert_same_tree(stopped(CartClassifier, X, y, max_class_share=share, min_rows=rows), own)


@examples
@given(problem=problems(EXACT), least=st.sampled_from([0.0, 0.05, 0.2, 0.5]))
def test_least_gain_is_that_of_scikit_learn_at_the_root(problem, least):
    # Its threshold is on the gain times the share of all rows, which is one at the root only.
    X, y = problem
    own = CartClassifier(min_impurity_decrease=least).fit(X, y).tree_
    mine = stopped(CartClassifier, X, y, min_gain=least, criterion="gini")
    assert mine.is_leaf[0] == own.is_leaf[0]


@pytest.mark.parametrize("cls", [ID3Classifier, C45Classifier])
@pytest.mark.parametrize("name", ["iris", "vote", "breast_cancer"])
def test_rules_hold_at_inner_nodes_and_not_at_new_leaves(cls, name):
    X, y = read_set(name)[:2]
    whole = cls(pruning=None, **({"collapse": False} if cls is C45Classifier else {})).fit(X, y)
    tree = stop_early(whole.tree_, 0.05, 0.9, 20)
    inner = ~tree.is_leaf
    assert inner.any()
    assert tree.node_count < whole.tree_.node_count
    assert (tree.weight[inner] >= 20 - 1e-9).all()
    assert (tree.value[inner].max(axis=1) < 0.9).all()
    assert (gains(tree, "entropy")[inner] >= 0.05 - 1e-9).all()


def test_gains_by_hand():
    # Twelve rows, 6 : 6, part into 5 : 1 and 1 : 5: entropy 1 and .65, Gini .5 and 10/36.
    X = np.repeat([[0.0], [0.0], [1.0], [1.0]], [5, 1, 1, 5], axis=0)
    y = np.repeat([0, 1, 0, 1], [5, 1, 1, 5])
    tree = CartClassifier().fit(X, y).tree_
    assert gains(tree, "entropy").tolist() == pytest.approx([0.349977, np.inf, np.inf], abs=1e-6)
    assert gains(tree, "gini")[0] == pytest.approx(0.5 - 10 / 36)
    assert stopped(CartClassifier, X, y, min_gain=0.34).n_leaves == 2
    assert stopped(CartClassifier, X, y, min_gain=0.36).n_leaves == 1


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"min_gain": -0.1}, "min_gain == -0.1, must be >= 0"),
        ({"min_rows": float("inf")}, "min_rows must be finite"),
        ({"max_class_share": 0.0}, "max_class_share == 0.0, must be above 0 and at most 1"),
        ({"max_class_share": 1.1}, "max_class_share == 1.1, must be above 0 and at most 1"),
        ({"criterion": "error"}, "criterion 'error'.*'entropy', 'gini'"),
        ({"depth": 3}, "param of pruning 'stopping'.*'min_gain', 'max_class_share'"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        stopped(CartClassifier, [[0.0], [1.0]], [0, 1], **params)


def test_regressions_are_refused():
    tree = from_scikit_learn(DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0]))
    with pytest.raises(ValueError, match="needs a classification tree"):
        stop_early(tree)
