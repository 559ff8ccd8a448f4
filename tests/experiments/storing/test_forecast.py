"""What a run says of the time that is left, by what its finished cells took."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_lab.commands.run import run_screen
from retree_lab.commands.run.run_screen import RunProgress, about
from retree_lab.experiments.storing.outcomes import Outcome
from retree_lab.experiments.storing.status import Forecast

CHEAP, DEAR = ("small", "tree"), ("small", "forest")
SIZES = {"small": 100.0, "large": 1000.0}


def forecast(counts, expected=None):
    """Return a forecast of so many cells of each pair; keys are ``method on dataset 0``, …."""
    pairs = {f"{m} on {d} {i}": (d, m) for (d, m), n in counts.items() for i in range(n)}
    return Forecast(pairs, {pair: (expected or {}).get(pair) for pair in counts}, SIZES)


def fitted(pair, seconds, numbers):
    return [Outcome(f"{pair[1]} on {pair[0]} {i}", fit_seconds=seconds) for i in numbers]


def test_each_method_costs_what_its_own_cells_took():
    of = forecast({CHEAP: 10, DEAR: 10})
    of.finish(fitted(CHEAP, 0.5, range(4)))
    # Of forests nothing is known yet.
    assert of.left() == (3.0, 10)
    of.finish(fitted(DEAR, 20.0, [0]))
    assert of.left() == (3.0 + 9 * 20, 0)
    of.drop({"forest on small 1", "forest on small 2"})
    assert of.left() == (3.0 + 7 * 20, 0)
    assert (of.cells, of.finished) == (18, 5)


def test_expected_times_count_as_the_pace_of_this_run_has_them():
    of = forecast({CHEAP: 10, DEAR: 10}, {CHEAP: 1.0, DEAR: 7.0})
    assert of.left() == (80.0, 0)
    of.finish(fitted(CHEAP, 3.0, range(2)))
    assert of.left() == (8 * 3.0 + 10 * 7 * 3.0, 0)


def test_another_data_set_takes_as_long_as_its_size_is():
    of = forecast({CHEAP: 2, ("large", "tree"): 3})
    of.finish(fitted(CHEAP, 0.5, range(2)))
    assert of.left() == (3 * 5.0, 0)


def test_a_failed_cell_is_finished_and_measures_nothing():
    of = forecast({CHEAP: 3})
    of.finish([Outcome("tree on small 0", error="Traceback")])
    assert (of.finished, of.failed, of.left()) == (1, 1, (0, 2))


@given(
    costs=st.dictionaries(st.sampled_from("abcd"), st.floats(0.01, 1e3), min_size=1),
    counts=st.lists(st.integers(1, 9), min_size=4, max_size=4),
    known=st.booleans(),
)
def test_an_even_run_is_forecast_exactly(costs, counts, known):
    pairs = {("small", m): n for m, n in zip(costs, counts, strict=False)}
    of = forecast(pairs, {pair: 2 * costs[pair[1]] for pair in pairs} if known else {})
    for pair in pairs:
        of.finish(fitted(pair, costs[pair[1]], [0]))
    seconds, unknown = of.left()
    assert unknown == 0
    assert seconds == pytest.approx(sum(costs[p[1]] * (n - 1) for p, n in pairs.items()))


def test_the_times_of_a_run_say_what_they_are(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(run_screen, "time", SimpleNamespace(monotonic=lambda: now[-1]))
    of = forecast({CHEAP: 100, DEAR: 100})
    progress = RunProgress(of)

    def advance(outcomes):
        of.finish(outcomes)
        progress.advance()

    assert progress.times() == "0 % · 0 s so far"
    for i in range(20):
        now.append(3.0 * (i + 1))
        advance(fitted(CHEAP, 6.0, [i]))
    # 19 cells after the first took 57 s on two processors; 80 like them are left, and forests.
    assert progress.times() == "10 % · 60 s so far · at least 4 min left"
    now.append(63.0)
    advance(fitted(DEAR, 0.0, [0]))
    assert progress.times() == "10 % · 63 s so far · about 4 min left"
    advance(fitted(DEAR, 0.0, range(1, 100)))
    advance(fitted(CHEAP, 6.0, range(20, 99)))
    assert progress.times() == "99 % · 63 s so far · less than a second left"
    advance(fitted(CHEAP, 6.0, [99]))
    assert progress.times() == "100 % · 63 s so far"
    assert about(0.2) == "less than a second"
