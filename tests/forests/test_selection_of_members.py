"""EPIC against its formula, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_thinning import epic_contributions
from random_forests import examples, forests
from sklearn.datasets import load_iris

from retree.forests import AdaBoostM1Classifier, BaggingTreesClassifier, EPICSelector
from retree.forests.epic import contributions


@examples
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 4), st.integers(1, 12))
def test_contributions_are_those_of_the_formula(seed, n_members, n_classes, n):
    rng = np.random.default_rng(seed)
    codes, y = rng.integers(0, n_classes, (n_members, n)), rng.integers(0, n_classes, n)
    weight = rng.choice([0.5, 1.0, 2.25], n_members)
    expected = epic_contributions(codes, y, n_classes, weight)
    np.testing.assert_array_equal(contributions(codes, y, n_classes, weight), expected)


@examples
@given(forests(), st.integers(1, 6), st.booleans())
def test_best_members_are_kept_in_order(drawn, n_members, weighted):
    forest, X, y = drawn
    chosen = EPICSelector(n_members=n_members, weighted=weighted).selected(forest, X, y)
    weight = forest.vote_weight if weighted else np.ones(len(forest.trees))
    worth = epic_contributions(forest.member_codes(X), y, forest.n_classes, weight)
    order = sorted(range(len(worth)), key=lambda i: (-worth[i], i))[:n_members]
    assert [id(tree) for tree in chosen.trees] == [id(forest.trees[i]) for i in order]
    np.testing.assert_array_equal(chosen.vote_weight, forest.vote_weight[order])
    assert chosen.divide_missing == forest.divide_missing


@pytest.mark.parametrize("cls", [BaggingTreesClassifier, AdaBoostM1Classifier])
def test_selected_forest_votes_as_before(cls):
    X, y = load_iris(return_X_y=True)
    forest = cls(n_estimators=9, random_state=0).fit(X, y)
    every = EPICSelector(n_members=20).select(forest, X, y)
    assert every.vote == forest.vote
    np.testing.assert_allclose(every.predict_proba(X), forest.predict_proba(X))


def test_number_of_members_is_checked():
    X, y = load_iris(return_X_y=True)
    forest = BaggingTreesClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="n_members"):
        EPICSelector(n_members=0).select(forest, X, y)
