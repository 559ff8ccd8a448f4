"""Verdicts by the rest of a table, and what its agreement says."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from retree_lab.reports.agreement.skill import find_power, power_section, twins_of
from retree_lab.reports.compare_items import over_sets, with_mean
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Document
from retree_lab.reports.markup import to_markdown
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.reports.verdicts import OUR_DATA, WIDE, Rules, judge, judge_numbers
from retree_lab.statistics import Digits
from retree_lab.statistics.agreement import Margins
from retree_lab.statistics.intervals import Prediction, predict

NAN = math.nan


def cell(method, published, center=50.0, spread=1.0, dataset="a", metric="error_pct", **more):
    """A number that is expected to be `center`, give or take `spread`, rounded to 0.1."""
    theirs = PublishedValue(published, NAN, 0.1, more.pop("is_wrong", False))
    one = Comparison(dataset, method, metric, center, 1.0, theirs, 10, "{}", item="table2")
    return replace(one, **{"prediction": Prediction(center, spread, 0.0, 1e6), **more})


def together(cells):
    return judge_numbers(cells, Rules())


def verdicts(cells):
    return [str(c.verdict) for c in together(cells)]


def test_an_interval_that_holds_half_of_its_row_agrees_weakly():
    # The interval of A is 48 to 52. It holds one of two others, and then one of three.
    row = [cell("A", 51.0), cell("B", 50.0, 50.0), cell("C", 60.0, 60.0)]
    assert verdicts(row)[0] == "weak"
    assert verdicts([*row, cell("D", 70.0, 70.0)])[0] == "agrees"
    # Numbers of other data sets and metrics are no part of the row.
    away = [replace(row[1], dataset="b"), replace(row[1], metric="accuracy_pct"), row[2]]
    assert verdicts([row[0], *away])[0] == "agrees"
    assert verdicts([row[0]]) == ["agrees"]


def test_where_no_other_number_is_published_ours_say_what_is_excluded():
    assert verdicts([cell("A", 51.0), cell("B", NAN, 50.0)])[0] == "weak"
    assert verdicts([cell("A", 51.0), cell("B", NAN, 60.0)])[0] == "agrees"


def test_of_many_numbers_those_just_outside_are_at_the_edge():
    inside = [cell("A", 50.0, dataset=f"d{i}") for i in range(30)]
    just, far = cell("A", 52.1, dataset="just"), cell("A", 60.0, dataset="far")
    assert verdicts([*inside, just, far])[-2:] == ["edge", "differs"]
    # Alone it is significant, and so it is among few.
    assert verdicts([just]) == ["differs"]
    assert verdicts([just, far]) == ["differs", "differs"]
    again = together(together([*inside, just, far]))
    assert [str(c.verdict) for c in again[-2:]] == ["edge", "differs"]


def test_other_verdicts_stay_what_they_are():
    cells = [
        cell("misprint", 60.0, is_wrong=True),
        cell("times", 60.0, metric="train_ms_10_trees"),
        cell("declared", 0.52, 0.5, metric="accuracy"),
        replace(cell("folds", 60.0), prediction=None),
    ]
    judged = judge_numbers(cells, Rules(tolerance={"accuracy": 0.03}))
    assert [c.verdict for c in judged] == ["explained", "", "agrees", "differs"]


ALL = {
    "tolerance": {"error_pct": 20.0},
    "our_data": ("a_key",),
    "is_same_protocol": False,
    "digits": Digits.ROUNDED,
}


@pytest.mark.parametrize(
    ("left_out", "more", "verdict"),
    [
        # Each rule alone says something else than the one below it.
        ((), {"center": NAN, "is_wrong": True}, "missing"),
        ((), {"is_wrong": True}, "explained"),
        ((), {}, "missing"),
        (("not_judged",), {}, "agrees"),
        (("not_judged", "tolerance"), {}, "missing"),
        (("not_judged", "tolerance", "our_data"), {}, ""),
        (("not_judged", "tolerance", "our_data", "is_same_protocol"), {"n_test": 100}, "differs"),
        (("not_judged", *ALL), {"spread": 50.0}, "agrees"),
        (("not_judged", *ALL), {"prediction": None}, "differs"),
    ],
)
def test_the_first_rule_that_applies_judges(left_out, more, verdict):
    declared = {"not_judged": "Lost.", **ALL}
    rules = Rules(**{name: value for name, value in declared.items() if name not in left_out})
    number = cell("A", 60.0, dataset_key="a_key", **more)
    assert judge(number, rules).verdict == verdict


def test_a_number_that_depends_on_a_seed_of_ours_is_not_judged_by_digits():
    rules = Rules(digits=Digits.ROUNDED)
    number = cell("A", 50.4, n_test=100)
    assert judge(number, rules).verdict == "differs"
    seeded = replace(number, is_seeded=True)
    assert judge(seeded, rules).verdict == "agrees"
    assert judge(seeded, rules).digits is None
    mean = replace(number, sources=(number, seeded))
    assert judge(mean, rules).digits is None


def test_why_a_number_cannot_be_judged_is_said():
    lost, ours = Rules(not_judged="Lost."), Rules(our_data=("a_key",))
    number = cell("A", 60.0, dataset_key="a_key")
    assert judge_numbers([number], lost)[0].reason == "Lost."
    assert judge_numbers([number], ours)[0].reason == OUR_DATA


def test_a_size_as_uncertain_as_it_is_large_is_not_said_to_agree():
    size = replace(cell("A", 222.7, 134.7, metric="nodes"), prediction=None, reproduced_std=139.1)
    assert (judge(size, Rules()).verdict, judge(size, Rules()).reason) == ("missing", WIDE)
    assert judge(replace(size, reproduced_std=130.0), Rules()).verdict == "agrees"
    assert judge(replace(size, reproduced=2.0, reproduced_std=2.5), Rules()).verdict == "differs"


def skilled_rows():
    """Three rows alike, so that twelve numbers of a wrong method disagree."""
    methods = [("A", 51.0), ("B", 50.0, 50.1), ("C", 55.0, 60.0)]
    return [cell(*numbers, dataset=name) for name in "xyz" for numbers in methods]


def test_skill_is_counted_over_all_pairs_of_a_row():
    # Right: A and B of three agree. Wrong: of six pairs, B's 50 in A's interval and the reverse.
    (power,) = find_power(together(skilled_rows()), Margins()).itertuples()
    assert (power.item, power.metric, power.n_numbers) == ("table2", "error_pct", 9)
    assert power.right == pytest.approx(2 / 3)
    assert (power.n_wrong, power.wrong) == (18, pytest.approx(2 / 6))
    assert power.skill == pytest.approx(0.5)
    # (1.96 + 0.84) standard errors, and half of a tenth.
    assert power.found == pytest.approx(2.80 + 0.05, abs=0.01)
    # Within a point are A and B, whose intervals are far too wide to show it.
    assert (power.weak, power.near, power.equivalent) == (6, 6, 0)


def test_skill_by_brute_force():
    rng = np.random.default_rng(0)
    cells = [
        cell(m, round(x, 1), x + rng.normal(), 1.0, dataset=d)
        for d in "abcde"
        for m, x in zip("ABCD", rng.uniform(40, 50, 4), strict=True)
    ]
    (power,) = find_power(together(cells), Margins()).itertuples()
    wrong = [
        other.low <= c.published <= other.high
        for c in cells
        for other in cells
        if c.dataset == other.dataset and c.method != other.method
    ]
    assert len(wrong) == power.n_wrong == 5 * 4 * 3
    assert power.wrong == pytest.approx(np.mean(wrong))


def test_the_skill_has_an_interval_over_data_sets():
    rng = np.random.default_rng(0)

    def cells(n_sets):
        return [
            cell(m, x + rng.normal() * 3, x, dataset=f"d{i}")
            for i in range(n_sets)
            for m, x in zip("ABC", rng.uniform(40, 50, 3), strict=True)
        ]

    (few,) = find_power(together(cells(6)), Margins()).itertuples()
    (many,) = find_power(together(cells(60)), Margins()).itertuples()
    assert few.skill_low <= few.skill <= few.skill_high
    assert many.skill_high - many.skill_low < few.skill_high - few.skill_low
    (one,) = find_power(together(cells(1)), Margins()).itertuples()
    assert np.isnan([one.skill_low, one.skill_high]).all()


def test_one_tree_by_two_names_counts_once_among_wrong_methods():
    sets = [(d, x) for d, x in zip("abc", (50.0, 60.0, 70.0), strict=True)]
    cells = [cell(m, x, x + (m == "C") * 20, dataset=d) for d, x in sets for m in "ABC"]
    assert twins_of(cells) == {"B": "A"}
    (power,) = find_power(together(cells), Margins()).itertuples()
    # On each set A and B are compared with C, and C with A alone.
    assert power.n_wrong == 9
    assert twins_of(cells[:3]) == {}


def test_numbers_that_are_sure_to_be_near():
    sure = [cell("A", 50.5, spread=0.1), cell("A", 50.5, dataset="b"), cell("A", 53.0, dataset="c")]
    (power,) = find_power(together(sure), Margins()).itertuples()
    assert (power.near, power.equivalent) == (2, 1)
    (strict,) = find_power(together(sure), Margins(points=0.3)).itertuples()
    assert (strict.near, strict.equivalent) == (0, 0)


def test_numbers_judged_by_digits_agree_with_wrong_methods_by_digits():
    ours = [("A", 50.01, 50.0), ("B", 50.02, 50.0), ("C", 61.0, 61.3)]
    cells = judge_numbers(
        [replace(cell(m, published), reproduced=x, n_test=1000) for m, x, published in ours],
        Rules(digits=Digits.ROUNDED),
    )
    (power,) = find_power(cells, Margins()).itertuples()
    assert (power.right, power.n_wrong) == (pytest.approx(2 / 3), 6)
    assert power.wrong == pytest.approx(2 / 6)
    assert math.isnan(power.found)


def test_the_section_says_what_agreement_says():
    found = find_power(together(skilled_rows()), Margins())
    page = to_markdown(Document([], power_section(found, Margins())))
    assert "| 9 | 67% | 33% | 0.50 (0.50 to 0.50) | 6 | 2.9 | 6 | 0 |" in page
    few = find_power(together(skilled_rows()[:3]), Margins())
    assert "| 3 | 67% | 33% | — | 2 |" in to_markdown(Document([], power_section(few, Margins())))
    assert power_section(find_power([], Margins()), Margins()) == []


def test_a_mean_over_other_data_sets_is_judged_by_their_spread():
    runs = (1.0, 1.1, 0.9)
    cells = [
        replace(cell("A", NAN, 10.0 * i, dataset=f"d{i}"), run=Run("accuracy", runs, runs, 1),
                prediction=predict(10.0 * i + np.array(runs)))
        for i in range(5)
    ]  # fmt: skip
    mean = replace(cell("A", 35.0, 20.0), prediction=None, dataset="MEAN")
    our_data = {"d0", "d2", "d4"}
    by_folds, by_sets = together([with_mean(mean, cells), with_mean(mean, cells, our_data)])
    assert (by_folds.verdict, by_folds.over_sets) == ("differs", False)
    assert (by_sets.verdict, by_sets.over_sets) == ("agrees", True)
    assert by_sets.low < 10 < by_folds.low
    # One data set shows no spread between data sets.
    (lone,) = together([over_sets(mean, [cells[0].prediction], [3.0])])
    assert (lone.verdict, lone.prediction) == ("missing", None)
    assert "not known" in lone.reason
