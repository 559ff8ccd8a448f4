"""Trees as text."""

import re

import numpy as np
import pandas as pd
import pytest
from kinds import LEAF_ONLY, MEAN_ONLY, MIXED, NEAREST, REGRESSION, make_tree, names_of
from test_tree import BY_HAND

from retree import C45Classifier, StructurePurityClassifier
from retree.trees.cart import CartRegressor
from retree.trees.export.describe import format_number
from retree.trees.export.rules import export_text
from retree.trees.tree import Tree

NAMES = ["width", "height"], ["oak", "elm"]


def test_lines():
    assert export_text(BY_HAND, *NAMES).split("\n") == [
        "height <= 2",
        "|   width <= -1: oak (oak: 3)",
        "|   width > -1: oak (oak: 1, elm: 1)",
        "height > 2: elm (elm: 3)",
    ]


def test_depth_limit_marks_what_is_cut():
    assert export_text(BY_HAND, *NAMES, max_depth=1).split("\n") == [
        "height <= 2: oak (oak: 4, elm: 1) …",
        "height > 2: elm (elm: 3)",
    ]
    assert export_text(BY_HAND, *NAMES, max_depth=0) == "oak (oak: 4, elm: 4) …"
    assert export_text(BY_HAND, *NAMES, max_depth=2) == export_text(BY_HAND, *NAMES)
    assert "oak (5.0/1.0) …" in export_text(BY_HAND, *NAMES, style="weka", max_depth=1)


def test_single_leaf():
    model = StructurePurityClassifier().fit([[0.0], [1.0]], ["b", "a"])
    assert model.export_text() == "a (a: 1, b: 1)"


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (0.25, 4, "0.25"),
        (1 / 3, 4, "0.3333"),
        (2.0, 4, "2"),
        (100.0, 0, "100"),
        (-0.0, 2, "0"),
        (0.0, 4, "0"),
        (1e-300, 2, "1.00e-300"),
        (-0.0004, 2, "-4.00e-04"),
        (1e300, 1, "1.0e+300"),
        (123456789.0, 4, "123456789"),
    ],
)
def test_numbers(value, decimals, expected):
    assert format_number(value, decimals) == expected


def test_decimals():
    X, y = [[0.123456], [0.5], [0.7], [0.9]], [0, 1, 1, 1]
    model = StructurePurityClassifier(min_samples_leaf=1).fit(X, y)
    assert model.export_text().startswith("x[0] <= 0.1235: 0 (0: 1)")
    assert model.export_text(decimals=2).startswith("x[0] <= 0.12: 0 (0: 1)")


def test_names_of_the_columns():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [0.0, 0.0, 1.0]})
    model = StructurePurityClassifier(criterion="gini", min_samples_leaf=1).fit(
        frame, ["x", "y", "y"]
    )
    assert model.export_text() == "a <= 0: x (x: 1)\na > 0: y (y: 2)"


def predict_from(text, row):
    """Follow the lines of `text` for a row; return the class of the leaf."""
    depth = 0
    for line in text.split("\n"):
        if line.count("|   ") != depth:
            continue
        match = re.fullmatch(r"x\[(\d+)\] (<=|>) ([-+.e\d]+)(?:: (\w+) \(.*\))?", line[4 * depth :])
        column, sign, threshold, label = match.groups()
        if (row[int(column)] <= float(threshold)) == (sign == "<="):
            if label:
                return label
            depth += 1
    raise AssertionError(f"No leaf for {row}.")


def test_text_says_what_the_tree_predicts():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), rng.choice(["p", "q", "r"], 120)
    model = StructurePurityClassifier(min_samples_leaf=1).fit(X, y)
    text = model.export_text(decimals=17)
    assert text.count("\n") + 1 == model.tree_.node_count - 1
    assert [predict_from(text, row) for row in X] == model.predict(X).tolist()


@pytest.mark.parametrize(
    ("features", "classes", "message"),
    [
        (["a"], ["x", "y"], "feature_names must hold 2 names, got 1"),
        (["a", "b"], ["x"], "class_names must hold 2 names, got 1"),
        (["a", "b"], None, "class_names must hold 2 names, got None"),
    ],
)
def test_wrong_number_of_names(features, classes, message):
    with pytest.raises(ValueError, match=message):
        export_text(BY_HAND, features, classes)


def test_wrong_decimals():
    with pytest.raises(ValueError, match="decimals == -1, must be >= 0"):
        export_text(BY_HAND, *NAMES, decimals=-1)
    with pytest.raises(TypeError, match="decimals must be an instance of int"):
        export_text(BY_HAND, *NAMES, decimals=1.5)


def test_weights_of_rows_may_be_fractions():
    counts = BY_HAND.counts / 3
    arrays = BY_HAND.children_ptr, BY_HAND.children, BY_HAND.feature, BY_HAND.threshold
    text = export_text(Tree(2, *arrays, counts), *NAMES, decimals=2)
    assert "width > -1: oak (oak: 0.33, elm: 0.33)" in text


def test_nominal_tests_name_their_levels():
    colour = pd.Categorical(["red", "red", "blue", "blue", "green", "green"] * 5)
    frame = pd.DataFrame({"colour": colour, "size": [1.0, 2.0] * 15})
    y = np.where(colour == "blue", "cold", "warm")
    model = C45Classifier().fit(frame, y)
    assert model.export_text().split("\n") == [
        "colour = blue: cold (cold: 10)",
        "colour = green: warm (warm: 10)",
        "colour = red: warm (warm: 10)",
    ]
    binary = C45Classifier(binary_splits=True).fit(frame, y)
    assert binary.export_text().split("\n") == [
        "colour = blue: cold (cold: 10)",
        "colour != blue: warm (warm: 20)",
    ]
    answers = {text.get_text().strip() for text in model.plot().texts}
    assert {"= blue", "= green", "= red"} <= answers


def test_tests_of_every_kind():
    assert export_text(MIXED, **names_of(MIXED)).split("\n") == [
        "width <= 2.5",
        "|   colour = red: oak (oak: 4)",
        "|   colour = green: elm (elm: 3, ash: 1)",
        "|   colour = blue: oak (oak: 3)",
        "|   colour = grey: oak (no rows)",
        "width > 2.5",
        "|   colour in {red, blue}",
        "|   |   -0.5 width + 1 height <= 3: elm (elm: 4, ash: 1)",
        "|   |   -0.5 width + 1 height > 3: ash (elm: 1, ash: 4)",
        "|   colour not in {red, blue}: oak (oak: 2.5)",
    ]
    assert export_text(NEAREST, **names_of(NEAREST)).split("\n") == [
        "nearest centre = (width 1, height 2, colour red): oak (oak: 5)",
        "nearest centre = (width 3, height 0.5, colour blue): elm (elm: 4)",
        "nearest centre = (width 5, height -1, colour 0.25 green + 0.75 blue): ash (ash: 3)",
    ]


def test_regression_trees():
    assert export_text(REGRESSION, **names_of(REGRESSION), decimals=2).split("\n") == [
        "height <= 0.12: 1.25 (6 rows, sd 0.25)",
        "height > 0.12",
        "|   colour = grey: 6.88 (4 rows, sd 2)",
        "|   colour != grey: 6.88 (no rows)",
    ]
    assert export_text(MEAN_ONLY, **names_of(MEAN_ONLY)) == "2.5 (3 rows, sd 0.5)"
    model = CartRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [5.0, 5.0, 8.0])
    assert model.export_text() == "x[0] <= 2.5: 5 (2 rows, sd 0)\nx[0] > 2.5: 8 (1 row, sd 0)"


def test_style_of_weka():
    assert export_text(MIXED, **names_of(MIXED), style="weka").split("\n") == [
        "width <= 2.5",
        "|   colour = red: oak (4.0)",
        "|   colour = green: elm (4.0/1.0)",
        "|   colour = blue: oak (3.0)",
        "|   colour = grey: oak (0.0)",
        "width > 2.5",
        "|   colour in {red, blue}",
        "|   |   -0.5 width + 1 height <= 3: elm (5.0/1.0)",
        "|   |   -0.5 width + 1 height > 3: ash (5.0/1.0)",
        "|   colour not in {red, blue}: oak (2.5)",
        "",
        "Number of Leaves  : \t7",
        "",
        "Size of the tree : \t11",
    ]
    text = export_text(REGRESSION, **names_of(REGRESSION), style="weka", decimals=3)
    assert text.split("\n")[:4] == [
        "height <= 0.125: 1.25 (6.0/0.25)",
        "height > 0.125",
        "|   colour = grey: 6.875 (4.0/2.0)",
        "|   colour != grey: 6.875 (0.0)",
    ]
    assert export_text(LEAF_ONLY, **names_of(LEAF_ONLY), style="weka").startswith(": oak (3.0/1.0)")


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (1.5, "1.5"),
        (-3.0, "-3"),
        (1 / 3, "0.333333"),
        (2**-7, "0.007813"),  # exactly in the middle: rounded up, away from zero
        (-(2**-7), "-0.007813"),
        (1e-9, "0"),
        (1e20, "100000000000000000000"),
    ],
)
def test_numbers_of_weka(threshold, expected):
    tree = make_tree(
        [[1, 2], [], []], [[2, 2], [2, 0], [0, 2]], feature={0: 0}, threshold={0: threshold}
    )
    text = export_text(tree, ["a", "b", "c"], ["x", "y"], style="weka")
    assert text.startswith(f"a <= {expected}: x (2.0)\na > {expected}: y (2.0)\n")


def test_rows_of_weka_have_two_decimals():
    children, tests = [[1, 2], [], []], {"feature": {0: 0}, "threshold": {0: 1.0}}
    counts = [[4, 3], [2 + 1 / 3, 0.125], [1 + 2 / 3, 2.875]]
    text = export_text(make_tree(children, counts, **tests), list("abc"), ["x", "y"], style="weka")
    assert text.startswith("a <= 1: x (2.46/0.13)\na > 1: y (4.54/1.67)\n")


def test_ties_but_for_rounding_go_to_the_class_that_is_predicted():
    tree = make_tree([[]], [[0.3, 0.1 + 0.2]])
    assert export_text(tree, list("abc"), ["x", "y"]).startswith("x (")
    assert export_text(tree, list("abc"), ["x", "y"], style="weka").startswith(": x (0.6/0.3)")


def test_names_stay_on_their_line():
    names = names_of(MIXED) | {
        "feature_names": ["a\nb", "c\td", "e"],
        "class_names": ["\n", "f", "g"],
    }
    lines = export_text(MIXED, **names).split("\n")
    assert len(lines) == MIXED.node_count - 1
    assert lines[0] == "a b <= 2.5"
    assert lines[1] == "|   e = red:   ( : 4)"


def test_levels_without_names_are_numbers():
    names = names_of(MIXED) | {"levels": None}
    lines = export_text(MIXED, **names).split("\n")
    assert lines[1] == "|   colour = 0: oak (oak: 4)"
    assert lines[6] == "|   colour in {0, 2}"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"style": "j48"}, "Invalid style 'j48'. Valid ones are 'counts', 'weka'."),
        ({"levels": [None]}, "levels must hold 3 names, got 1."),
        ({"levels": [None, None, ["red"]]}, r"levels\[2\] must hold more than 1 names"),
    ],
)
def test_wrong_styles_and_levels(changed, message):
    with pytest.raises(ValueError, match=message):
        export_text(MIXED, **(names_of(MIXED) | changed))


def test_regression_trees_have_no_classes():
    with pytest.raises(ValueError, match="has no classes; class_names must be None"):
        export_text(REGRESSION, ["a", "b", "c"], ["x"])
