"""Trees as pictures."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from kinds import ALL, MIXED, NEAREST, REGRESSION, make_tree, names_of, random_trees
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from problems import examples
from real_sets import read_set
from test_tree import BY_HAND

from retree import C45Classifier, StructurePurityClassifier
from retree.trees.cart import CartClassifier, CartRegressor
from retree.trees.export.plot import lay_out, plot_tree
from retree.trees.tree import Tree
from retree_lab.datasets.generators import make_waveform

NAMES = ["width", "cost in $ or a_$"], ["oak", "elm"]


def boxes(ax):
    """Return {text: (x, y)} of the boxes of nodes."""
    return {t.get_text(): t.get_position() for t in ax.texts if t.get_bbox_patch()}


def answers(ax):
    """Return the texts beside the branches."""
    return [t.get_text().strip() for t in ax.texts if not t.get_bbox_patch()]


def overlaps(ax):
    """Return whether any two texts, with their boxes, overlap on the canvas."""
    FigureCanvasAgg(ax.figure)
    ax.figure.draw_without_rendering()
    found = [(t.get_bbox_patch() or t).get_window_extent() for t in ax.texts]
    return any(a.overlaps(b) for i, a in enumerate(found) for b in found[:i])


def crossings(ax):
    """Return the answers above boxes that a line runs through."""
    FigureCanvasAgg(ax.figure)
    ax.figure.draw_without_rendering()
    found = []
    for text in ax.texts:
        if text.get_bbox_patch() or text.get_text().strip() in ("yes", "no"):
            continue
        extent = text.get_window_extent().padded(-1.0)  # lines end on the upper edge
        for path in ax.collections[0].get_paths():
            if ax.transData.transform_path(path).intersects_bbox(extent, filled=False):
                found.append(text.get_text())
    return found


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def waveform_tree():
    X, y = make_waveform(600, random_state=0)
    model = StructurePurityClassifier(criterion="bnm+csn", omega2=0.04).fit(X, y)
    assert 25 <= model.get_n_leaves() <= 35
    return model


def test_boxes():
    ax = plot_tree(BY_HAND, *NAMES)
    assert boxes(ax) == {
        "cost in $ or a_$ ≤ 2\n4 / 4": (1.25, 0),
        "width ≤ -1\n4 / 1": (0.5, -1),
        "oak\n3 / 0": (0, -2),
        "oak\n1 / 1": (1, -2),
        "elm\n0 / 3": (2, -1),
    }
    assert answers(ax) == ["yes", "no"]
    edges = {tuple(map(tuple, s)) for s in ax.collections[0].get_segments()}
    root, inner = (1.25, 0), (0.5, -1)
    assert edges == {
        (root, inner), (root, (2, -1)), (inner, (0, -2)), (inner, (1, -2))
    }  # fmt: skip


def test_colour_of_a_leaf_is_that_of_its_class():
    ax = plot_tree(BY_HAND, *NAMES)
    colours = {t.get_text(): t.get_bbox_patch().get_facecolor() for t in ax.texts[2:]}
    assert colours["oak\n3 / 0"] == colours["oak\n1 / 1"] != colours["elm\n0 / 3"]
    assert colours["width ≤ -1\n4 / 1"] == (1, 1, 1, 1)


def test_max_depth():
    ax = plot_tree(BY_HAND, *NAMES, max_depth=1)
    assert boxes(ax) == {
        "cost in $ or a_$ ≤ 2\n4 / 4": (0.5, 0),
        "oak …\n4 / 1": (0, -1),
        "elm\n0 / 3": (1, -1),
    }
    assert list(boxes(plot_tree(BY_HAND, *NAMES, max_depth=0))) == ["oak …\n4 / 4"]
    assert boxes(plot_tree(BY_HAND, *NAMES, max_depth=9)) == boxes(plot_tree(BY_HAND, *NAMES))


def test_many_classes_are_not_all_counted():
    counts = np.hstack([BY_HAND.counts, np.zeros((5, 3))])
    arrays = BY_HAND.children_ptr, BY_HAND.children, BY_HAND.feature, BY_HAND.threshold
    ax = plot_tree(Tree(2, *arrays, counts), ["a", "b"], list("vwxyz"))
    assert "a ≤ -1\n4 of 5" in boxes(ax)


def test_leaves_are_evenly_spaced_and_parents_above_their_middle(waveform_tree):
    tree = waveform_tree.tree_
    layout = lay_out(tree)
    np.testing.assert_array_equal(layout.x[tree.is_leaf], np.arange(tree.n_leaves))
    np.testing.assert_array_equal(layout.y, -tree.depths)
    for node in np.flatnonzero(~tree.is_leaf):
        assert layout.x[node] == layout.x[tree.children_of(node)].mean()


def test_thirty_leaves_do_not_overlap(waveform_tree):
    ax = waveform_tree.plot()
    assert len(ax.texts) == waveform_tree.tree_.node_count + len(["yes", "no"])
    assert not overlaps(ax)
    assert min(t.get_fontsize() for t in ax.texts) >= 8


def test_own_axes_get_letters_that_fit(waveform_tree):
    given = Figure(figsize=(20, 5)).add_subplot()
    assert waveform_tree.plot(given) is given
    assert not overlaps(given)
    assert 3 < given.texts[0].get_fontsize() < 8


def test_large_trees_get_smaller_letters_instead_of_larger_figures():
    X, y = make_waveform(2000, random_state=0)
    ax = StructurePurityClassifier(criterion="gini").fit(X, y).plot()
    assert max(ax.figure.get_size_inches()) <= 50
    assert ax.texts[0].get_fontsize() < 8


def test_figure_is_shown_by_pyplot_and_can_be_saved():
    figure = plot_tree(BY_HAND, *NAMES).figure
    assert pyplot.gcf() is figure
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    assert buffer.getvalue().startswith(b"\x89PNG")


def test_single_leaf():
    model = StructurePurityClassifier().fit([[0.0], [1.0]], ["b", "a"])
    assert boxes(model.plot()) == {"a\n1 / 1": (0, 0)}


def test_wrong_arguments():
    with pytest.raises(ValueError, match="feature_names must hold 2 names, got 1"):
        plot_tree(BY_HAND, ["a"], NAMES[1])
    with pytest.raises(ValueError, match="max_depth == -1, must be >= 0"):
        plot_tree(BY_HAND, *NAMES, max_depth=-1)


def test_boxes_of_every_kind_of_test():
    ax = plot_tree(MIXED, **names_of(MIXED))
    texts = [t.get_text() for t in ax.texts if t.get_bbox_patch()]
    assert texts == [
        "width ≤ 2.5\n9.5 / 8 / 6",
        "colour\n7 / 3 / 1",
        "oak\n4 / 0 / 0",
        "elm\n0 / 3 / 1",
        "oak\n3 / 0 / 0",
        "oak\nno rows",
        "colour in {red, blue}\n2.5 / 5 / 5",
        "-0.5 width + 1 height ≤ 3\n0 / 5 / 5",
        "elm\n0 / 4 / 1",
        "ash\n0 / 1 / 4",
        "oak\n2.5 / 0 / 0",
    ]
    assert answers(ax) == ["yes", "no", "= red", "= green", "= blue", "= grey"]


def test_yes_and_no_stand_at_the_first_test_that_has_them():
    children = [[1, 4, 5, 6], [2, 3], [], [], [], [], [7, 8], [], []]
    tree = make_tree(
        children, np.ones((9, 2)), feature={0: 2, 1: 0, 6: 1}, threshold={1: 1.0, 6: 2.0}
    )
    ax = plot_tree(tree, ["a", "b", "c"], ["x", "y"])
    assert answers(ax) == ["= 0", "= 1", "= 2", "= 3", "yes", "no"]
    yes, no = (t.get_position() for t in ax.texts[4:6])
    asking = boxes(ax)["a ≤ 1\n1 / 1"]
    assert yes[0] < asking[0] < no[0]
    assert asking[1] - 1 < yes[1] == no[1] < asking[1]


def test_answers_stand_above_their_boxes():
    ax = plot_tree(MIXED, **names_of(MIXED))
    places = {t.get_text(): t.get_position() for t in ax.texts}
    for answer, box in (("= red", "oak\n4 / 0 / 0"), ("= grey", "oak\nno rows")):
        assert places[answer][0] == places[box][0]
        assert 0 < places[answer][1] - places[box][1] < 0.5


@pytest.mark.parametrize("size", [None, (12, 9), (4, 2)])
@pytest.mark.parametrize("tree", ALL.values(), ids=ALL)
def test_no_text_overlaps_and_no_line_crosses_an_answer(tree, size):
    ax = None if size is None else Figure(figsize=size).add_subplot()
    ax = plot_tree(tree, **names_of(tree), ax=ax)
    assert not overlaps(ax)
    assert not crossings(ax)


@settings(examples, max_examples=15)
@given(random_trees())
def test_random_trees_do_not_overlap(tree):
    try:
        ax = plot_tree(tree, **names_of(tree))
        assert not overlaps(ax)
        assert not crossings(ax)
    finally:
        pyplot.close("all")


def test_means_have_darker_grounds_the_greater_they_are():
    X = np.arange(8.0)[:, None]
    model = CartRegressor().fit(X, [1, 1, 5, 5, 3, 3, 9, 9])
    ax = model.plot()
    found = [t for t in ax.texts if t.get_bbox_patch()]
    luminance = {
        t.get_text().split("\n")[0]: sum(t.get_bbox_patch().get_facecolor()[:3]) for t in found
    }
    assert luminance["1"] > luminance["3"] > luminance["5"] > luminance["9"]
    assert luminance["x[0] ≤ 5.5"] == 3
    assert "5\n2 rows, sd 0" in boxes(ax)
    texts = boxes(plot_tree(REGRESSION, **names_of(REGRESSION)))
    assert {"height ≤ 0.125\n10 rows, sd 3", "6.875\nno rows"} <= set(texts)


def test_long_texts_are_abbreviated_and_broken():
    levels = [f"level {i}" for i in range(40)]
    tree = make_tree([[1, 2], [], []], np.ones((3, 2)), feature={0: 2}, left={0: [0, 1, 2, 3]})
    names = {"feature_names": ["a", "b", "a" * 90], "class_names": ["b" * 90, "c"]}
    ax = plot_tree(tree, **names, levels=[None, None, levels])
    lines = [line for text in boxes(ax) for line in text.split("\n")]
    assert max(map(len, lines)) <= 32
    assert "in {level 0, level 1, … 2 more}" in lines
    assert not overlaps(ax)


def test_long_sums_are_abbreviated_between_their_terms():
    normal = np.linspace(-2, 2, 40)
    tree = make_tree(
        [[1, 2], [], []], np.ones((3, 2)), n_features=40, normal={0: normal}, threshold={0: 0.5}
    )
    ax = plot_tree(tree, [f"attribute {j}" for j in range(40)], ["x", "y"])
    (text,) = [text for text in boxes(ax) if "attribute" in text]
    assert text.split("\n") == [
        "-2 attribute 0",
        "- 1.897 attribute 1",
        "- 1.795 attribute 2",
        "- 1.692 attribute 3",
        "- 1.59 attribute 4 + … (35 more)",
        "≤ 0.5",
        "1 / 1",
    ]
    assert not overlaps(ax)


def test_centres():
    ax = plot_tree(NEAREST, **names_of(NEAREST))
    assert answers(ax) == [
        "height 2, colour red",
        "height 0.5, colour blue",
        "height -1, colour blue 75%",
    ]
    assert "nearest centre\n5 / 4 / 3" in boxes(ax)


@pytest.mark.parametrize("name", ["vote", "credit_approval", "lymphography"])
def test_trees_of_nominal_data_do_not_overlap(name):
    X, y = read_set(name)
    for binary_splits in (False, True):
        ax = C45Classifier(binary_splits=binary_splits).fit(X, y).plot()
        assert not overlaps(ax)
        assert not crossings(ax)


def test_names_given_to_an_estimator():
    X, y = [[0.0], [1.0]] * 3, [0, 1] * 3
    model = CartClassifier().fit(X, y)
    names = {"feature_names": ["width"], "class_names": ["oak", "elm"]}
    assert list(boxes(model.plot(**names))) == ["width ≤ 0.5\n3 / 3", "oak\n3 / 0", "elm\n0 / 3"]
    assert model.export_text(**names).splitlines()[0] == "width <= 0.5: oak (oak: 3)"
    assert "elm" in model.export_rules(**names)
    assert "width ≤ 0.5" in model.export_graphviz(**names)
    with pytest.raises(ValueError, match="class_names must hold 2 names, got 1"):
        model.plot(class_names=["oak"])


def test_rows_held_out_are_said_at_the_root_and_under_the_text():
    X, y = make_waveform(90, random_state=0)
    model = C45Classifier(pruning="reduced_error", random_state=0).fit(X, y)
    assert model.tree_.held_out == 30
    assert model.tree_.weight[0] == 60
    root = next(iter(boxes(model.plot())))
    assert root.endswith("\n30 rows held out")
    last = model.export_text().splitlines()[-1]
    assert last == "(30 rows held out for pruning, not in the counts)"
    assert "held out" not in model.export_text(style="weka")
    assert "held out" not in C45Classifier().fit(X, y).export_text()
