"""The original search against the trees of the OC1 program itself."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import examples, problems
from real_sets import read_set

from retree import CartLCClassifier, OC1Classifier
from retree.trees.mixed import Sample
from retree.trees.oblique.oblique_base import OriginalRule, _tree, grow_original, seeded_state

REFERENCE = Path(__file__).parents[2] / "reference" / "oc1"
TREES = pd.read_csv(REFERENCE / "original_trees.csv").groupby(["dataset", "mode", "seed"])
RUNS = pd.read_csv(REFERENCE / "original_runs.csv").set_index(["dataset", "mode", "seed"])
DEFAULTS = {"min_rows_per_feature": 2.0, "min_samples_split": 2, "max_depth": 51}
RULES = {
    "cart_lc": OriginalRule(shifts=False, is_cart=True, max_cycles=100, **DEFAULTS),
    "oc1": OriginalRule(shifts=True, n_restarts=20, max_jumps=5, **DEFAULTS),
    "oc1_unshifted": OriginalRule(shifts=False, n_restarts=20, max_jumps=5, **DEFAULTS),
}
METHODS = {
    "cart_lc": lambda **params: CartLCClassifier(search="original", normalise=False, **params),
    "oc1": lambda **params: OC1Classifier(search="original", n_restarts=3, **params),
}
every_method = pytest.mark.parametrize("method", METHODS)


def rows_of(dataset):
    """Return rows to train and to test with, and their class codes, as the program got them."""
    X, y = read_set(dataset)
    order = np.random.RandomState(0).permutation(len(y))
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)[order]
    X = X.to_numpy()[order]
    n = 100 if dataset == "iris" else 250
    return X[:n], codes[:n], X[n : 2 * n], codes[n : 2 * n]


def shuffled(n, seed):
    """Return the order into which the program brings n rows, and the state of drand48 then."""
    state, order = seeded_state(seed), np.arange(n)
    for i in range(n):
        state = (0x5DEECE66D * state + 0xB) % 2**48
        other = int(np.float32(1.0 + state / 2**48 * (n - 1.0))) - 1
        order[[i, other]] = order[[other, i]]
    return order, state


def nodes_below(tree, node=0, way=""):
    """Yield the way to each test, depth first, and the rows of each class on its sides."""
    if tree.is_leaf[node]:
        return
    children = tree.children_of(node)
    yield (way or "root", *(" ".join(f"{n:.0f}" for n in tree.counts[c]) for c in children))
    for child, side in zip(children, "lr", strict=True):
        yield from nodes_below(tree, child, way + side)


@pytest.mark.parametrize(("dataset", "mode", "seed"), list(TREES.groups))
def test_trees_are_those_of_the_program(dataset, mode, seed):
    X, y, X_test, y_test = rows_of(dataset)
    order, state = shuffled(len(y), seed)
    sample = Sample(np.ascontiguousarray(X[order]), y[order], np.ones(len(y)))
    tree = _tree(*grow_original(sample, y.max() + 1, RULES[mode], state))
    expected = TREES.get_group((dataset, mode, seed))[["way", "left", "right"]]
    assert list(nodes_below(tree)) == list(expected.itertuples(index=False, name=None))
    run = RUNS.loc[dataset, mode, seed]
    assert (tree.n_leaves, tree.max_depth) == (run["leaves"], run["depth"])
    hits = np.mean(tree.predicted_codes(X_test, divide_missing=False) == y_test)
    # Where a coefficient has overflowed, other products of the program overflow with it.
    overflows = mode == "cart_lc" and dataset not in ("iris", "vehicle")
    difference = abs(round(100 * hits - run["accuracy_pct"], 2))
    assert (difference > 0.0) == overflows
    assert difference <= 2.0


@every_method
def test_trees_depend_on_neither_the_order_of_the_rows_nor_the_call(method):
    X, y, X_test, _ = rows_of("ringnorm")
    first = METHODS[method](random_state=0).fit(X, y)
    again = METHODS[method](random_state=0).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(first.tree_.normals, again.tree_.normals)
    np.testing.assert_array_equal(first.predict(X_test), again.predict(X_test))


@given(problems(), st.booleans(), st.sampled_from(sorted(METHODS)))
@examples
def test_any_data_make_a_tree_of_finite_tests(problem, shifts, method):
    X, y = problem
    model = METHODS[method](random_state=0, pruning=None, min_samples_split=2)
    tree = model.set_params(normalise=shifts).fit(X, y).tree_
    assert np.isfinite(tree.tests.normals).all()
    assert np.isfinite(tree.threshold[~tree.is_leaf]).all()
    np.testing.assert_array_equal(tree.counts[0], np.bincount(y))
    for node in np.flatnonzero(~tree.is_leaf):
        np.testing.assert_array_equal(tree.counts[tree.children_of(node)].sum(0), tree.counts[node])


@every_method
@pytest.mark.parametrize("params", [{"criterion": "gini"}, {"max_depth": None}])
def test_what_the_program_cannot_do_is_refused(method, params):
    X, y, *_ = rows_of("iris")
    with pytest.raises(ValueError, match='set criterion="twoing" and a max_depth'):
        METHODS[method](**params).fit(X, y)


def test_what_the_searches_of_the_program_lack_is_refused():
    X, y, *_ = rows_of("iris")
    with pytest.raises(ValueError, match="set elimination=None"):
        METHODS["cart_lc"](elimination=0.2).fit(X, y)
    with pytest.raises(ValueError, match='set order="sequential"'):
        METHODS["oc1"](order="random").fit(X, y)
    with pytest.raises(ValueError, match="32-bit floats"):
        METHODS["oc1"]().fit(X * 1e40, y)
