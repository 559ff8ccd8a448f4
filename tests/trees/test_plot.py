"""Trees as pictures."""

import io

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from test_tree import BY_HAND

from retree import StructurePurityClassifier
from retree.datasets.generators import make_waveform
from retree.trees.plot import lay_out, plot_tree
from retree.trees.tree import Tree

NAMES = ["width", "cost in $ or a_$"], ["oak", "elm"]


def boxes(ax):
    """Return {text: (x, y)} of the boxes of nodes."""
    return {t.get_text(): t.get_position() for t in ax.texts if t.get_bbox_patch()}


def overlaps(ax):
    """Return whether the boxes of any two nodes overlap on the canvas."""
    FigureCanvasAgg(ax.figure).draw()
    found = [t.get_bbox_patch().get_window_extent() for t in ax.texts if t.get_bbox_patch()]
    return any(a.overlaps(b) for i, a in enumerate(found) for b in found[:i])


@pytest.fixture(scope="module")
def waveform_tree():
    X, y = make_waveform(600, random_state=0)
    model = StructurePurityClassifier("bnm+csn", omega2=0.04).fit(X, y)
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
    assert [t.get_text().strip() for t in ax.texts if not t.get_bbox_patch()] == ["yes", "no"]
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
    ax = StructurePurityClassifier("gini").fit(X, y).plot()
    assert max(ax.figure.get_size_inches()) <= 50
    assert ax.texts[0].get_fontsize() < 8


def test_pyplot_is_left_alone_and_the_figure_can_be_saved():
    before = pyplot.get_fignums()
    figure = plot_tree(BY_HAND, *NAMES).figure
    assert pyplot.get_fignums() == before
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
