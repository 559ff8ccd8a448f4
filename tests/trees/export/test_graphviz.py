"""Trees in the DOT language, read back by a strict parser of the part of it that is used."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import ALL, LEAF_ONLY, MIXED, NEAREST, REGRESSION, make_tree, names_of, random_trees
from problems import examples

from retree import C45Classifier
from retree.trees.export.pictures import export_graphviz

# Identifiers and quoted strings as https://graphviz.org/doc/info/lang.html has them.
TOKEN = re.compile(r'\s*(?:(->|[{}\[\]=,;])|([A-Za-z_]\w*)|"((?:[^"\\]|\\.)*)")', re.DOTALL)
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def tokens(text):
    position, found = 0, []
    while text[position:].strip():
        match = TOKEN.match(text, position)
        assert match, f"no token at {text[position : position + 30]!r}"
        sign, word, quoted = match.groups()
        found.append(("sign", sign) if sign else ("id", quoted if word is None else word))
        position = match.end()
    return found


class Reader:
    """Reads ``digraph ID { statement; ... }`` with nodes, edges and default attributes."""

    def __init__(self, text):
        self.tokens = tokens(text)
        self.nodes, self.edges, self.defaults = {}, [], {}
        assert self.take("id") == "digraph"
        self.take("id")
        self.take("sign", "{")
        while self.tokens[0] != ("sign", "}"):
            self.statement()
        self.take("sign", "}")
        assert not self.tokens

    def take(self, kind, *values):
        found, value = self.tokens.pop(0)
        assert found == kind
        assert not values or value in values
        return value

    def statement(self):
        name = self.take("id")
        if name in ("graph", "node", "edge"):
            self.defaults[name] = self.attributes()
        elif self.tokens[0] == ("sign", "->"):
            self.take("sign", "->")
            self.edges.append((name, self.take("id"), label_of(self.attributes())))
        else:
            assert name not in self.nodes
            self.nodes[name] = self.attributes()
        self.take("sign", ";")

    def attributes(self):
        found = {}
        self.take("sign", "[")
        while True:
            name = self.take("id")
            self.take("sign", "=")
            assert name not in found
            found[name] = self.take("id")
            if self.take("sign", ",", "]") == "]":
                return found


def label_of(attributes):
    """Return a label as Graphviz writes it: escapes, then entities."""
    text = re.sub(r"\\.", lambda match: ESCAPES[match[0]], attributes["label"])
    assert re.fullmatch(r"(?:[^&]|&amp;)*", text)
    return html.unescape(text)


def shown(tree, **arguments):
    """Return the labels and the edges of a tree, and the colours."""
    read = Reader(export_graphviz(tree, **(names_of(tree) | arguments)))
    labels = {name: label_of(attributes) for name, attributes in read.nodes.items()}
    colours = {name: attributes.get("fillcolor") for name, attributes in read.nodes.items()}
    return labels, read.edges, colours


def test_nodes_and_edges():
    labels, edges, colours = shown(MIXED)
    assert labels == {
        "n0": "width ≤ 2.5\n9.5 / 8 / 6",
        "n1": "colour\n7 / 3 / 1",
        "n2": "oak\n4 / 0 / 0",
        "n3": "elm\n0 / 3 / 1",
        "n4": "oak\n3 / 0 / 0",
        "n5": "oak\nno rows",
        "n6": "colour in {red, blue}\n2.5 / 5 / 5",
        "n7": "-0.5 width + 1 height ≤ 3\n0 / 5 / 5",
        "n8": "elm\n0 / 4 / 1",
        "n9": "ash\n0 / 1 / 4",
        "n10": "oak\n2.5 / 0 / 0",
    }
    assert edges[:6] == [
        ("n0", "n1", "yes"),
        ("n0", "n6", "no"),
        ("n1", "n2", "= red"),
        ("n1", "n3", "= green"),
        ("n1", "n4", "= blue"),
        ("n1", "n5", "= grey"),
    ]
    oaks, others = {colours[n] for n in ("n2", "n4", "n5", "n10")}, {colours["n3"], colours["n9"]}
    assert len(oaks) == 1
    assert len(oaks | others) == 3
    assert colours["n0"] is colours["n7"] is None


@examples
@given(random_trees(), st.none() | st.integers(0, 3), st.booleans())
def test_any_tree_can_be_read_back(tree, max_depth, filled):
    labels, edges, colours = shown(tree, max_depth=max_depth, filled=filled)
    deepest = tree.max_depth if max_depth is None else max_depth
    drawn = [i for i in range(tree.node_count) if tree.depths[i] <= deepest]
    assert list(labels) == [f"n{i}" for i in drawn]
    assert [edge[:2] for edge in sorted(edges, key=lambda edge: int(edge[1][1:]))] == [
        (f"n{tree.parents[i]}", f"n{i}") for i in drawn[1:]
    ]
    for i in drawn:
        is_end = tree.is_leaf[i] or tree.depths[i] == deepest
        assert (colours[f"n{i}"] is not None) == (filled and is_end)
        assert ("…" in labels[f"n{i}"].split("\n")[0]) <= (not tree.is_leaf[i])


@examples
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_name_is_shown_as_it_is(feature, label):
    tree = make_tree([[1, 2], [], []], np.ones((3, 2)), feature={0: 0}, threshold={0: 1.0})
    names = {"feature_names": [feature, "b", "c"], "class_names": [label, "y"], "levels": None}
    labels, _, _ = shown(tree, **names)

    def without_spaces(text):
        return "".join(c for c in text if c.isprintable() and not c.isspace())

    assert without_spaces(labels["n0"]) == without_spaces(feature) + "≤11/1"
    assert without_spaces(labels["n1"]) == without_spaces(label) + "1/1"


@pytest.mark.parametrize("name", ['"', "\\", '\\"', "\\N", "\\n", "&lt;", "a\nb", "<b>", "]; n9 ["])
def test_odd_names(name):
    labels, edges, _ = shown(LEAF_ONLY, class_names=[name, "y", "z"])
    assert labels == {"n0": name.replace("\n", " ") + "\n2 / 1 / 0"}
    assert edges == []


def test_depth_limit_marks_what_is_cut():
    labels, edges, _ = shown(MIXED, max_depth=1)
    assert labels == {
        "n0": "width ≤ 2.5\n9.5 / 8 / 6",
        "n1": "oak …\n7 / 3 / 1",
        "n6": "elm …\n2.5 / 5 / 5",
    }
    assert [edge[:2] for edge in edges] == [("n0", "n1"), ("n0", "n6")]


def test_means_and_centres():
    labels, _, colours = shown(REGRESSION)
    assert labels["n1"] == "1.25\n6 rows, sd 0.25"
    assert labels["n4"] == "6.875\nno rows"
    red = {name: int(colours[name][1:3], 16) for name in ("n1", "n3", "n4")}
    assert red["n1"] > red["n3"] == red["n4"]
    _, edges, _ = shown(NEAREST)
    assert edges[0] == ("n0", "n1", "height 2, colour red")


def test_long_names_are_abbreviated():
    levels = [f"level of number {i}" for i in range(30)]
    frame = pd.DataFrame({"a" * 200: pd.Categorical(levels * 10)})
    model = C45Classifier(pruning=None, collapse=False).fit(frame, np.arange(300) % 30 < 15)
    longest = max(len(line) for line in model.export_graphviz().split("\n"))
    assert longest < 120
    assert "level of number 29" in model.export_graphviz()


@pytest.mark.parametrize("tree", ALL.values(), ids=ALL)
def test_defaults_suit_every_node(tree):
    read = Reader(export_graphviz(tree, **names_of(tree)))
    assert read.defaults["node"]["fillcolor"] == "#ffffff"
    assert set(read.defaults["node"]["style"].split(",")) == {"rounded", "filled"}
    assert read.defaults["graph"] == {"ordering": "out"}


def test_wrong_arguments():
    with pytest.raises(ValueError, match="max_depth == -1, must be >= 0"):
        export_graphviz(MIXED, **names_of(MIXED), max_depth=-1)
    with pytest.raises(TypeError, match="max_depth must be an instance of int"):
        export_graphviz(MIXED, **names_of(MIXED), max_depth="2")
    with pytest.raises(ValueError, match="class_names must hold 3 names, got None"):
        export_graphviz(MIXED, ["a", "b", "c"])
