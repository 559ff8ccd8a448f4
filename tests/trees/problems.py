"""Random problems and parameters for the tests of trees, and what the tests ask of a tree."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from retree.trees.tree import Tree

CRITERIA = ("gini", "bnm", "csn", "bnm+csn")

# Other processes slow a test down at times, so no example has a deadline.
examples = settings(deadline=None, derandomize=True)

_COLUMNS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: rng.integers(0, 5, n) / 4,
    "tenths": lambda rng, n: rng.integers(0, 7, n) * 0.1,
    "constant": lambda rng, n: np.full(n, 3.7),
    "pair": lambda rng, n: rng.choice([-1.0, 2.5], n),
    "large": lambda rng, n: 1e6 * rng.integers(0, 9, n) - 1e3,
    "small": lambda rng, n: 1e-6 * rng.normal(size=n) + 1e-3,
}
EXACT = ("tied", "pair", "large")  # sums and products of their values have no rounding error


@st.composite
def problems(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(_COLUMNS), most_rows: int = 30):
    """Draw (X, y): columns of the given `kinds`, labels 0 .. n_classes - 1 that all occur."""
    n = draw(st.integers(2, most_rows))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    n_classes = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = np.column_stack([_COLUMNS[kind](rng, n) for kind in chosen])
    if (X[0] == X).all():
        X[0, 0] += 1.0
    y = rng.integers(0, n_classes, n)
    y[:2] = 0, 1
    return X, np.unique(y, return_inverse=True)[1]


def parameters(criteria: tuple[str, ...] = CRITERIA) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the parameters that the estimator and the reference share, but for the code matrix."""
    return st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(criteria),
            "k": st.integers(1, 8),
            "omega1": st.sampled_from([1.0, 0.5, 0.0]),
            "omega2": st.sampled_from([0.0, 0.02, 0.3, 2.0]),
            "penalty": st.sampled_from(["within", "across", "none", "nearest"]),
            "bnm_distance": st.sampled_from(["squared", "euclidean"]),
            "csn_scaling": st.sampled_from(["child", "parent"]),
            "csn_ties": st.sampled_from(["rank", "feature"]),
            "small_child": st.sampled_from(["leaf", "skip"]),
            "min_samples_leaf": st.integers(1, 4),
        }
    )


max_depths = st.sampled_from([None, None, 1, 2, 3])


def code_matrices(n_classes: int) -> st.SearchStrategy[NDArray[np.int64]]:
    """Draw a code matrix for `n_classes` classes."""
    row = st.lists(st.sampled_from([-1, 0, 1]), min_size=n_classes, max_size=n_classes)
    return st.lists(row, min_size=1, max_size=4).map(lambda rows: np.array(rows).T)


def split_of(tree: Tree):
    """Return the function from nodes to (feature, threshold, left, right) that references read."""

    def split(node: int) -> tuple[int, float, int, int] | None:
        if tree.is_leaf[node]:
            return None
        left, right = tree.children_of(node)
        return int(tree.feature[node]), float(tree.threshold[node]), int(left), int(right)

    return split


def assert_same_tree(tree: Tree, other: Tree) -> None:
    """Assert that two trees are equal array by array."""
    names = "children_ptr", "children", "feature", "threshold", "subset", "left_levels"
    for name in (*names, "counts", "row_sums"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)
