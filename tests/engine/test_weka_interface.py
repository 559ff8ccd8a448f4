"""The engine's REPTree and RandomTree: whatever they get, they answer or refuse."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from call_by_name import call_by_name
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from problems import assert_same_tree
from test_c45_interface import DAMAGE, INTEGERS, N_CLASSES, samples

from retree import engine
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.weighted_columns import make_weighted_columns

OWN = {name: DAMAGE[name] for name in ("X", "y", "weight", "entries", "codes", "n_levels")} | {
    "n_classes": DAMAGE["n_classes"],
    # No absurd ones: the allocator of the sanitizers ends the process, where `new` throws.
    "n_levels": lambda draw, n: draw(hnp.arrays(np.int32, len(n), elements=st.integers(-2, 9))),
    "drawn": lambda draw, rows: draw(hnp.arrays(np.int32, len(rows), elements=INTEGERS)),
    "terms": lambda draw, terms: terms[: draw(st.integers(0, 3))],
    "min_cases": DAMAGE["min_cases"],
    "folds": lambda draw, folds: draw(st.sampled_from([-1, 0, 1, 2, 2**40])),
    "is_exact": lambda draw, is_exact: not is_exact,
}


def arguments_of(given_sample, draw):
    sample, n_levels = given_sample
    columns = make_weighted_columns(sample, n_levels, N_CLASSES)
    n = len(sample.y)
    values = (columns.X, columns.y, columns.weight, columns.entries, columns.codes,
              columns.n_levels, N_CLASSES)  # fmt: skip
    return dict(zip(OWN, values, strict=False)) | {
        "drawn": draw(hnp.arrays(np.int32, st.integers(2, 30), elements=st.integers(0, n - 1))),
        "terms": np.concatenate([[0.0], np.arange(1.0, 40) * np.log(np.arange(1.0, 40))]),
        "min_cases": 1.0,
        "folds": 2,
        "is_exact": False,
        "takes_entries": draw(st.booleans()),
        "max_depth": draw(st.sampled_from([0, 1, 2**63 - 1])),
        "prune": draw(st.booleans()),
        "seed": draw(st.integers(-(2**63), 2**63 - 1)),
    }


@given(samples(), st.data())
def test_any_rows_grow_a_tree(given_sample, data):
    arguments = arguments_of(given_sample, data.draw)
    parent, feature, threshold, counts, sums = call_by_name("reptree_grow", "reptree", arguments)
    n_features = len(arguments["n_levels"])
    Tree.from_parents(parent, n_features=n_features, feature=feature, threshold=threshold,
                      counts=counts, row_sums=sums)  # fmt: skip
    drawn = arguments["drawn"]
    known = np.bincount(arguments["y"][drawn], arguments["weight"][drawn], N_CLASSES)
    np.testing.assert_allclose(counts[0], known, rtol=1e-9)


def test_infinite_values_stand_before_missing_ones():
    """Weka sorts them the other way round, and a tree would take the wrong rows for missing."""
    rng, own = np.random.default_rng(0), np.full(3, -1, np.int32)
    rule = {"min_cases": 1.0, "folds": 2, "is_exact": False, "max_depth": 2**63 - 1,
            "prune": False, "takes_entries": False}  # fmt: skip
    for seed in range(100):
        X = rng.choice([np.inf, -np.inf, np.nan, 1.0, 2.0], (15, 3))
        y = rng.integers(0, N_CLASSES, 15).astype(np.int32)
        columns = make_weighted_columns(Sample(X, y, np.ones(15)), own, N_CLASSES)
        drawn = np.arange(15, dtype=np.int32)
        values = (columns.X, columns.y, columns.weight, columns.entries, columns.codes,
                  columns.n_levels, N_CLASSES, drawn, np.zeros(1))  # fmt: skip
        names = (*list(OWN)[:6], "n_classes", "drawn", "terms")
        arguments = dict(zip(names, values, strict=True)) | rule | {"seed": seed}
        counts = call_by_name("reptree_grow", "reptree", arguments)[3]
        assert counts[0].sum() == 15


@pytest.mark.parametrize("rows", [range(9), [0, 0, 3, 5, 5, 5, 8]])
def test_taking_the_entries_changes_nothing(rows):
    X = np.random.default_rng(0).normal(size=(9, 2))
    sample = Sample(X, (X[:, 0] > 0).astype(np.int32), np.ones(9))
    trees = []
    for takes in (False, True):
        columns = make_weighted_columns(sample, np.full(2, -1, np.int32), N_CLASSES)
        values = (columns.X, columns.y, columns.weight, columns.entries, columns.codes,
                  columns.n_levels, N_CLASSES, np.array(rows, np.int32), np.zeros(20))  # fmt: skip
        names = (*list(OWN)[:6], "n_classes", "drawn", "terms")
        rule = {"min_cases": 1.0, "folds": 2, "is_exact": True, "max_depth": 5, "prune": True,
                "seed": 1, "takes_entries": takes}  # fmt: skip
        trees.append(
            call_by_name("reptree_grow", "reptree", dict(zip(names, values, strict=True)) | rule)
        )
    for plain, taken in zip(*trees, strict=True):
        np.testing.assert_array_equal(plain, taken)


RECORDS = ("parents", "feature", "threshold", "counts", "row_sums")


def random_trees(arguments, seeds, **others):
    """Return the records of RandomTrees that grow on the same rows with these seeds."""
    asked = {"n_tried": 2, "counts_rows": False} | arguments | others
    plain = {name: asked[name] for name in list(OWN)[:7]}
    drawn = np.tile(asked["drawn"], (len(seeds), 1))
    plain |= {"drawn": drawn, "seeds": np.array(seeds, np.int64), "terms": asked["terms"]}
    rule = {name: asked[name] for name in engine._rules()["retree_random_tree_rule"][1]}
    records = call_by_name("random_trees_grow", "random_tree", plain | rule)
    return dict(zip(RECORDS, records, strict=True))


@pytest.mark.parametrize("counts_rows", [False, True])
def test_sums_of_whole_weights_are_the_same_in_all_ways(counts_rows):
    """By a table of terms; without one; and row by row in the order in which Weka sorts."""
    rng, n, n_levels = np.random.default_rng(0), 60, np.array([-1, 3, 3, -1, 3, 5], np.int32)
    rule = {"min_cases": 1.0, "max_depth": 2**63 - 1, "n_tried": 4, "counts_rows": counts_rows}
    terms = np.empty(3 * n)
    engine.call("n_log_n", terms)
    for _ in range(30):
        X = rng.integers(0, 3, (n, len(n_levels))).astype(float)
        X[:, 2] = X[:, 1]  # the first of equal features wins
        y = rng.integers(0, N_CLASSES, n).astype(np.int32)
        sample = Sample(X, y, rng.integers(1, 3, n).astype(float))
        columns = make_weighted_columns(sample, n_levels, N_CLASSES)
        values = (columns.X, columns.y, columns.weight, columns.entries, columns.codes,
                  columns.n_levels, N_CLASSES)  # fmt: skip
        arguments = dict(zip(OWN, values, strict=False)) | rule
        arguments |= {"drawn": rng.integers(0, n, n).astype(np.int32), "terms": terms}
        by_table = random_trees(arguments, range(4), is_exact=True)
        for way in ({"is_exact": True, "terms": np.zeros(1)}, {"is_exact": False}):
            for name, record in random_trees(arguments, range(4), **way).items():
                np.testing.assert_array_equal(record, by_table[name], err_msg=name)
        for tree in Tree.several(n_features=len(n_levels), **by_table):
            of_branches = np.zeros_like(tree.counts)
            np.add.at(of_branches, tree.parents[1:], tree.counts[1:])
            np.testing.assert_array_equal(of_branches[~tree.is_leaf], tree.counts[~tree.is_leaf])


@given(samples(), st.data())
def test_trees_that_grow_at_once_are_those_that_grow_alone(given_sample, data):
    arguments = arguments_of(given_sample, data.draw)
    n_features = len(arguments["n_levels"])
    trees = Tree.several(n_features=n_features, **random_trees(arguments, range(3)))
    for seed, tree in enumerate(trees):
        alone = Tree.from_parents(n_features=n_features, **random_trees(arguments, [seed]))
        assert_same_tree(tree, alone)
        assert_same_tree(tree, replace(tree))


@given(samples(), st.sampled_from(sorted(OWN)), st.booleans(), st.data())
def test_what_does_not_fit_is_refused(given_sample, name, is_random, data):
    arguments = arguments_of(given_sample, data.draw)
    arguments[name] = OWN[name](data.draw, arguments[name])
    with suppress(ValueError, MemoryError):
        if is_random:
            n_trees = data.draw(st.integers(0, 3))
            records = random_trees(arguments, range(n_trees)).values()
        else:
            records = call_by_name("reptree_grow", "reptree", arguments)
        assert len({len(record) for record in records}) == 1


def test_sums_that_are_not_exact_are_refused():
    X, y = np.arange(4.0)[:, None], np.array([0, 1, 0, 1], np.int32)
    rule = {"min_cases": 1.0, "folds": 2, "is_exact": True, "max_depth": 5, "prune": False,
            "takes_entries": False}  # fmt: skip
    for bad, weight in ((np.nan, 1.0), (0.0, 0.5)):
        values = np.where(X == 0, bad, X)
        columns = make_weighted_columns(
            Sample(values, y, np.full(4, weight)), np.full(1, -1, np.int32), N_CLASSES
        )
        values = (columns.X, columns.y, columns.weight, columns.entries, columns.codes,
                  columns.n_levels, N_CLASSES)  # fmt: skip
        arguments = dict(zip(OWN, values, strict=False))
        arguments |= {"drawn": np.arange(4, dtype=np.int32), "terms": np.zeros(9)}
        with pytest.raises(ValueError, match="whole weights and all values"):
            call_by_name("reptree_grow", "reptree", arguments | rule | {"seed": 1})
