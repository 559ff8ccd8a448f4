"""Trees with tests of every kind: some by hand, and random ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from retree.trees.node_tests import EUCLIDEAN, Centres
from retree.trees.tree import CENTRES, LEAF, OBLIQUE, Tree

COLOURS = ["red", "green", "blue", "grey"]
LEVELS = [None, None, COLOURS]  # of the attributes below
FEATURES = ["width", "height", "colour"]
CLASSES = ["oak", "elm", "ash"]
OF_NODES = ("weight", "gamma", "first", "n_centres", "metric")  # fields of centres


def make_tree(children, counts, *, n_features=3, moments=None, **tests):
    """Return the tree of nodes with these `children`, numbers a node; tests are {node: value}.

    `tests` may be: feature, threshold, left (levels of the first child), normal, and centres, a
    list of (length, width, level) a node.
    """
    n = len(children)
    values = {"feature": np.full(n, LEAF, np.int32), "threshold": np.full(n, np.nan)}
    for name in values:
        for node, value in tests.get(name, {}).items():
            values[name][node] = value
    left, normal = tests.get("left", {}), tests.get("normal", {})
    values["feature"][list(normal)] = OBLIQUE
    subset = np.full(n, -1, np.int32)
    subset[list(left)] = np.arange(len(left))
    normals = np.zeros((n, n_features))
    for node, coefficients in normal.items():
        normals[node] = coefficients
    centres = tests.get("centres", {})
    values["feature"][list(centres)] = CENTRES
    sizes = [len(c) for c in children]
    return Tree(
        n_features=n_features,
        children_ptr=np.concatenate(([0], np.cumsum(sizes))).astype(np.int32),
        children=np.array([c for own in children for c in own], np.int32),
        counts=np.array(counts, float),
        subset=subset if left else None,
        left_levels=np.array([np.isin(range(len(COLOURS)), c) for c in left.values()])
        if left
        else None,
        normals=normals if normal else None,
        moments=None if moments is None else np.array(moments, float),
        centres=make_centres(n, centres) if centres else None,
        **values,
    )


def make_centres(n_nodes, centres):
    """Return centres of two numeric columns, of unlike scales, and a nominal one."""
    count, first, position = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.int32), []
    weight = np.zeros((n_nodes, 3))
    for node, points in centres.items():
        count[node], first[node], weight[node] = len(points), len(position), 1.0
        for *numbers, level in points:
            shares = level if np.ndim(level) else np.eye(len(COLOURS))[level]
            position.append([*((np.array(numbers) - [1.0, 0.0]) / [2.0, 1.0]), *shares])
    return Centres(
        weight=weight,
        gamma=np.full(n_nodes, 0.5),
        first=first,
        n_centres=count,
        position=np.array(position),
        start=np.array([0, 1, 2, 2 + len(COLOURS)], np.int32),
        nominal=np.array([False, False, True]),
        offset=np.array([1.0, 0.0, 0.0]),
        scale=np.array([2.0, 1.0, 1.0]),
        metric=np.full(n_nodes, EUCLIDEAN, np.int8),
    )


#         0: width <= 2.5
#    1: colour = ...                          6: colour in {red, blue}
#  2: red   3: green   4: blue   5: grey    7: -0.5 width + height <= 3    10: oak
#                                            8: elm   9: ash
MIXED = make_tree(
    [[1, 6], [2, 3, 4, 5], [], [], [], [], [7, 10], [8, 9], [], [], []],
    [
        [9.5, 8, 6], [7, 3, 1], [4, 0, 0], [0, 3, 1], [3, 0, 0], [0, 0, 0],
        [2.5, 5, 5], [0, 5, 5], [0, 4, 1], [0, 1, 4], [2.5, 0, 0],
    ],
    feature={0: 0, 1: 2, 6: 2},
    threshold={0: 2.5, 7: 3.0},
    left={6: [0, 2]},
    normal={7: [-0.5, 1.0, 0.0]},
)  # fmt: skip

# A tree of the nearest of three centres.
NEAREST = make_tree(
    [[1, 2, 3], [], [], []],
    [[5, 4, 3], [5, 0, 0], [0, 4, 0], [0, 0, 3]],
    centres={0: [(1.0, 2.0, 0), (3.0, 0.5, 2), (5.0, -1.0, [0.0, 0.25, 0.75, 0.0])]},
)

# Means and variances of three leaves, one without rows.
REGRESSION = make_tree(
    [[1, 2], [], [3, 4], [], []],
    [[10], [6], [4], [4], [0]],
    moments=[[3.5, 9.0], [1.25, 0.0625], [6.875, 4.0], [6.875, 4.0], [0.0, 0.0]],
    feature={0: 1, 2: 2},
    threshold={0: 0.125},
    left={2: [3]},
)

LEAF_ONLY = make_tree([[]], [[2.0, 1.0, 0.0]])
MEAN_ONLY = make_tree([[]], [[3.0]], moments=[[2.5, 0.25]])
ALL = {
    "mixed": MIXED,
    "nearest": NEAREST,
    "regression": REGRESSION,
    "leaf": LEAF_ONLY,
    "mean": MEAN_ONLY,
}


def names_of(tree):
    """Return names of what the trees here are about."""
    classes = CLASSES if tree.moments is None else None
    return {"feature_names": FEATURES, "class_names": classes, "levels": LEVELS}


@st.composite
def random_trees(draw, most_nodes=15):
    """Draw a tree of any kinds of tests, with thresholds among 0, 1, 2, 3 and random counts."""
    children, tests = [[]], {k: {} for k in ("feature", "threshold", "left", "normal", "centres")}
    number = st.integers(0, 3)
    pending = [0]
    while pending:
        node = pending.pop()
        kind = draw(st.sampled_from(["leaf", "threshold", "left", "multiway", "normal", "centres"]))
        if kind == "leaf" or len(children) >= most_nodes:
            continue
        n_children = 2
        if kind in ("threshold", "normal"):
            tests["threshold"][node] = draw(number)
        if kind == "threshold":
            tests["feature"][node] = draw(st.integers(0, 1))
        elif kind == "normal":
            coefficient = st.sampled_from([-1.0, 0.0, 0.5, 2.0])
            tests["normal"][node] = [draw(coefficient), draw(coefficient), 0.0]
        elif kind == "left":
            tests["feature"][node] = 2
            tests["left"][node] = draw(st.lists(number, unique=True))
        elif kind == "multiway":
            tests["feature"][node], n_children = 2, len(COLOURS)
        else:
            points = st.lists(st.tuples(number, number, number), min_size=2, max_size=3)
            tests["centres"][node] = draw(points)
            n_children = len(tests["centres"][node])
        children[node] = list(range(len(children), len(children) + n_children))
        children += [[] for _ in range(n_children)]
        pending += children[node]
    counts = draw(
        st.lists(
            st.tuples(*[st.sampled_from([0.0, 1.0, 2.25])] * 3),
            min_size=len(children),
            max_size=len(children),
        )
    )
    return depth_first(make_tree(children, counts, **tests))


def depth_first(tree):
    """Return the tree with its nodes numbered depth first, as all trees have them."""
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        pending += tree.children_of(node)[::-1].tolist()
    order = np.array(order)
    new = np.argsort(order)
    edges = [new[tree.children_of(i)] for i in order]
    fields = {
        name: None if (old := getattr(tree, name)) is None else old[order]
        for name in ("feature", "threshold", "counts", "subset", "normals")
    }
    if tree.centres is not None:
        of_nodes = {k: getattr(tree.centres, k)[order] for k in OF_NODES}
        fields["centres"] = tree.centres._replace(**of_nodes)
    return replace(
        tree,
        children_ptr=np.concatenate(([0], np.cumsum([len(e) for e in edges]))).astype(np.int32),
        children=np.concatenate([np.empty(0, int), *edges]).astype(np.int32),
        **fields,
    )
