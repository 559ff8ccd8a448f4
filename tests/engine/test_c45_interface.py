"""C4.5's functions of the engine: whatever they get, they answer or refuse."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from call_by_name import call_by_name
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from problems import assert_same_tree

from retree import C45Classifier, engine
from retree.trees.c45.c45_growing import C45Rule, grow_c45
from retree.trees.mixed import Sample
from retree.trees.pruning.by_errors import estimated_errors, prune_error_based
from retree.trees.weighted_columns import make_weighted_columns

TOLERANCE = 1e-6
N_CLASSES = 3
VALUES = st.sampled_from([0.0, 1.0, 2.0, -1e308, 1e308, np.inf, -np.inf, np.nan])


@st.composite
def samples(draw):
    """Draw a sample of numeric columns and a nominal one of three levels, and its levels."""
    shape = draw(st.integers(1, 20)), draw(st.integers(0, 3))
    numeric = draw(hnp.arrays(np.float64, shape, elements=VALUES))
    levels = draw(hnp.arrays(np.float64, (shape[0], 1), elements=st.sampled_from([0, 2, np.nan])))
    y = draw(hnp.arrays(np.int32, shape[0], elements=st.integers(0, N_CLASSES - 1)))
    weight = draw(hnp.arrays(np.float64, shape[0], elements=st.sampled_from([1, 2, 0.3, 1e-9])))
    n_levels = np.array([-1] * shape[1] + [3], np.int32)
    return Sample(np.hstack([numeric, levels]), y, weight), n_levels


rules = st.builds(
    C45Rule,
    min_cases=st.sampled_from([0.0, 1.0, 2.0, 1e300]),
    mdl_correction=st.booleans(),
    binary_splits=st.booleans(),
    by_gain=st.booleans(),
    max_depth=st.sampled_from([-1, 0, 1, 2**63 - 1]),
    slack=st.sampled_from([0.0, 1e-6, np.inf]),
)


@given(samples(), rules, st.booleans(), st.booleans())
def test_any_sample_grows_and_prunes(given_sample, rule, raising, collapses):
    sample, n_levels = given_sample
    tree = grow_c45(sample, n_levels, N_CLASSES, rule)
    counts = np.bincount(sample.y, sample.weight, N_CLASSES)
    # A leaf that weighs next to nothing is as one without rows.
    is_empty = tree.node_count == 1 and counts.sum() < TOLERANCE
    np.testing.assert_allclose(tree.counts[0], 0.0 if is_empty else counts)
    assert tree.max_depth <= max(0, rule.max_depth)
    how = {"subtree_raising": raising, "collapses": collapses}
    by_J48 = None if rule.by_gain else np.flatnonzero(n_levels < 0).astype(np.int32)
    pruned = prune_error_based(tree, *sample[:3], sorted_by=by_J48, **how)
    assert pruned.node_count <= tree.node_count
    at_once = replace(rule, prunes=True, **how)
    assert_same_tree(grow_c45(sample, n_levels, N_CLASSES, at_once), pruned)


INTEGERS = st.integers(-2, 4) | st.sampled_from([2**31 - 1, -(2**31)])
DAMAGE = {
    "X": lambda draw, X: X[: draw(st.integers(0, len(X)))],
    "y": lambda draw, y: draw(hnp.arrays(np.int32, len(y), elements=INTEGERS)),
    "weight": lambda draw, w: draw(
        hnp.arrays(np.float64, len(w), elements=st.sampled_from([0.0, -1.0, np.nan, np.inf, 1.0]))
    ),
    "rows": lambda draw, rows: draw(hnp.arrays(np.int32, len(rows), elements=INTEGERS)),
    "entries": lambda draw, entries: draw(
        hnp.arrays(np.uint64, entries.shape, elements=st.integers(0, 2**64 - 1) | st.integers(0, 9))
    ),
    "codes": lambda draw, codes: draw(hnp.arrays(np.int32, codes.shape, elements=INTEGERS)),
    "n_levels": lambda draw, n: draw(hnp.arrays(np.int32, len(n), elements=INTEGERS)),
    "n_classes": lambda draw, n: draw(st.sampled_from([-1, 0, 1, 2, 2**40])),
    "total": lambda draw, total: draw(st.sampled_from([0.0, -1.0, np.nan, np.inf, 1.0, 1e6])),
    "times": lambda draw, times: draw(hnp.arrays(np.int32, st.integers(0, 21), elements=INTEGERS)),
    "min_cases": lambda draw, cases: draw(st.sampled_from([-1.0, np.nan, np.inf])),
}


@given(samples(), st.sampled_from(sorted(DAMAGE)), st.data())
def test_growing_refuses_what_does_not_fit(given_sample, name, data):
    columns = make_weighted_columns(*given_sample, N_CLASSES, counts_near=True)
    times = np.empty(0, np.int32)
    arguments = dict(zip(DAMAGE, (*columns.arguments, times, 1.0), strict=True)) | {
        "mdl_correction": True,
        "binary_splits": False,
        "by_gain": False,
        "max_depth": 5,
        "slack": 0.0,
        "n_declared": N_CLASSES,
        "n_threads": 2,
        "prunes": True,
        "confidence": 0.25,
        "subtree_raising": True,
        "collapses": True,
    }
    arguments[name] = DAMAGE[name](data.draw, arguments[name])
    with suppress(ValueError, MemoryError):
        *records, weights = call_by_name("c45_grow", "c45", arguments)
        assert len({len(record) for record in records}) == 1
        assert len(weights) in (0, len(records[0]))


@given(
    st.sampled_from(["X", "y", "weight", "counts", "weights", "sorted"]),
    st.integers(0, 3),
    st.data(),
)
def test_pruning_refuses_what_does_not_fit(name, n, data):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(np.int32)
    tree = C45Classifier(pruning=None).fit(X, y).tree_
    arguments = {"X": X, "y": y, "weight": np.ones(40), "tests": tree.views, "counts": tree.counts}
    arguments["weights"] = np.column_stack([tree.weight, tree.sent])
    arguments["sorted"] = np.array([0, 1], np.int32)
    damage = st.sampled_from([arguments[name][:n], np.full_like(arguments[name], n - 1)])
    arguments[name] = data.draw(damage)
    with suppress(ValueError):
        made = engine.call("prune_error_based", *arguments.values(), 0.25, True, True)
        kept, test, counts, weights = made
        assert len(kept) == len(test) == len(counts)
        assert len(weights) in (0, len(kept))
    with suppress(ValueError):
        engine.call("collapsible", tree.views, arguments["counts"], np.empty(n, np.uint8))


@pytest.mark.parametrize("by_gain", [False, True])
def test_a_hundred_thousand_levels(by_gain):
    n = 100_000
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(n), rng.integers(2, size=n)]).astype(float)
    sample = Sample(X, rng.integers(0, 2, n).astype(np.int32), np.ones(n))
    tree = grow_c45(sample, np.array([n, 2], np.int32), 2, C45Rule(1.0, by_gain=by_gain))
    assert tree.node_count in (1, 3, n + 1)


def test_estimates_grow_with_errors_and_confidence():
    counts = np.column_stack([np.arange(20.0, 9, -1), np.arange(0.0, 11)])
    errors = estimated_errors(counts)
    assert (np.diff(errors) > 0).all()
    assert (errors > counts[:, 1]).all()
    assert (estimated_errors(counts, 0.1) > errors).all()


WHOLE = hnp.arrays(np.float64, 3, elements=st.integers(0, 60))


@given(WHOLE, WHOLE, st.floats(2.0**-53, 0.5))
def test_more_rows_make_no_leaf_err_less_unless_it_erred_in_none(counts, added, confidence):
    """Pruning sends no more rows down once what a raised branch errs at least is too much."""
    first = np.array([counts.sum(), 1.0, 0.0])
    before, after, one = estimated_errors(np.array([counts, counts + added, first]), confidence)
    least = min(before, one) if counts.max() == counts.sum() else before
    assert after >= least * (1 - 1e-9)
