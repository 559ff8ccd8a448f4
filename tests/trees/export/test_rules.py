"""Trees as rules."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from kinds import (
    COLOURS,
    LEAF_ONLY,
    MEAN_ONLY,
    MIXED,
    NEAREST,
    REGRESSION,
    make_tree,
    names_of,
    random_trees,
)
from problems import examples
from sklearn.datasets import load_iris

from retree import C45Classifier
from retree.trees.export.conditions import HalfSpace, Interval, LevelSet, NearestCentre
from retree.trees.export.rules import export_rules, list_rules

NUMBERS = np.arange(-0.5, 4.0, 0.5)
GRID = np.array(list(itertools.product(NUMBERS, NUMBERS, range(len(COLOURS)))))


def holds(condition, rows, tree):
    """Return for which rows a condition holds, by its definition."""
    match condition:
        case Interval(feature, low, high):
            return (low < rows[:, feature]) & (rows[:, feature] <= high)
        case LevelSet(feature, levels, excluded):
            return np.isin(rows[:, feature], list(levels)) != excluded
        case HalfSpace(normal=normal, threshold=threshold, above=above):
            return (rows @ normal <= threshold) != above
        case NearestCentre(node, centre):
            return nearest(rows, node, tree.centres) == centre


def nearest(rows, node, centres):
    distances = []
    for position in centres.position[centres.first[node] :][: centres.n_centres[node]]:
        scaled = (rows[:, :2] - centres.offset[:2]) / centres.scale[:2]
        numeric = np.sqrt(((scaled - position[:2]) ** 2).sum(axis=1))
        nominal = 1.0 - position[2:][rows[:, 2].astype(int)]
        gamma = centres.gamma[node]
        distances.append(gamma * numeric + (1 - gamma) * nominal)
    return np.argmin(distances, axis=0)


@examples
@given(random_trees())
def test_each_row_fits_the_rule_of_its_leaf_alone(tree):
    rules = list_rules(tree, ["a", "b", "c"])
    fits = np.array(
        [np.all([np.ones(len(GRID)), *(holds(c, GRID, tree) for c in r.conditions)], axis=0)
         for r in rules]
    )  # fmt: skip
    assert (fits.sum(axis=0) == 1).all()
    leaves = np.array([rule.leaf for rule in rules])
    np.testing.assert_array_equal(leaves[fits.argmax(axis=0)], tree.apply(GRID))


@examples
@given(random_trees())
def test_a_rule_says_one_thing_of_a_feature(tree):
    for rule in list_rules(tree, ["a", "b", "c"]):
        merged = [c.feature for c in rule.conditions if isinstance(c, Interval | LevelSet)]
        assert len(merged) == len(set(merged))
        assert rule.weight == tree.weight[rule.leaf]


def test_rules_of_every_kind():
    assert export_rules(MIXED, **names_of(MIXED)).split("\n") == [
        "IF width <= 2.5 AND colour = red THEN oak (4 rows, 100 %)",
        "IF width <= 2.5 AND colour = green THEN elm (4 rows, 75 %)",
        "IF width <= 2.5 AND colour = blue THEN oak (3 rows, 100 %)",
        "IF width <= 2.5 AND colour = grey THEN oak (no rows)",
        "IF width > 2.5 AND colour in {red, blue} AND -0.5 width + 1 height <= 3 "
        "THEN elm (5 rows, 80 %)",
        "IF width > 2.5 AND colour in {red, blue} AND -0.5 width + 1 height > 3 "
        "THEN ash (5 rows, 80 %)",
        "IF width > 2.5 AND colour in {green, grey} THEN oak (2.5 rows, 100 %)",
    ]
    assert export_rules(NEAREST, **names_of(NEAREST)).startswith(
        "IF nearest of 3 centres is (width 1, height 2, colour red) THEN oak (5 rows, 100 %)\n"
    )
    assert export_rules(REGRESSION, **names_of(REGRESSION), decimals=2).split("\n") == [
        "IF height <= 0.12 THEN 1.25 (6 rows, standard deviation 0.25)",
        "IF height > 0.12 AND colour = grey THEN 6.88 (4 rows, standard deviation 2)",
        "IF height > 0.12 AND colour != grey THEN 6.88 (no rows)",
    ]


def test_rules_of_a_tree_that_is_a_leaf():
    assert export_rules(LEAF_ONLY, **names_of(LEAF_ONLY)) == "ALWAYS oak (3 rows, 66.7 %)"
    text = export_rules(MEAN_ONLY, **names_of(MEAN_ONLY))
    assert text == "ALWAYS 2.5 (3 rows, standard deviation 0.5)"
    (rule,) = list_rules(MEAN_ONLY)
    assert (rule.conditions, rule.prediction, rule.weight) == ((), 2.5, 3.0)
    assert (rule.share, rule.deviation) == (None, 0.5)


def test_what_a_rule_knows():
    rules = list_rules(MIXED, ["oak", "elm", "ash"])
    assert [rule.leaf for rule in rules] == np.flatnonzero(MIXED.is_leaf).tolist()
    green, grey = rules[1], rules[3]
    assert green.conditions == (Interval(0, high=2.5), LevelSet(2, frozenset([1])))
    assert (green.prediction, green.weight, green.share, green.deviation) == ("elm", 4, 0.75, None)
    assert (grey.prediction, grey.weight, grey.share) == ("oak", 0.0, None)
    first, second, third = rules[4].conditions
    assert (first, second) == (Interval(0, low=2.5), LevelSet(2, frozenset([0, 2])))
    np.testing.assert_array_equal(third.normal, [-0.5, 1, 0])
    assert (third.threshold, third.above) == (3.0, False)


def test_the_heaviest_first():
    rules = list_rules(MIXED, ["oak", "elm", "ash"], order="weight")
    assert [rule.weight for rule in rules] == [5, 5, 4, 4, 3, 2.5, 0]
    assert [rule.leaf for rule in rules][:4] == [8, 9, 2, 3]
    lines = export_rules(MIXED, **names_of(MIXED), order="weight").split("\n")
    assert [float(line.split("(")[1].split()[0]) for line in lines[:-1]] == [5, 5, 4, 4, 3, 2.5]


def test_thresholds_of_a_path_make_an_interval():
    iris = load_iris(as_frame=True)
    model = C45Classifier().fit(iris.data, iris.target_names[iris.target])
    assert model.export_rules().split("\n") == [
        "IF petal width (cm) <= 0.6 THEN setosa (50 rows, 100 %)",
        "IF 0.6 < petal width (cm) <= 1.7 AND petal length (cm) <= 4.9 "
        "THEN versicolor (48 rows, 97.9 %)",
        "IF 0.6 < petal width (cm) <= 1.5 AND petal length (cm) > 4.9 "
        "THEN virginica (3 rows, 100 %)",
        "IF 1.5 < petal width (cm) <= 1.7 AND petal length (cm) > 4.9 "
        "THEN versicolor (3 rows, 66.7 %)",
        "IF petal width (cm) > 1.7 THEN virginica (46 rows, 97.8 %)",
    ]
    assert model.export_rules(order="weight", decimals=0).split("\n")[2] == (
        "IF petal width (cm) > 2 THEN virginica (46 rows, 97.8 %)"
    )


def ask_for_levels(*subsets):
    """Return a tree that asks for one set of levels after the other, down its second branches."""
    n = len(subsets)
    children = [None] * (2 * n + 1)
    for i in range(n):
        children[2 * i], children[2 * i + 1] = [2 * i + 1, 2 * i + 2], []
    children[2 * n] = []
    features = {2 * i: 2 for i in range(n)}
    left = {2 * i: levels for i, levels in enumerate(subsets)}
    return make_tree(children, np.ones((2 * n + 1, 3)), feature=features, left=left)


def test_sets_of_levels_are_united_and_cut():
    tree = ask_for_levels([0], [1, 0], [3])
    names = names_of(tree)
    conditions = [line.split(" THEN")[0] for line in export_rules(tree, **names).split("\n")]
    assert conditions == [
        "IF colour = red",
        "IF colour = green",
        "IF colour = grey",
        "IF colour = blue",  # what is left of four levels
    ]
    names["levels"] = None
    last = export_rules(tree, **names).split("\n")[-1]
    assert last.startswith("IF colour not in {0, 1, 3} THEN")


def test_the_shorter_set_of_levels_is_named():
    tree = ask_for_levels([0, 1, 3])
    lines = export_rules(tree, **names_of(tree)).split("\n")
    assert lines[0].startswith("IF colour != blue THEN")
    assert lines[1].startswith("IF colour = blue THEN")


def test_nominal_columns_with_missing_values():
    colour = pd.Categorical(["red", "red", "blue", "blue", "green", None] * 5)
    frame = pd.DataFrame({"colour": colour})
    y = np.where(colour == "blue", "cold", "warm")
    assert C45Classifier().fit(frame, y).export_rules().split("\n") == [
        "IF colour = blue THEN cold (12 rows, 83.3 %)",
        "IF colour = green THEN warm (6 rows, 100 %)",
        "IF colour = red THEN warm (12 rows, 100 %)",
    ]


def test_long_lists_are_never_abbreviated():
    levels = [f"a rather long name of level {i}" for i in range(4)]
    tree = ask_for_levels([0, 2])
    text = export_rules(tree, ["a" * 99, "b", "c"], list("xyz"), levels=[None, None, levels])
    assert text.startswith(f"IF c in {{{levels[0]}, {levels[2]}}} THEN")


def test_long_chains():
    n = 3000
    children = [c for i in range(n) for c in ([2 * i + 1, 2 * i + 2], [])] + [[]]
    inner = range(0, 2 * n, 2)
    tree = make_tree(
        children,
        np.ones((2 * n + 1, 2)),
        feature=dict.fromkeys(inner, 0),
        threshold={i: float(i) for i in inner},
    )
    rules = list_rules(tree, ["x", "y"])
    assert rules[1].conditions == (Interval(0, 0.0, 2.0),)
    assert rules[-1].conditions == (Interval(0, 2.0 * n - 2, math.inf),)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"order": "size"}, ValueError, "Invalid order 'size'. Valid ones are 'leaves', 'weight'."),
        ({"decimals": -1}, ValueError, "decimals == -1, must be >= 0"),
        ({"decimals": 0.5}, TypeError, "decimals must be an instance of int"),
        ({"class_names": ["x"]}, ValueError, "class_names must hold 3 names, got 1"),
        ({"feature_names": ["x"]}, ValueError, "feature_names must hold 3 names, got 1"),
    ],
)
def test_wrong_arguments(changed, error, message):
    with pytest.raises(error, match=message):
        export_rules(MIXED, **(names_of(MIXED) | changed))


def test_rules_need_the_names_of_the_classes():
    with pytest.raises(ValueError, match="class_names must hold 3 names, got None"):
        list_rules(MIXED)
    with pytest.raises(ValueError, match="A regression tree has no classes"):
        list_rules(REGRESSION, ["x"])
