"""Whole columns of a paper: which are shifted, and the gains over a baseline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from retree_lab.reports.agreement.column_pages import shift_table, shifts_document, shifts_summary
from retree_lab.reports.agreement.columns import find_shifts
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.published import PublishedValue
from retree_lab.statistics import Verdict
from retree_lab.statistics.intervals import predict
from retree_lab.statistics.power import Margins

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
                runs=tuple(map(float, runs[1:])),
                n_replicates=N_RUNS,
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
