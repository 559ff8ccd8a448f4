"""Trees as text."""

import re

import numpy as np
import pandas as pd
import pytest
from test_tree import BY_HAND

from retree import C45Classifier, StructurePurityClassifier
from retree.trees.text import export_text, format_number
from retree.trees.tree import Tree

NAMES = ["width", "height"], ["oak", "elm"]


def test_lines():
    assert export_text(BY_HAND, *NAMES).split("\n") == [
        "height <= 2",
        "|   width <= -1: oak (oak: 3)",
        "|   width > -1: oak (oak: 1, elm: 1)",
        "height > 2: elm (elm: 3)",
    ]


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
    model = StructurePurityClassifier("gini", min_samples_leaf=1).fit(frame, ["x", "y", "y"])
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
