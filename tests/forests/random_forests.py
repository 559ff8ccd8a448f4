"""Random trees with every kind of test, and rows for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from retree.forests.forest import Forest
from retree.trees.tree import LEAF, OBLIQUE, Tree

# Other processes slow a test down at times, so no example has a deadline.
examples = settings(deadline=None, derandomize=True)

N_FEATURES = 4  # the last two are nominal
N_LEVELS = 3
KINDS = ("threshold", "levels", "subset", "oblique")


class _Sketch:
    """Nodes of a tree in the order in which they are made, which is depth first."""

    def __init__(self, rng: np.random.Generator, n_classes: int, kinds: tuple[str, ...]) -> None:
        self.rng, self.n_classes, self.kinds = rng, n_classes, kinds
        self.nodes: list[dict[str, Any]] = []

    def grow(self, depth: int) -> int:
        rng, number = self.rng, len(self.nodes)
        node: dict[str, Any] = {"children": [], "feature": LEAF, "threshold": np.nan}
        node |= {"left": None, "normal": np.zeros(N_FEATURES)}
        self.nodes.append(node)
        if depth == 0 or rng.random() < 0.25:
            # Leaves that no training row was in are common.
            node["counts"] = rng.integers(0, 5, self.n_classes) * (rng.random() < 0.8)
            return number
        kind = rng.choice(self.kinds)
        if kind == "threshold":
            node |= {"feature": int(rng.integers(2)), "threshold": rng.integers(-2, 3) / 2}
        elif kind == "oblique":
            node |= {"feature": OBLIQUE, "threshold": rng.integers(-2, 3) / 2}
            node["normal"] = np.array([*rng.integers(-1, 2, 2), 0, 0]) * 1.0
        else:
            node["feature"] = 2 + int(rng.integers(2))
            if kind == "subset":
                node["left"] = rng.permutation([True, False, rng.random() < 0.5])
        n_children = N_LEVELS if kind == "levels" else 2
        node["children"] = [self.grow(depth - 1) for _ in range(n_children)]
        node["counts"] = sum(self.nodes[c]["counts"] for c in node["children"])
        return number


def random_tree(
    rng: np.random.Generator, n_classes: int, depth: int, kinds: tuple[str, ...] = KINDS
) -> Tree:
    """Return a tree of whole counts; nodes without any are common, but for the root."""
    nodes: list[dict[str, Any]] = []
    while not nodes or not nodes[0]["counts"].any():
        sketch = _Sketch(rng, n_classes, kinds)
        sketch.grow(depth)
        nodes = sketch.nodes
    left = [node["left"] for node in nodes]
    has_left = np.array([levels is not None for levels in left])
    oblique = any(node["feature"] == OBLIQUE for node in nodes)
    return Tree(
        n_features=N_FEATURES,
        children_ptr=np.cumsum([0, *(len(node["children"]) for node in nodes)]).astype(np.int32),
        children=np.array([c for node in nodes for c in node["children"]], np.int32),
        feature=np.array([node["feature"] for node in nodes], np.int32),
        threshold=np.array([node["threshold"] for node in nodes], np.float64),
        counts=np.array([node["counts"] for node in nodes], np.float64),
        subset=np.where(has_left, np.cumsum(has_left) - 1, -1).astype(np.int32)
        if has_left.any()
        else None,
        left_levels=np.array([levels for levels in left if levels is not None], np.bool_)
        if has_left.any()
        else None,
        normals=np.array([node["normal"] for node in nodes]) if oblique else None,
    )


def random_rows(rng: np.random.Generator, n: int, missing: float) -> NDArray[np.float64]:
    """Return rows with halves in the numeric columns, so that sums and products are exact."""
    X = np.column_stack([rng.integers(-3, 4, (n, 2)) / 2, rng.integers(0, N_LEVELS, (n, 2))])
    X[rng.random(X.shape) < missing] = np.nan
    return X


@st.composite
def forests(draw, kinds: tuple[str, ...] = KINDS, depth: int = 3):
    """Draw a forest, rows and class codes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes, n_trees = draw(st.integers(2, 4)), draw(st.integers(1, 5))
    trees = tuple(random_tree(rng, n_classes, depth, kinds) for _ in range(n_trees))
    votes = rng.choice([0.5, 1.0, 2.25], n_trees)
    divide = draw(st.booleans())
    n = draw(st.integers(1, 25))
    X = random_rows(rng, n, draw(st.sampled_from([0.0, 0.0, 0.2])))
    return Forest(trees, votes, divide), X, rng.integers(0, n_classes, n)
