from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from toy_paper import ABSENT, cells, context_of, frame_of, toy_item, toy_plan

from retree.errors import RetreeError
from retree.trees.tree import Tree
from retree_lab import reports
from retree_lab.experiments.storing.results import StoredCells
from retree_lab.papers.structure_purity import regions
from retree_lab.reports.figures import (
    WIDTH,
    conclude,
    new_figure,
    save_figure,
    seen,
    spread,
    style,
    svg_size,
)
from retree_lab.reports.selection import best_test

Box, cut_line, node_boxes = regions.Box, regions.cut_line, regions.node_boxes
ROOT = Path(__file__).parents[2]
PLANE = Box(0, (0.0, 0.0), (10.0, 10.0))


class OneTree(StoredCells):
    """Cells that all have one tree."""

    def __init__(self, tree):
        super().__init__()
        self.__dict__["one"] = tree

    def tree(self, key):
        return self.one


@pytest.fixture
def tree():
    """x1 <= 4 first; then, on the right, x2 <= 7."""
    return Tree(
        n_features=2,
        children_ptr=np.array([0, 2, 2, 4, 4, 4], dtype=np.int32),
        children=np.array([1, 2, 3, 4], dtype=np.int32),
        feature=np.array([0, -1, 1, -1, -1], dtype=np.int32),
        threshold=np.array([4.0, np.nan, 7.0, np.nan, np.nan]),
        counts=np.array([[3.0, 3.0], [2.0, 0.0], [1.0, 3.0], [0.0, 3.0], [1.0, 0.0]]),
    )


def rendered(experiment, item, frame, stored=None):
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame, stored))
    content = {path.name: path.read_bytes() for path in paths}
    for name, data in content.items():
        assert b"</svg>" in data[-20:]
        assert re.search(rb"<title>.+?</title>\s*<desc>.+?</desc>", data), name
    return content


def xor_frame():
    return frame_of(
        cells("xor", "base", [0.75], 0, {"max_depth": 1}),
        cells("xor", "base", [ABSENT], 1, {"max_depth": 2}),
    )


def test_each_node_has_its_box(tree):
    boxes = {box.node: (box.low, box.high) for box in node_boxes(tree, PLANE)}
    assert boxes == {
        0: ((0, 0), (10, 10)),
        1: ((0, 0), (4, 10)),
        2: ((4, 0), (10, 10)),
        3: ((4, 0), (10, 7)),
        4: ((4, 7), (10, 10)),
    }


def test_a_cut_ends_at_the_border_of_its_box(tree):
    boxes = {box.node: box for box in node_boxes(tree, PLANE)}
    assert cut_line(tree, boxes[0]) == ([4, 4], [0, 10])
    assert cut_line(tree, boxes[2]) == ([4, 10], [7, 7])


def test_a_cut_outside_of_the_box_lies_on_its_border(tree):
    narrow = Box(0, (5.0, 0.0), (10.0, 5.0))
    assert cut_line(tree, narrow) == ([5, 5], [0, 5])


def test_decision_regions_are_drawn_and_do_not_move(experiment, tree):
    item, stored = toy_item("figure1"), OneTree(tree)
    first = rendered(experiment, item, xor_frame(), stored)
    assert set(first) == {"figure1.svg"}
    shuffled = xor_frame().iloc[::-1]
    assert rendered(experiment, item, shuffled, stored) == first


def test_decision_regions_need_two_features():
    item = toy_item("figure1", ["waveform1_R"])
    with pytest.raises(RetreeError, match="waveform1_R has 21 features"):
        item.kind.check_data(item, {"waveform1_R": (800, 21)})


def test_decision_regions_are_of_one_data_set():
    with pytest.raises(RetreeError, match="draws one data set"):
        toy_item("figure1", ["xor", "waveform1_R"])


def test_best_values_are_counted_over_the_data_sets(frame):
    from retree_lab.papers.structure_purity.criteria import best_values

    assert best_values(best_test(frame), "new", "k") == {2: 1, 3: 1}


def test_the_histogram_is_drawn_and_does_not_move(experiment, frame):
    item = toy_item("figure2")
    first = rendered(experiment, item, frame)
    assert set(first) == {"figure2.svg"}
    assert rendered(experiment, item, frame.iloc[::-1]) == first


def test_files_hold_no_date(tmp_path):
    with style():
        figure = Figure()
        figure.subplots().plot([0, 1])
        svg, pdf = save_figure(figure, tmp_path / "plot.name", pdf=True)
    assert (svg.name, pdf.name) == ("plot.name.svg", "plot.name.pdf")
    assert b"date" not in svg.read_bytes()
    assert b"CreationDate" not in pdf.read_bytes()


def test_a_drawing_says_what_it_shows_and_how_large_it_is(tmp_path):
    with style():
        figure = conclude(new_figure(1.0), "A < B: " + "long " * 20, "Two bars & a line")
        (path,) = save_figure(figure, tmp_path / "plot")
    assert seen(path) == f"A < B: {'long ' * 19}long. Two bars & a line"
    assert "\n" in figure.get_suptitle()
    width, height = svg_size(path)
    assert width / height == pytest.approx(WIDTH, abs=0.02)
    # On a phone of 390 pixels, 32 of them margins, the letters are at least nine pixels high.
    assert 7.0 * (390 - 32) / (72 * WIDTH) >= 9
    path.write_text("<svg>")
    assert seen(path) == ""
    with pytest.raises(RetreeError, match=r"plot\.svg is not a picture"):
        svg_size(path)


@pytest.mark.parametrize("path", sorted(ROOT.glob("results/**/*.svg")), ids=lambda path: path.stem)
def test_committed_drawings_say_what_they_show_and_fit_a_phone(path):
    assert "\n" not in seen(path)
    assert len(seen(path)) > 60
    assert svg_size(path)[0] == round(2 * 72 * WIDTH)


def test_labels_are_spread_and_stay_in_order():
    assert spread([1.0, 1.0, 1.1, 9.0], 0.5) == pytest.approx([0.55, 1.05, 1.55, 9.0], abs=0.05)


def test_drawings_suit_dark_pages_and_have_the_same_ids_every_time(tmp_path):
    def drawn(name, shift):
        with style():
            figure = Figure()
            axes = figure.add_axes((0.1 + shift, 0.1, 0.8, 0.8))
            axes.plot([0, 1], label="line")
            axes.set_title("Title")
            return save_figure(figure, tmp_path / name)[0].read_text()

    first = drawn("a", 0.0)
    assert first == drawn("b", 1e-16)
    assert "prefers-color-scheme" in first
    assert "currentColor" in first
    assert "#000000" not in first
    assert "#ffffff" not in first
    assert all(f'id="{name}"' in first for name in re.findall(r"url\(#(\w+)\)", first))


@pytest.mark.slow
def test_matplotlib_is_imported_where_a_figure_is_drawn():
    """Planning all items of all papers reads every kind, and none needs matplotlib for that."""
    plan = (
        "import sys; from retree_lab import reports;"
        "from retree_lab.experiments.definition.item_config import paper_items;"
        "from retree_lab.experiments.definition.paper_config import load_paper;"
        "from retree_lab.experiments.definition.protocol_config import default_protocol;"
        "from retree_lab.study.available import available;"
        "[paper_items(load_paper(name), default_protocol()) for name in available('paper')];"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", plan], check=False).returncode == 0
