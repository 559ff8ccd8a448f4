"""Whether columns share folds, and the best of several cross-validations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr

from retree_lab.reports.agreement.own_columns import (
    best_of,
    best_of_table,
    concordance,
    find_own_columns,
    own_columns_sections,
    own_columns_tables,
)
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.statistics import Verdict
from retree_lab.statistics.intervals import predict

METHODS, N_SETS, N_RUNS = ("one", "two", "three", "four"), 20, 20


def columns(rng, published):
    """Accuracies whose folds matter alike to all methods; `published` draws four values."""
    cells = []
    for i in range(N_SETS):
        luck = rng.normal(size=N_RUNS)
        for place, method in enumerate(METHODS):
            runs = 0.8 + 0.01 * (luck + 0.3 * rng.normal(size=N_RUNS))
            value = PublishedValue(published(runs, place, i), 1.0, 1e-6)
            one = Comparison(f"set{i}", method, "accuracy", runs.mean(), 0.01, value, 10)
            run = Run("accuracy", tuple(map(float, runs)), (0.01,) * N_RUNS, N_RUNS)
            one = vars(one) | {"method_key": method, "run": run}
            one |= {"prediction": predict(runs), "judgement": Judgement(Verdict.AGREES)}
            cells.append(Comparison(**one))
    return cells


def test_columns_of_one_draw_of_folds_are_told_from_others():
    answers = {"shared": [], "apart": []}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        same = columns(rng, lambda runs, place, i: float(runs[i % N_RUNS]))
        other = columns(rng, lambda runs, place, i: float(runs[(7 * place + i) % N_RUNS]))
        for name, compared in (("shared", same), ("apart", other)):
            (found,) = find_own_columns(compared, METHODS)
            answers[name].append(found.answer)
    assert answers["shared"].count("shared folds") >= 9
    assert answers["apart"].count("folds of their own") >= 8


def test_concordance_is_the_mean_of_spearmans_correlations():
    drawn = np.random.default_rng(0).normal(size=(3, 12, 4))
    drawn[0, :3] = 1.0  # tied
    expected = [
        np.mean([spearmanr(one[:, i], one[:, j])[0] for i, j in combinations(range(4), 2)])
        for one in drawn
    ]
    assert concordance(drawn) == pytest.approx(expected)


def test_the_best_of_several_runs_is_that_of_all_ways_to_choose_them():
    runs = list(np.random.default_rng(1).normal(size=7))
    for tries in (1, 2, 5, 7):
        every = [max(some) for some in combinations(runs, tries)]
        assert best_of(runs, tries) == pytest.approx(np.mean(every))


def test_a_column_of_the_best_of_five_lies_at_five():
    rng = np.random.default_rng(2)
    compared = columns(rng, lambda runs, *_: float(np.max(rng.choice(runs, 5, replace=False))))
    gaps = best_of_table(find_own_columns(compared, METHODS)).groupby("tries")["gap"].mean()
    assert gaps[5] == pytest.approx(0.0, abs=0.1)
    assert gaps[1] > 1.0
    assert gaps[10] < -0.2


def test_only_the_authors_columns_are_looked_at():
    compared = columns(np.random.default_rng(3), lambda runs, *_: float(runs[0]))
    (found,) = find_own_columns(compared, METHODS[:2])
    assert found.methods == METHODS[:2]
    assert find_own_columns(compared, METHODS[:1]) == find_own_columns(compared, ()) == []
    assert own_columns_sections([]) == []
    assert own_columns_tables([]) == {}
    assert [block.title for block in own_columns_sections([found])][::2] == [
        "Do the authors' columns share folds?",
        "The best of several cross-validations?",
    ]
    assert list(own_columns_tables([found])) == [
        "own_columns.csv",
        "best_of.csv",
    ]
