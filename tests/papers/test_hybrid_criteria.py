"""The trees of hybrid criteria: scikit-learn's checks, the slow reference, examples by hand."""

import sys

import numpy as np
import pandas as pd
import pytest
from every_classifier import GROWN_OUT
from hypothesis import given
from hypothesis import strategies as st
from oracle_hybrid_criteria import NAMES, grow
from problems import EXACT, examples, max_depths, problems
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import parametrize_with_checks

import retree
from retree_lab.papers.structure_purity.binary_trees import Node
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import ESTIMATORS

X4 = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 5.0], [3.0, 0.0]])
Y4 = np.array([0, 1, 1, 0])


GROWS_OUT = ("AdaDTClassifier", "FRID3Classifier", "DGMMLClassifier")


def estimator_of(name, **params):
    return import_estimator(ESTIMATORS[name].target)(**params)


# The file of the paper that has the criteria without a published formula.
PAPER = sys.modules[import_estimator(ESTIMATORS["adadt"].target).__module__]


def nested(tree, node=0):
    """Return a tree as the reference writes it."""
    if tree.is_leaf[node]:
        return tuple(tree.counts[node].astype(int).tolist())
    children = (nested(tree, child) for child in tree.children_of(node))
    return (int(tree.feature[node]), float(tree.threshold[node]), *children)


def node_of(X, y):
    order = np.argsort(X.T, axis=1, kind="stable")
    return Node(X.T.copy(), np.array(y, np.int32), np.ones(len(y)), max(y) + 1, order)


@parametrize_with_checks(
    [
        *(estimator_of(name) for name in NAMES),
        estimator_of("jaworski", gini="type_2"),
        estimator_of("isat", n_batches=3),
    ],
    expected_failed_checks=lambda model: GROWN_OUT if type(model).__name__ in GROWS_OUT else {},
)
def test_conventions(estimator, check):
    check(estimator)


def own_parameters(draw, name, n_features):
    """Draw the parameters that only this method has."""
    if name == "scaff":
        columns = st.lists(st.integers(0, n_features - 1), unique=True, max_size=2)
        theta = draw(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
        return {"theta": theta, "sensitive": draw(columns)}
    if name == "jaworski":
        choices = {
            "gini": st.sampled_from(["type_1", "type_2"]),
            "delta": st.sampled_from([0.05, 0.45]),
            "tie_threshold": st.sampled_from([0.0, 0.2, 3.0]),
        }
        return draw(st.fixed_dictionaries(choices))
    return {}


@pytest.mark.parametrize("name", NAMES)
@examples
@given(problem=problems(EXACT, most_rows=14), max_depth=max_depths, data=st.data())
def test_tree_is_that_of_the_reference(name, problem, max_depth, data):
    X, y = problem
    own = own_parameters(data.draw, name, X.shape[1])
    least = data.draw(st.integers(2, 5))
    tree = estimator_of(name, min_samples_split=least, max_depth=max_depth, **own).fit(X, y).tree_
    assert nested(tree) == grow(name, X, y, own, y.max() + 1, least, max_depth)


# Thresholds 0, 1, 2 of the first feature; the second is constant but in the last row.
#   rows 0 0 1 1 | gains: 0 -> .3113, 1 -> 1, 2 -> .3113; second feature .3113
@pytest.mark.parametrize("name", ["adadt", "cv_id3", "fr_id3", "dgmml", "isat", "scaff"])
def test_clean_split_by_hand(name):
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 6.0]])
    tree = estimator_of(name, min_samples_split=2).fit(X, [0, 0, 1, 1]).tree_
    assert nested(tree) == (0, 1.0, (2, 0), (0, 2))


def test_adadt_weighs_by_imbalance():
    # Six rows of class 0 and two of class 1, ir = 1/3. Feature 0 puts one row of class 1 apart:
    # gain .8113 - 7/8 * .5917 = .2936, ratio .2936 / .5436 = .5401; Hellinger
    # sqrt((0 - sqrt(1/2))^2 + (1 - sqrt(1/2))^2) / sqrt(2) = .5412. Feature 1 puts both and three
    # rows of class 0 apart: gain .8113 - 5/8 * .9710 = .2045, ratio .2045 / .9544 = .2142;
    # Hellinger sqrt((1 - sqrt(1/2))^2 + 1/2) / sqrt(2) = .5412 again.
    X = np.array([[0, 0], [0, 0], [0, 0], [0, 1], [0, 1], [0, 1], [0, 1], [1, 1]], float)
    y = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    node = node_of(X, y)
    np.testing.assert_allclose(PAPER.gain_ratio(node), [0.5401, 0.2142], atol=1e-4)
    np.testing.assert_allclose(PAPER.hellinger(node), [0.5412, 0.5412], atol=1e-4)
    assert estimator_of("adadt").fit(X, y).tree_.feature[0] == 0


def test_cluster_validity_by_hand():
    # Means 1 and 4, squares about them 2 and 2; between 2 * 2 * 9 / 4 = 9, so 9 / 13. Scaling by
    # the range 5 changes nothing. The second feature does not tell the classes apart.
    X = np.array([[0.0, 0.0], [2.0, 1.0], [3.0, 0.0], [5.0, 1.0]])
    node = node_of(X, [0, 0, 1, 1])
    np.testing.assert_allclose(PAPER.cluster_validity(node), [9 / 13, 0])
    # Standard deviation 1 each: the intervals [0, 2] and [3, 5] are apart, [0, 1] twice is not.
    assert PAPER.cluster_count(node).tolist() == [2, 1]


def test_metric_learning_weights_by_hand():
    # Pairs of one class: (0, 2) and (3, 5), squares 4 + 4; others: 9 + 25 + 1 + 9 = 44.
    # The second feature: same 0, different 4, so its weight has no bound.
    X = np.array([[0.0, 7.0], [2.0, 7.0], [3.0, 8.0], [5.0, 8.0]])
    node = node_of(X, [0, 0, 1, 1])
    np.testing.assert_allclose(PAPER.squared_weights(node), [44 / 8, np.inf])


@pytest.mark.parametrize(
    ("theta", "feature"), [(0.0, 0), (0.4, 0), (0.5, 0), (0.6, 1), (0.99, 1), (1.0, -1)]
)
@pytest.mark.parametrize("sensitive", [2, "sex"])
def test_scaff_takes_the_fair_split(theta, feature, sensitive):
    # Feature 0 is the class: its AUC exceeds one half by 1/2, and for sex by |3/4 - 1/4| / 2 = 1/4.
    # Feature 1: by |3/4 - 1/4| / 2 = 1/4 for the class, and by |2/4 - 2/4| / 2 = 0 for sex.
    # So (1 - t) / 2 - t / 4 stands against (1 - t) / 4: equal at t = 1/2, both useless at t = 1.
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    school, sex = [1, 0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 0, 1, 1, 1]
    table = pd.DataFrame({"work": y, "school": school, "sex": sex})
    fitted = estimator_of("scaff", theta=theta, sensitive=[sensitive], max_depth=1).fit(table, y)
    assert fitted.tree_.feature[0] == feature


def test_scaff_stops_where_fairness_loses_more_than_the_class_gains():
    # (1 - t) / 2 - t / 4 is 0 at t = 2/3.
    table = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]]).T
    for theta, n_leaves in ((0.66, 2), (0.67, 1)):
        fitted = estimator_of("scaff", theta=theta, sensitive=[1]).fit(table, table[:, 0])
        assert fitted.get_n_leaves() == n_leaves


def test_codes_of_one_feature_are_as_good_as_one_hot():
    rng = np.random.default_rng(3)
    X, z = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    y = (X[:, 0] + 0.7 * z + rng.normal(size=80) > 1).astype(int)
    coded = np.column_stack([X, z])
    hot = np.column_stack([X, np.eye(4)[z]])
    one = estimator_of("scaff", theta=0.4, sensitive=[3]).fit(coded, y)
    many = estimator_of("scaff", theta=0.4, sensitive=[3, 4, 5, 6]).fit(hot, y)
    assert nested(one.tree_) == nested(many.tree_)
    assert 3 not in one.tree_.feature


def test_jaworski_splits_what_chance_does_not_explain():
    # 100 rows, halves: the error falls by .5, its bound is 1.645 * sqrt(1 / 200) = .1163, and the
    # other feature decreases it by .4 or by .3.
    for n_wrong, n_leaves in ((10, 1), (20, 2)):
        first = np.repeat([0.0, 1.0], 50)
        second = first.copy()
        second[: n_wrong // 2] = 1
        second[-(n_wrong // 2) :] = 0
        X = np.column_stack([first, second])
        fitted = estimator_of("jaworski", tie_threshold=0.0).fit(X, first.astype(int))
        assert fitted.get_n_leaves() == n_leaves
    assert estimator_of("jaworski", tie_threshold=0.2).fit(X, first).get_n_leaves() == 2


@pytest.mark.parametrize(
    ("name", "params", "error", "message"),
    [
        *((n, {"min_samples_split": 1}, ValueError, "_split == 1, must be >= 2") for n in NAMES),
        *((n, {"max_depth": 0}, ValueError, "max_depth == 0, must be >= 1") for n in NAMES),
        ("scaff", {"theta": 1.5}, ValueError, "theta == 1.5, must be <= 1"),
        ("scaff", {"min_samples_leaf": 0}, ValueError, "min_samples_leaf == 0, must be >= 1"),
        ("scaff", {"sensitive": [2]}, ValueError, "sensitive has 2, which is not a column.*0 to 1"),
        ("scaff", {"sensitive": ["sex"]}, ValueError, "'sex', which is not a column of X"),
        ("jaworski", {"gini": "type_3"}, ValueError, "gini 'type_3'.*'type_1', 'type_2'"),
        ("jaworski", {"delta": 0.5}, ValueError, "delta == 0.5, must be < 0.5"),
        ("jaworski", {"tie_threshold": -1.0}, ValueError, "tie_threshold == -1.0, must be >= 0"),
        ("isat", {"n_batches": 0}, ValueError, "n_batches == 0, must be >= 1"),
        ("isat", {"n_batches": 2, "tolerance": -1.0}, ValueError, "tolerance == -1.0, must be"),
    ],
)  # fmt: skip
def test_parameters(name, params, error, message):
    with pytest.raises(error, match=message):
        estimator_of(name, **params).fit(X4, Y4)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("scaff", "jaworski")])
def test_trees_grow_until_pure(name):
    X, y = load_breast_cancer(return_X_y=True)
    assert estimator_of(name, min_samples_split=2).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("name", NAMES)
def test_extreme_values(name):
    # Differences of these overflow, and their squares even more so.
    X = np.array([[-1e308], [-9e307], [9e307], [1e308]])
    fitted = estimator_of(name, min_samples_split=2).fit(X, [0, 0, 1, 1])
    assert fitted.get_n_leaves() == (1 if name == "jaworski" else 2)


def test_no_criterion_has_a_name_of_the_package():
    for name in NAMES:
        assert not hasattr(retree, import_estimator(ESTIMATORS[name].target).__name__)
