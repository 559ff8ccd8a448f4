"""`reports.agreement.columns`: whole columns, which are shifted, and gains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from retree_lab.reports.agreement.columns import (
    find_shifts,
    shift_table,
    shifts_document,
    shifts_summary,
)
from retree_lab.reports.agreement.pictures import draw_shifts
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.figures import style
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.statistics import Verdict
from retree_lab.statistics.agreement import Margins
from retree_lab.statistics.intervals import predict

N_SETS, N_RUNS = 12, 20


def column(rng, method, shift, metric="error_pct", level=20.0, baseline="Base"):
    """Numbers of a method on the data sets, published `shift` above one more run of ours."""
    cells = []
    for i in range(N_SETS):
        runs = rng.normal(level + i, 0.5, N_RUNS + 1)
        one = Comparison(
            f"set{i}",
            method,
            metric,
            float(runs[1:].mean()),
            1.0,
            PublishedValue(round(float(runs[0]) + shift, 1), 1.0, 0.1),
            10,
            "{}",
        )
        cells.append(
            replace(
                one,
                run=Run(metric, tuple(map(float, runs[1:])), (1.0,) * N_RUNS, N_RUNS),
                prediction=predict(runs[1:], log_plus=0.0 if metric == "leaves" else None),
                baseline=baseline,
                judgement=Judgement(Verdict.AGREES),
            )
        )
    return cells


@pytest.fixture
def found():
    rng = np.random.default_rng(0)
    cells = [*column(rng, "Base", 0.0), *column(rng, "Same", 0.0, level=18.0)]
    cells += column(rng, "Shifted", -1.0, level=18.0)
    return {c.method: c for c in find_shifts(cells, Margins())}


def test_a_shifted_column_is_found_and_no_other(found):
    assert [name for name, column in found.items() if column.is_shifted] == ["Shifted"]
    assert found["Shifted"].shift.gap == pytest.approx(-1.0, abs=0.5)
    assert found["Same"].is_equivalent
    # By a point they are no longer surely within a point.
    assert not found["Shifted"].is_equivalent


def test_the_gain_over_the_baseline_stands_beside_the_published_one(found):
    assert found["Base"].gain is None
    same, shifted = found["Same"].gain, found["Shifted"].gain
    assert same.ours.center == pytest.approx(-2.0, abs=0.2)
    assert (same.is_inside, shifted.is_inside) == (True, False)
    assert shifted.published == pytest.approx(-3.0, abs=0.5)
    # Ours is smaller by a third, at the same spread between data sets.
    assert shifted.effect == pytest.approx(2.0 / 0.7, rel=0.4)
    assert shifted.effect_published > 0


def test_the_page_the_file_and_the_section_say_the_same(found):
    columns = list(found.values())
    table = shift_table(columns).set_index("method")
    assert table.loc["Shifted", "gap"] == found["Shifted"].shift.gap
    assert table.loc["Base", "baseline"] == ""
    page = shifts_document(columns, Margins(), "Source")
    assert page.blocks[0].text.text.startswith("1 of 3 columns is shifted beyond chance")
    (section,) = shifts_summary(columns)
    assert section.text[0].startswith("1 of 3 columns is shifted")
    assert shifts_document([], Margins(), "Source") is None


def test_sizes_are_factors_unless_some_are_0():
    rng = np.random.default_rng(1)
    sizes = column(rng, "A", 4.0, "leaves", baseline="")
    (one,) = find_shifts(sizes, Margins())
    assert one.log
    assert one.shift.gap == pytest.approx(1 + 4 / 25, abs=0.06)
    zero = replace(sizes[0], theirs=PublishedValue(0.0, 1.0, 0.1))
    (other,) = find_shifts([zero, *sizes[1:]], Margins())
    assert not other.log


def test_few_numbers_are_no_column():
    rng = np.random.default_rng(2)
    assert find_shifts(column(rng, "A", 0.0)[:5], Margins()) == []


def _in_view(axes, label):
    low, high = axes.get_xlim()
    return low <= label.get_position()[0] <= high


@pytest.mark.parametrize("name", ["A", "Segment+BNM+CSN+Gini (pruned, unweighted)"])
@pytest.mark.parametrize("n_columns", [1, 8])
def test_no_text_of_the_picture_leaves_it(name, n_columns):
    rng = np.random.default_rng(3)
    cells = [c for i in range(n_columns) for c in column(rng, f"{name}{i}", -1.0, baseline="")]
    cells[0] = replace(cells[0], theirs=PublishedValue(70.0, 1.0, 0.1))
    with style():
        figure = draw_shifts(find_shifts(cells, Margins()), "García & Herrera 2008")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        # Labels of ticks beyond the ends of an axis are kept, but not drawn.
        kept = {t for a in figure.axes for t in a.get_xticklabels() if not _in_view(a, t)}
        texts = [t for t in figure.findobj(Text) if t.get_text() and t not in kept]
        assert len(texts) > n_columns
        assert "arrow" in figure.axes[-1].get_xlabel()
        for text in texts:
            box = text.get_window_extent(canvas.get_renderer())
            assert -0.5 <= box.x0 < box.x1 <= figure.bbox.width + 0.5, text
            assert -0.5 <= box.y0 < box.y1 <= figure.bbox.height + 0.5, text


@pytest.mark.parametrize("factor", [1.0, 32.0])
def test_a_far_number_is_an_arrow_that_the_key_explains(factor):
    cells = column(np.random.default_rng(4), "A", 4.0, "leaves", baseline="")
    far = PublishedValue(cells[0].theirs.value * factor, 1.0, 0.1)
    cells += column(np.random.default_rng(5), "B", 0.0, "leaves", baseline="")
    (axes,) = draw_shifts(
        find_shifts([replace(cells[0], theirs=far), *cells[1:]], Margins()), ""
    ).axes
    arrows = [line for line in axes.lines if line.get_marker() in ("<", ">")]
    assert len(arrows) == ("arrow" in axes.get_xlabel()) == (factor > 1)
    assert axes.get_xlim()[1] < 16
