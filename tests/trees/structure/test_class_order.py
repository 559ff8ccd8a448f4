"""Segment+C4.5, SPES and SPCE against the slow reference."""

from dataclasses import replace

import engine_parts
import numpy as np
import pytest
from class_order_methods import METHODS, estimator_of, every_method, grown, parameters
from every_classifier import GROWN_OUT
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_class_order import (
    Rule,
    best_split,
    fewest_segments,
    fewest_segments_of_all_orders,
    gain_ratio,
    grow,
    hellinger,
    segments_of_child,
)
from problems import CRITERIA, assert_same_tree, examples, max_depths, problems
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import StructurePurityClassifier
from retree.trees.structure.structure_trees import (
    SegmentC45Classifier,
    SPCEClassifier,
    SPESClassifier,
)


def nested(tree, most_rows=0, node=0):
    """Return a tree as the reference writes it, nodes of at most `most_rows` rows as leaves."""
    counts = tuple(tree.counts[node].astype(int).tolist())
    if tree.is_leaf[node] or sum(counts) <= most_rows:
        return counts
    children = (nested(tree, most_rows, child) for child in tree.children_of(node))
    return (int(tree.feature[node]), float(tree.threshold[node]), *children)


@st.composite
def sequences(draw, most_rows, most_values):
    """Draw sorted values and labels 0 .. 4."""
    n = draw(st.integers(1, most_rows))
    values = draw(st.lists(st.integers(0, most_values), min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return np.sort(np.array(values)), np.array(labels)


@pytest.mark.parametrize(
    ("values", "labels", "expected"),
    [
        ([0, 1, 2, 3], [0, 1, 1, 0], 3),
        ([0, 1, 1, 2], [0, 1, 0, 1], 2),
        ([0, 0, 1, 1], [0, 1, 0, 1], 3),
        ([0, 1, 1, 2], [0, 1, 0, 0], 3),
        ([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0], 4),
        ([5, 5, 5, 5], [2, 0, 1, 0], 3),
    ],
)
def test_segments_by_hand(values, labels, expected):
    assert fewest_segments_of_all_orders(np.array(values), np.array(labels)) == expected
    assert fewest_segments(np.array(values), np.array(labels)) == expected


@examples
@given(sequence=sequences(most_rows=6, most_values=2))
def test_reference_finds_the_best_of_all_orders(sequence):
    assert fewest_segments(*sequence) == fewest_segments_of_all_orders(*sequence)


@examples
@given(sequence=sequences(most_rows=40, most_values=20), limit=st.integers(1, 50))
def test_count_of_segments(sequence, limit):
    values, labels = sequence
    found = np.empty(1, np.int64)
    engine_parts.call("structure_segments", values, labels.astype(np.int32), 5, limit, found)
    assert found[0] == min(limit, fewest_segments(values, labels))


def test_constant_attributes_do_not_count():
    X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])
    y = np.array([0, 1, 0, 1])
    assert segments_of_child(X, y, None) == 4
    assert segments_of_child(X[:, 1:], y, None) == 2


@examples
@given(
    y=st.lists(st.integers(0, 3), min_size=2, max_size=12).filter(lambda y: len(set(y)) > 1),
    data=st.data(),
)
def test_measures_of_frequency(y, data):
    n_left = data.draw(st.integers(1, len(y) - 1))
    labels, left = np.array(y), np.arange(len(y)) < n_left
    counts = np.bincount(labels, minlength=4), np.bincount(labels[left], minlength=4)
    for unit in (1.0, 0.375):  # neither measure depends on it
        scores = np.empty(2)
        engine_parts.call("structure_frequency", *(unit * own for own in counts), scores)
        assert scores[0] == pytest.approx(gain_ratio(labels, left), abs=1e-12)
        assert scores[1] == pytest.approx(hellinger(labels, left), abs=1e-12)


def test_hellinger_by_hand():
    # Of class 0 all rows go left, of class 1 one in four.
    y, left = np.array([0, 0, 1, 1, 1, 1]), np.array([1, 1, 1, 0, 0, 0], bool)
    assert hellinger(y, left) == pytest.approx(np.sqrt(0.5**2 + 0.75))


# Thresholds 0, 1, 2, 3: gain ratio .446, .021, .021, .237; Hellinger distance .77, .17, .17, .61;
# segments 1 and 3, 2 and 3, 2 and 2, 3 and 1; so the expected ones are 2.6, 2.6, 2, 2.6.
@pytest.mark.parametrize(
    ("params", "threshold"),
    [
        ({"method": "segment", "k": 1}, 0),
        ({"method": "segment", "k": 3}, 0),
        ({"method": "segment", "k": 4}, 2),
        ({"method": "spes", "k": 3, "alpha": 0.0}, 0),
        ({"method": "spes", "k": 4, "alpha": 0.5}, 2),
        ({"method": "spes", "k": 4, "alpha": 0.8}, 0),
        ({"method": "spes", "k": 4, "alpha": 0.5, "normalisation": "spes2"}, 0),
        ({"method": "spes", "k": 4, "alpha": 0.1, "normalisation": "spes2"}, 2),
        ({"method": "spce", "k": 3}, 0),
        ({"method": "spce", "k": 4}, 2),
    ],
)
def test_choice_by_hand(params, threshold):
    X, y = np.arange(5.0)[:, None], np.array([0, 1, 1, 0, 1])
    assert best_split(X, y, Rule(**params, min_samples_leaf=1)) == (0, threshold)
    tree = grown(X, y, params, max_depth=1, min_samples_leaf=1)
    assert (tree.feature[0], tree.threshold[0]) == (0, threshold)


@pytest.mark.parametrize(
    ("method", "ties", "feature"),
    [
        ("segment", "attribute", 0),
        ("segment", "rank", 1),
        ("spce", "attribute", 0),
        ("spce", "rank", 1),
        ("spes", "attribute", 0),
    ],
)
def test_ties_of_segments(method, ties, feature):
    # The second column parts the classes 5 : 1, the first one 4 : 2; all children have 2 segments.
    X = np.repeat([[0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1]], [3, 1, 2, 2, 1, 3], axis=0)
    y = np.repeat([0, 0, 1, 0, 1, 1], [3, 1, 2, 2, 1, 3])
    params = {"method": method, "ties": ties, "alpha": 0.0, "segment_attribute": "best"}
    assert grown(X, y, params, max_depth=1).feature[0] == feature


@settings(examples, max_examples=60)
@given(problem=problems(), params=parameters, max_depth=max_depths)
def test_tree_is_that_of_the_reference(problem, params, max_depth):
    X, y = problem
    if params["method"] == "spes":
        params["ties"] = "attribute"  # there is no choice
    expected = grow(X, y, Rule(**params), max_depth)
    assert nested(grown(X, y, params, max_depth=max_depth)) == expected


@examples
@given(problem=problems(), params=parameters, seed=st.integers(0, 999))
def test_a_row_of_weight_one_and_a_half_is_three_rows_of_half_the_size(problem, params, seed):
    X, y = problem
    if params["method"] == "spes":
        params["ties"] = "attribute"
    times = np.random.default_rng(seed).integers(2, 5, len(y))
    tree = estimator_of(**params).fit(X, y, sample_weight=times / 2).tree_
    rows = np.repeat(np.arange(len(y)), times)
    params["min_samples_leaf"] *= 2
    assert nested(replace(tree, counts=2 * tree.counts)) == grow(X[rows], y[rows], Rule(**params))


@every_method
@pytest.mark.parametrize("segment_attribute", ["best", "split"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_many_candidates_of_few_columns(method, segment_attribute, n_classes):
    # Bounds that hold from one candidate of a column to the next must never hide the fewest.
    rng = np.random.default_rng(n_classes)
    n = 130
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, 25, n), rng.integers(0, 2, (n, 3)), rng.random(n)]
    )
    y = rng.integers(0, n_classes, n)
    y[X[:, 0] > 0.7] = 0
    params = {"segment_attribute": segment_attribute, "k": 40, "small_child": "skip"}
    params |= {"method": method, "alpha": 0.3, "min_samples_leaf": 8}
    expected = grow(X, y, Rule(**params), 2)
    assert nested(grown(X, y, params, max_depth=2)) == expected
    assert len(expected) == 4


@examples
@given(
    problem=problems(most_rows=60),
    params=parameters,
    points=st.lists(
        st.fixed_dictionaries(
            {"k": st.integers(1, 9)}, optional={"alpha": st.sampled_from([0.0, 0.2, 0.7, 1.0])}
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_grid_gives_the_trees_of_single_fits(problem, params, points):
    X, y = problem
    if params["method"] != "spes":
        points = [{"k": point["k"]} for point in points]
    base = estimator_of(**params)
    grid = base.fit_grid(X, y, points)
    assert not hasattr(base, "tree_")
    for point, model in zip(points, grid, strict=True):
        single = estimator_of(**{**params, **point}).fit(X, y)
        assert model.get_params() == single.get_params()
        assert_same_tree(model.tree_, single.tree_)


@every_method
def test_chains_and_many_classes(method):
    n = 2500
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    chain = estimator_of(method, min_samples_leaf=1).fit(X, y)
    assert chain.score(X, y) == 1.0
    labels = np.repeat(np.arange(200), 4)
    rows = labels[:, None] + 0.01 * np.random.default_rng(0).random((800, 2))
    assert estimator_of(method, min_samples_leaf=1, k=3).fit(rows, labels).score(rows, labels) == 1


@pytest.mark.parametrize(
    "model",
    [
        *(cls(k=4) for cls in METHODS.values()),
        *(StructurePurityClassifier(criterion=c) for c in CRITERIA),
    ],
    ids=[*METHODS, *CRITERIA],
)
def test_small_children_that_are_kept_change_no_other_node(model):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 3, 120)
    model.set_params(small_child="keep", min_samples_leaf=1)
    full = model.fit(X, y).tree_
    assert full.n_leaves == (full.counts.max(axis=1) == full.counts.sum(axis=1))[full.is_leaf].sum()
    for m in (2, 5, 30):
        tree = model.set_params(min_samples_leaf=m).fit(X, y).tree_
        assert nested(tree) == nested(full, m)


@every_method
@pytest.mark.parametrize("small_child", ["leaf", "skip"])
def test_no_child_can_be_large_enough(method, small_child):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    for m in (16, 30, 10**9):
        model = estimator_of(method, min_samples_leaf=m, small_child=small_child)
        assert model.fit(X, y).get_n_leaves() == 1


@every_method
@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"k": 0}, ValueError, "k == 0, must be >= 1"),
        ({"segment_attribute": "all"}, ValueError, "segment_attribute 'all'.*'best', 'split'"),
        ({"small_child": "merge"}, ValueError, "small_child 'merge'.*'leaf', 'skip', 'keep'"),
        ({"min_samples_leaf": 1.5}, ValueError, "a whole number of at least 1, or a fraction"),
        ({"max_depth": 0}, ValueError, "max_depth == 0, must be >= 1"),
    ],
)
def test_wrong_parameters(method, params, error, message):
    with pytest.raises(error, match=message):
        METHODS[method](**params).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("estimator", [SegmentC45Classifier, SPCEClassifier])
def test_wrong_ties(estimator):
    with pytest.raises(ValueError, match=r"ties 'first'.*'attribute', 'rank'"):
        estimator(ties="first").fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"alpha": 1.1}, ValueError, "alpha == 1.1, must be <= 1"),
        ({"alpha": np.nan}, ValueError, "alpha is NaN"),
        ({"alpha": "half"}, TypeError, "alpha must be an instance of float"),
        ({"normalisation": "max"}, ValueError, "normalisation 'max'.*'spes1', 'spes2'"),
    ],
)
def test_wrong_parameters_of_spes(params, error, message):
    with pytest.raises(error, match=message):
        SPESClassifier(**params).fit([[0.0], [1.0]], [0, 1])


def test_grid_takes_shared_parameters_only():
    message = r"fit_grid can vary only \('k',\), not \['alpha'\]"
    with pytest.raises(ValueError, match=message):
        SPCEClassifier().fit_grid([[0.0], [1.0]], [0, 1], [{"alpha": 0.5}])
    assert SPESClassifier().fit_grid([[0.0], [1.0]], [0, 1], []) == []


@parametrize_with_checks(
    [SegmentC45Classifier(), SPESClassifier(), SPCEClassifier()],
    expected_failed_checks=lambda _: GROWN_OUT,
)
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)
