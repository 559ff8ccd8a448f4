"""The searches of OC1 and CART-LC held against plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_oblique import best_cut, goodness, impurity
from problems import examples

from retree.trees.kernels.cart_lc_search import Cycling, search_cart_lc
from retree.trees.kernels.oblique_bins import make_bench
from retree.trees.kernels.oblique_cloud import Cloud
from retree.trees.kernels.oblique_goodness import TIE, bound_box, make_table
from retree.trees.kernels.oblique_goodness import goodness as kernel_goodness
from retree.trees.kernels.oblique_line import search_line
from retree.trees.kernels.oblique_plane import (
    SCORE,
    make_plane,
    place_plane,
    take_step,
    try_line,
)
from retree.trees.kernels.oc1_climb import BEST_FIRST, RANDOM, SEQUENTIAL, Climbing, climb
from retree.trees.kernels.oc1_search import search_oc1
from retree.trees.oblique import CRITERIA

criteria = st.sampled_from(sorted(CRITERIA))
every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
seeds = st.integers(0, 2**32 - 1)
counts = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=5)


def cloud_of(z, y, criterion):
    """Return the cloud of rows whose attributes are the rows of `z`, sorted by their class `y`."""
    z = np.ascontiguousarray(np.vstack([z, np.ones(len(y))]), dtype=np.float64)
    totals = np.bincount(y).astype(np.float64)
    first = np.concatenate(([0], totals.cumsum())).astype(np.uint64)
    kind = CRITERIA[criterion]
    table = make_table(len(y), kind)
    mean, row = np.abs(z).mean(axis=1), np.arange(len(y), dtype=np.int32)
    return Cloud(z, mean, y.astype(np.int32), first, totals, float(len(y)), kind, table, row)


def draw_cloud(seed, criterion, n=120, n_attributes=4, n_classes=3):
    """Return a cloud in which an oblique direction tells the classes apart, noise aside."""
    rng = np.random.default_rng(seed)
    z = rng.random((n_attributes, n))
    score = rng.normal(size=n_attributes) @ z + 0.1 * rng.normal(size=n)
    y = np.sort(rng.integers(0, n_classes, n))
    y[:n_classes] = np.arange(n_classes)
    y = np.sort(y)
    return cloud_of(z[:, np.argsort(score)], y, criterion)


def random_plane(cloud, seed):
    """Return a random hyperplane through the middle, and working memory."""
    plane, bench = make_plane(cloud), make_bench(len(cloud.row), len(cloud.totals))
    plane.weights[:-1] = np.random.default_rng(seed).uniform(-1, 1, len(cloud.z) - 1)
    plane.weights[-1] = -np.median(plane.weights[:-1] @ cloud.z[:-1])
    place_plane(cloud, plane, bench)
    return plane, bench


def goodness_of(weights, cloud, criterion):
    """Return the goodness of a hyperplane by definition."""
    is_left = weights @ cloud.z <= 0
    sides = [np.bincount(cloud.label[s], minlength=len(cloud.totals)) for s in (is_left, ~is_left)]
    return goodness(*sides, criterion)


@given(counts, criteria)
@examples
def test_goodness_is_the_impurity_turned_round(sides, criterion):
    left, right = np.array(sides, float).T
    n = left.sum() + right.sum()
    table = make_table(int(n), CRITERIA[criterion])
    found = kernel_goodness(left, left.sum(), left + right, n, CRITERIA[criterion], table)
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
    n, kind = totals.sum(), CRITERIA[criterion]
    table = make_table(int(n), kind)
    bound = bound_box(low, low + extra, totals, n, kind, table)
    assert kernel_goodness(left, left.sum(), totals, n, kind, table) <= bound + TIE * n


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
    cloud = cloud_of(np.ones((1, len(y))), y, criterion)
    bench = make_bench(len(y), len(cloud.totals))
    found = search_line(cloud, value, direction, width, -np.inf, bench)
    best = best_cut(value, direction, y, criterion)
    if best is None:
        assert found.goodness == -np.inf
        return
    assert found.goodness == pytest.approx(best[0], rel=1e-12, abs=1e-9)
    steps = [-value[row] / direction[row] for row in (found.below, found.above)]
    assert steps == [float(best[1]), float(best[2])]


@given(lines(), criteria, st.sampled_from([-1.0, 0.0, 1e-6, 1.0]))
@examples
def test_a_cut_is_found_only_if_it_reaches_the_bar(line, criterion, above):
    value, direction, y = line
    cloud = cloud_of(np.ones((1, len(y))), y, criterion)
    bench = make_bench(len(y), len(cloud.totals))
    best = search_line(cloud, value, direction, 1.0, -np.inf, bench)
    if best.goodness == -np.inf:
        return
    found = search_line(cloud, value, direction, 1.0, best.goodness + above, bench)
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
        cloud = cloud_of(np.ones((1, n)), y, criterion)
        found = search_line(cloud, value, direction, 1.0, -np.inf, make_bench(n, 2 + seed))
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
        cloud = draw_cloud(seed, criterion)
        plane, bench = random_plane(cloud, seed)
        for step in range(40):
            m, before = step % len(plane.weights), plane.state[SCORE]
            reached, size = try_line(cloud, plane, cloud.z[m], cloud.mean[m], step % 3 == 0, bench)
            if reached == -np.inf:
                continue
            assert reached >= before - TIE * cloud.n
            plane.weights[m] += size
            take_step(plane.value, plane.state, cloud.z[m], size, reached)
            assert goodness_of(plane.weights, cloud, criterion) == pytest.approx(reached, abs=1e-9)
            n_steps += 1
    assert n_steps > 20


@every_criterion
@pytest.mark.parametrize("order", [SEQUENTIAL, BEST_FIRST, RANDOM])
def test_a_climb_ends_where_no_coefficient_helps(criterion, order):
    climbing = Climbing(order=order, n_restarts=0, max_jumps=0, stagnation=1.0)
    gains = []
    for seed in range(5):
        cloud = draw_cloud(seed, criterion)
        plane, bench = random_plane(cloud, seed)
        before = plane.state[SCORE]
        climb(cloud, plane, climbing, np.inf, np.array([seed], np.uint64), bench)
        gains.append(plane.state[SCORE] - before)
        assert gains[-1] >= -TIE * cloud.n
        if order == RANDOM:
            continue
        for m in range(len(plane.weights)):
            assert try_line(cloud, plane, cloud.z[m], cloud.mean[m], False, bench)[0] == -np.inf
    assert np.mean(gains) > 0


@every_criterion
def test_searches_are_no_worse_than_where_they_start(criterion):
    gains = []
    for seed in range(5):
        cloud = draw_cloud(seed, criterion)
        start = np.zeros(len(cloud.z))
        start[0], start[-1] = 1.0, -np.median(cloud.z[0])
        climbing = Climbing(order=SEQUENTIAL, n_restarts=3, max_jumps=2, stagnation=1.0)
        found = [
            search_oc1(cloud, start, climbing, np.array([seed], np.uint64)),
            search_cart_lc(cloud, start, Cycling(max_cycles=100, elimination=0.0)),
        ]
        before = goodness_of(start, cloud, criterion)
        gains += [goodness_of(weights, cloud, criterion) - before for weights in found]
    assert min(gains) >= -1e-9
    assert np.mean(gains) > 0


def test_elimination_drops_attributes_of_no_use():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(5, 400))
    order = np.argsort(z[0] + z[1], kind="stable")
    cloud = cloud_of(z[:, order], np.repeat([0, 1], 200), "twoing")
    start = np.array([1.0, 0, 0, 0, 0, 0])
    kept = search_cart_lc(cloud, start, Cycling(max_cycles=100, elimination=0.0))
    few = search_cart_lc(cloud, start, Cycling(max_cycles=100, elimination=0.2))
    np.testing.assert_array_equal(np.flatnonzero(few[:-1]), [0, 1])
    assert np.count_nonzero(kept[:-1]) > 2
    assert goodness_of(few, cloud, "twoing") >= 0.95 * goodness_of(kept, cloud, "twoing")
