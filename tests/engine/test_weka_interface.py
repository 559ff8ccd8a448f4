"""REPTree's function of the engine: whatever it gets, it answers or refuses."""

from contextlib import suppress

import numpy as np
import pytest
from call_by_name import call_by_name
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from test_c45_interface import DAMAGE, INTEGERS, N_CLASSES, samples

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


@given(samples(), st.sampled_from(sorted(OWN)), st.data())
def test_what_does_not_fit_is_refused(given_sample, name, data):
    arguments = arguments_of(given_sample, data.draw)
    arguments[name] = OWN[name](data.draw, arguments[name])
    with suppress(ValueError, MemoryError):
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
