"""The searches of OC1 and CART-LC held against plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_oblique import best_cut, goodness, impurity
from problems import examples
from search_parts import (
    TIE,
    best_step,
    goodness_and_bound,
    search_cart_lc,
    search_line,
    search_oc1,
)

from retree.trees.oblique.oblique_base import CRITERIA
from retree.trees.oblique.oblique_trees import ORDERS

criteria = st.sampled_from(sorted(CRITERIA))
every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
seeds = st.integers(0, 2**32 - 1)
counts = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=5)


def draw_rows(seed, n=120, n_features=4, n_classes=3):
    """Return rows whose classes an oblique direction tells apart, noise aside."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_features))
    score = X @ rng.normal(size=n_features) + 0.1 * rng.normal(size=n)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return np.ascontiguousarray(X[np.argsort(score)]), np.sort(y).astype(np.int32)


def random_plane(X, seed):
    """Return a random hyperplane through the middle."""
    normal = np.random.default_rng(seed).uniform(-1, 1, X.shape[1])
    return np.append(normal, -np.median(X @ normal))


def goodness_of(weights, X, y, criterion):
    """Return the goodness of a hyperplane by definition."""
    is_left = X @ weights[:-1] + weights[-1] <= 0
    sides = [np.bincount(y[side], minlength=y.max() + 1) for side in (is_left, ~is_left)]
    return goodness(*sides, criterion)


@given(counts, criteria)
@examples
def test_goodness_is_the_impurity_turned_round(sides, criterion):
    left, right = np.array(sides, float).T
    found, _ = goodness_and_bound(left, left, left + right, criterion)
    if left.sum() == 0 or right.sum() == 0:
        assert found == -np.inf
    else:
        assert found == pytest.approx(goodness(left, right, criterion), rel=1e-12, abs=1e-9)


def test_impurities_of_an_example():
    left, right = [3, 1], [1, 5]
    assert impurity(left, right, "twoing") == pytest.approx(1 / (0.24 * (2 * (3 / 4 - 1 / 6)) ** 2))
    assert impurity(left, right, "gini") == pytest.approx(0.4 * 3 / 8 + 0.6 * 10 / 36)
    assert impurity(left, right, "sum_minority") == 0.2
    assert impurity(left, right, "max_minority") == 0.1
    assert impurity([2, 2], [0, 4], "entropy") == 0.5


@given(counts, st.sampled_from(sorted(set(CRITERIA) - {"twoing"})), st.data())
@examples
def test_no_count_within_a_box_exceeds_its_bound(sides, criterion, data):
    low, extra = np.array(sides, float).T
    beyond = np.array([data.draw(st.integers(0, 30)) for _ in low], float)
    inside = np.array([data.draw(st.integers(0, int(e))) for e in extra], float)
    totals, left = low + extra + beyond, low + inside
    found, _ = goodness_and_bound(left, left, totals, criterion)
    _, bound = goodness_and_bound(low, low + extra, totals, criterion)
    assert found <= bound + TIE * totals.sum()


@st.composite
def lines(draw):
    """Draw value, direction and sorted classes of rows: whole numbers, so there are many ties."""
    n, n_classes = draw(st.integers(2, 60)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(seeds))
    span = draw(st.sampled_from([2, 5, 40, 1000]))
    value = rng.integers(-span, span + 1, n).astype(float)
    lowest = draw(st.sampled_from([0, -span]))
    direction = rng.integers(lowest, span + 1, n).astype(float)
    if draw(st.booleans()):
        direction[:] = draw(st.sampled_from([1.0, -1.0]))
    y = rng.integers(0, n_classes, n)
    y[:2] = 0, 1
    return value, direction, np.sort(np.unique(y, return_inverse=True)[1])


@given(lines(), criteria, st.sampled_from([0.01, 1.0, 30.0]))
@examples
def test_the_cut_of_a_line_is_the_best_of_all(line, criterion, width):
    value, direction, y = line
    found = search_line(value, direction, y, criterion, width)
    best = best_cut(value, direction, y, criterion)
    if best is None:
        assert found.goodness == -np.inf
        return
    assert found.goodness == pytest.approx(best[0], rel=1e-12, abs=1e-9)
    steps = [-value[row] / direction[row] for row in (found.below, found.above)]
    assert steps == [float(best[1]), float(best[2])]


@given(lines(), criteria, st.sampled_from([0.01, 1.0, 30.0]), st.sampled_from([1, 40, 4000]), seeds)
@examples
def test_the_cut_of_rows_of_any_weights_is_the_best_of_all(line, criterion, width, most, seed):
    value, direction, y = line
    weight = np.random.default_rng(seed).integers(1, 8 * most + 1, len(y)) / 8
    found = search_line(value, direction, y, criterion, width, weight=weight)
    best = best_cut(value, direction, y, criterion, weight)
    if best is None:
        assert found.goodness == -np.inf
        return
    assert found.goodness == pytest.approx(best[0], rel=1e-12, abs=1e-9 * most)
    steps = [-value[row] / direction[row] for row in (found.below, found.above)]
    assert steps == [float(best[1]), float(best[2])]


@given(lines(), criteria, st.sampled_from([-1.0, 0.0, 1e-6, 1.0]))
@examples
def test_a_cut_is_found_only_if_it_reaches_the_bar(line, criterion, above):
    value, direction, y = line
    best = search_line(value, direction, y, criterion)
    if best.goodness == -np.inf:
        return
    found = search_line(value, direction, y, criterion, bar=best.goodness + above)
    assert found == (best if above <= 0 else (-np.inf, -1, -1))


@every_criterion
@pytest.mark.parametrize("signed", [False, True])
def test_the_cut_of_many_rows_is_the_best_of_all(criterion, signed):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = (300, 700, 1500)[seed]
        y = np.sort(rng.integers(0, 2 + seed, n))
        value = rng.normal(size=n) + 0.3 * y
        direction = rng.normal(size=n) if signed else rng.random(n) ** 2
        found = search_line(value, direction, y, criterion)
        order = np.argsort(-value / direction)
        enters = direction[order] < 0
        left = np.bincount(y[direction > 0], minlength=2 + seed)
        best = -np.inf
        for row, sign in zip(order[:-1], np.where(enters, 1, -1), strict=False):
            left[y[row]] += sign
            if 0 < left.sum() < n:
                best = max(best, goodness(left, np.bincount(y) - left, criterion))
        assert found.goodness == pytest.approx(best, rel=1e-12, abs=1e-9)


@every_criterion
def test_no_step_makes_a_hyperplane_worse(criterion):
    n_steps = 0
    for seed in range(5):
        X, y = draw_rows(seed)
        weights, reached = random_plane(X, seed), None
        for turn in range(40):
            m = turn % len(weights)
            step = best_step(X, y, criterion, weights, m, turn % 3 == 0)
            assert goodness_of(weights, X, y, criterion) == pytest.approx(step.before, abs=1e-9)
            assert reached is None or step.before == pytest.approx(reached, abs=1e-9)
            reached = step.before
            if step.reached > -np.inf:
                assert step.reached >= step.before - TIE * len(y)
                weights[m] += step.size
                reached = step.reached
                n_steps += 1
    assert n_steps > 20


@every_criterion
@pytest.mark.parametrize("order", ORDERS)
def test_a_climb_ends_where_no_coefficient_helps(criterion, order):
    gains = []
    for seed in range(5):
        X, y = draw_rows(seed)
        start = random_plane(X, seed)
        end = search_oc1(X, y, criterion, start, order, seed=seed)
        gains.append(goodness_of(end, X, y, criterion) - goodness_of(start, X, y, criterion))
        assert gains[-1] >= -TIE * len(y)
        if order == "random":
            continue
        for m in range(len(end)):
            assert best_step(X, y, criterion, end, m, False).reached == -np.inf
    assert np.mean(gains) > 0


@every_criterion
def test_searches_are_no_worse_than_where_they_start(criterion):
    gains = []
    for seed in range(5):
        X, y = draw_rows(seed)
        start = np.array([1.0, 0.0, 0.0, 0.0, -np.median(X[:, 0])])
        jumps = {"n_restarts": 3, "max_jumps": 2, "seed": seed}
        found = [
            search_oc1(X, y, criterion, start, "sequential", **jumps),
            search_cart_lc(X, y, criterion, start),
        ]
        before = goodness_of(start, X, y, criterion)
        gains += [goodness_of(weights, X, y, criterion) - before for weights in found]
    assert min(gains) >= -1e-9
    assert np.mean(gains) > 0


def test_elimination_drops_features_of_no_use():
    X = np.random.default_rng(0).normal(size=(5, 400)).T
    X = np.ascontiguousarray(X[np.argsort(X[:, 0] + X[:, 1], kind="stable")])
    y = np.repeat([0, 1], 200).astype(np.int32)
    start = np.array([1.0, 0, 0, 0, 0, 0])
    kept = search_cart_lc(X, y, "twoing", start)
    few = search_cart_lc(X, y, "twoing", start, elimination=0.2)
    np.testing.assert_array_equal(np.flatnonzero(few[:-1]), [0, 1])
    assert np.count_nonzero(kept[:-1]) > 2
    assert goodness_of(few, X, y, "twoing") >= 0.95 * goodness_of(kept, X, y, "twoing")
