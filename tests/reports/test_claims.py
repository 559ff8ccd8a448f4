"""Claims on the toy paper, as published and as reproduced."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toy_paper import cells, context_of, frame_of, toy_item, toy_plan

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.definition.claim_config import (
    Claim,
    CountCheck,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    StarsCheck,
    WithinCheck,
)
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Program
from retree_lab.reports import claims
from retree_lab.reports.claims import (
    all_claims,
    claims_document,
    claims_overview,
    judging,
)
from retree_lab.reports.claims.answers import Quantity, check_words, direction, quantity
from retree_lab.reports.claims.judging import Replicated, judge_claims
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.markup import to_markdown
from retree_lab.reports.published import NOTHING, PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.statistics.intervals import predict
from retree_lab.statistics.metrics import find_metric
from retree_lab.study.composing import compose

WAVES = ("waveform1_R", "waveform0_R")
LABELS = {"base": "Base", "new": "New+Base", "other": "Other"}
KEYS = {label: key for key, label in LABELS.items()}
TABLE2 = {"item": "table2", "metric": "accuracy", "of": ("new",), "datasets": WAVES}
TABLE2 |= {"labels": LABELS}
# As published, New+Base is better than Base by .06 and .20.
BETTER = CountCheck(**TABLE2, than=("base",), relation=">", at_least=2)


def claims_text(judgements):
    return to_markdown(claims_document(judgements, ""))


def compared(dataset, method, value, std=0.01, **changes):
    names = {"metric": "accuracy", "theirs": NOTHING, "n_folds": 5, "params": "{}"} | changes
    names["method_key"] = KEYS.get(method, "")
    return Comparison(dataset, method, reproduced=value, reproduced_std=std, **names)


def table2(*values):
    """Reproduced accuracies of Base and New+Base on the data sets, one after the other."""
    pairs = [(d, m) for d in (*WAVES, "xor") for m in ("Base", "New+Base")]
    cells = [compared(*pair, value) for pair, value in zip(pairs, values, strict=False)]
    return {"table2": cells}


def judged(experiment, check, reproduced):
    claim = Claim("claim", "section 1", "It is so.", check)
    return judge_claims(replace(experiment.paper, claims=(claim,)), reproduced)[0]


@pytest.mark.parametrize(
    ("at_least", "values", "answers"),
    [
        (2, (0.7, 0.8, 0.7, 0.8), ("yes", "yes")),
        (2, (0.7, 0.8, 0.8, 0.7), ("yes", "no")),
        (2, (0.7, 0.8), ("yes", "cannot be checked")),
        (2, (0.8, 0.7), ("yes", "no")),
        (3, (0.7, 0.8, 0.7, 0.8), ("no", "no")),
    ],
)
def test_a_claim_is_answered_in_the_paper_and_here(experiment, at_least, values, answers):
    found = judged(experiment, replace(BETTER, at_least=at_least), table2(*values))
    assert (found.in_paper, found.here) == answers


def test_what_the_paper_contradicts_itself_stays_so(experiment):
    worse = replace(BETTER, relation="<")
    found = judged(experiment, worse, table2(0.8, 0.7, 0.8, 0.7))
    assert (found.in_paper, found.here) == ("no", "yes")


def test_what_the_paper_leaves_open_is_judged_by_ours(experiment):
    check = replace(BETTER, datasets=("xor",), at_least=1)
    for values, here in (((), "cannot be checked"), ((0.5, 0.6), "yes"), ((0.6, 0.5), "no")):
        found = judged(experiment, check, table2(*[0] * 4, *values) if values else {})
        assert (found.in_paper, found.here) == ("", here)


def test_a_count_names_the_sets_and_what_is_unknown(experiment):
    check = replace(BETTER, datasets=(*WAVES, "xor"))
    found = judged(experiment, check, table2(0.7, 0.8, 0.7, 0.6, 0.5, 0.6))
    assert found.published.numbers == "2 of 3; 1 unknown"
    assert found.reproduced.numbers == "2 of 3 (not waveform0_R)"
    assert found.reproduced.holds is True
    assert judged(experiment, check, {}).reproduced.numbers == "no number"


def test_means_are_shown_with_their_methods(experiment):
    check = MeanCheck(**TABLE2, than=("base",), relation=">", factor=1.1)
    found = judged(experiment, check, table2(0.7, 0.8, 0.7, 0.7))
    assert found.published.numbers == "New+Base 0.8800 against 1.1 · Base 0.7500"
    assert found.reproduced.numbers == "New+Base 0.7500 against 1.1 · Base 0.7000"
    assert (found.in_paper, found.here) == ("yes", "no")


@pytest.mark.parametrize(("plus", "here"), [(-0.05, "yes"), (0.0, "no")])
def test_a_mean_may_be_so_much_less(experiment, plus, here):
    check = MeanCheck(**TABLE2, than=("base",), relation=">=", plus=plus)
    found = judged(experiment, check, table2(0.8, 0.7, 0.7, 0.7))
    words = "New+Base 0.7000 against Base 0.7500"
    assert found.reproduced.numbers == (f"{words} -0.05" if plus else words)
    assert found.here == here


def test_a_geometric_mean(experiment):
    check = MeanCheck(**TABLE2, than=0.5, relation="<", geometric=True)
    assert judged(experiment, check, table2(0, 0.2, 0, 0.8)).reproduced.numbers.startswith(
        "New+Base 0.4000 against"
    )


@pytest.mark.parametrize(("statistic", "numbers"), [("std", "0.0200"), ("spread", "0.04")])
def test_the_spread_over_the_folds(experiment, statistic, numbers):
    check = MeanCheck(**TABLE2, than=("base",), relation=">", statistic=statistic)
    check = replace(check, datasets=("xor",))
    reproduced = {"table2": [compared("xor", "Base", 0.5), compared("xor", "New+Base", 0.5, 0.02)]}
    found = judged(experiment, check, reproduced)
    assert (found.published.holds, found.reproduced.holds) == (None, True)
    assert found.reproduced.numbers.startswith(f"New+Base {numbers} against")


@pytest.mark.parametrize(
    ("bounds", "holds", "numbers"),
    [
        ({"points": 0.03}, False, "1 of 2 (not waveform0_R New+Base −0.1000)"),
        ({"points": 0.03, "at_least": 1}, True, "1 of 2 (not waveform0_R New+Base −0.1000)"),
        ({"points": 0.1000001}, True, "2 of 2"),
        ({"share": 0.112}, True, "2 of 2"),
        ({"share": 0.11}, False, "1 of 2 (not waveform0_R New+Base −0.1000)"),
    ],
)
def test_our_numbers_may_be_near_to_published_ones(experiment, bounds, holds, numbers):
    found = judged(experiment, WithinCheck(**TABLE2, **bounds), table2(0, 0.86, 0, 0.8))
    assert (found.published.numbers, found.reproduced.holds) == ("", holds)
    assert found.reproduced.numbers == numbers
    assert (found.in_paper, found.here) == ("yes", "yes" if holds else "no")


def test_a_claim_says_how_many_of_its_data_sets_are_not_the_papers(experiment):
    paper = replace(experiment.paper, our_data=("waveform0_R",))
    check = CountCheck(**TABLE2, than=("base",), relation=">", at_least=2)
    claims = (Claim("claim", "section 1", "It is so.", check),)
    (found,) = judge_claims(replace(paper, claims=claims), table2(0.7, 0.8, 0.7, 0.8))
    assert (found.n_ours, found.n_datasets) == (1, 2)
    page = claims_text([found])
    assert "1 of 2 data sets are not the paper's, which are not known" in page
    everywhere = replace(check, datasets=("MEAN",))
    claims = (Claim("claim", "section 1", "It is so.", everywhere),)
    (found,) = judge_claims(replace(paper, claims=claims), table2(0.7, 0.8, 0.7, 0.8))
    assert (found.n_ours, found.n_datasets) == (1, 3)


def test_published_means_are_compared_with_the_cells(experiment):
    check = MeanOfCellsCheck(
        item="table4",
        cells="table2",
        metric="accuracy",
        of=("base", "new"),
        datasets=WAVES,
        labels=LABELS,
    )
    assert check_words(check).endswith("equal the means of the numbers in Table 2")
    means = [compared("MEAN", "Base", 0.75), compared("MEAN", "New+Base", 0.75)]
    found = judged(experiment, check, table2(0.7, 0.8, 0.8, 0.7) | {"table4": means})
    assert found.published.numbers == "1 of 2 (New+Base 0.9900 for 0.8800)"
    assert (found.published.holds, found.reproduced.numbers) == (False, "")
    assert (found.in_paper, found.here) == ("no", "")
    one = judged(experiment, replace(check, of=("base",)), {})
    assert (one.in_paper, one.here) == ("yes", "")
    unread = judged(experiment, replace(check, of=("base",), datasets=("xor",)), {})
    assert (unread.published.numbers, unread.in_paper) == ("no number", "")


def test_a_mean_over_fewer_sets_is_no_number(experiment):
    check = MeanCheck(
        item="table4",
        metric="accuracy",
        of=("new",),
        labels=LABELS,
        datasets=("MEAN",),
        than=("base",),
        relation=">",
    )
    partial = {"is_comparable": False}
    means = [compared("MEAN", m, 0.7, **partial) for m in ("Base", "New+Base")]
    found = judged(experiment, check, {"table4": means})
    assert found.published.numbers == "New+Base 0.9900 against Base 0.7500"
    assert found.reproduced.holds is None


CHOSEN = ParameterCheck(**TABLE2, parameter="k", low=2, high=3, at_least=2)


@pytest.mark.parametrize(
    ("changes", "chosen", "holds", "numbers"),
    [
        ({}, (2, 3), True, "2 of 2"),
        ({}, (2, 5), False, "1 of 2 (not waveform0_R New+Base)"),
        ({}, (2, None), None, "1 of 2; 1 unknown"),
        ({"at_least": 1}, (2, None), True, "1 of 2; 1 unknown"),
        ({"at_least": None, "most_frequent": True}, (3, 3), True, "3: 2"),
        # No other value is more frequent.
        ({"at_least": None, "most_frequent": True}, (3, 5), True, "3: 1, 5: 1"),
        ({"at_least": None, "most_frequent": True}, (5, 5), False, "5: 2"),
        ({}, (None, None), None, "no number"),
    ],
)
def test_the_values_that_are_chosen(experiment, changes, chosen, holds, numbers):
    points = ["" if k is None else f'{{"k": {k}}}' for k in chosen]
    rows = [compared(d, "New+Base", 0.8, params=p) for d, p in zip(WAVES, points, strict=True)]
    rows.append(compared("xor", "New+Base", 0.8, params='{"k": 9}'))
    found = judged(experiment, replace(CHOSEN, **changes), {"table2": rows})
    assert (found.reproduced.holds, found.reproduced.numbers) == (holds, numbers)
    answers = {True: "yes", False: "no", None: "cannot be checked"}
    assert (found.in_paper, found.here) == ("", answers[holds])


def test_the_values_of_all_replicates_count(experiment):
    points = {"waveform1_R": (2, 2, 5, 2), "waveform0_R": (3, 5)}
    rows = [compared(d, "New+Base", 0.8, params=f'{{"k": {ks[0]}}}') for d, ks in points.items()]
    rows = [
        replace(
            row,
            run=Run(
                "accuracy",
                (0.8,) * len(ks),
                (0.0,) * len(ks),
                len(ks),
                tuple(f'{{"k": {k}}}' for k in ks),
            ),
        )
        for row, ks in zip(rows, points.values(), strict=True)
    ]
    # Both are within 2 and 3 in the first replicate alone: 2 and 3, 2 and 5, 5 and 3, 2 and 5.
    found = judged(experiment, CHOSEN, {"table2": rows})
    assert (found.replicated.count, found.replicated.total, found.here) == (1, 4, "possible")
    assert "holds in 1 of 4 replicates" in claims_text([found])


def test_chosen_values_in_words():
    assert check_words(CHOSEN) == (
        "best k of New+Base (Table 2) is 2 to 3, at least 2 times over 2 data sets"
    )
    most = replace(CHOSEN, low=2, high=2, at_least=None, most_frequent=True)
    assert check_words(most) == "best k of New+Base (Table 2) is most often 2, over 2 data sets"


@pytest.fixture
def page(experiment):
    claims = (
        Claim("better", "section 1", "It is better.", BETTER),
        Claim(
            "order",
            "section 2",
            "Order does not matter.",
            None,
            "tests/x.py::test_order",
            tolerance="exact",
        ),
        Claim(
            "gini",
            "section 2",
            "It is so.",
            test="tests/x.py::test_not",
            refuted=True,
            tolerance="two digits",
            to_published_digits=False,
        ),
        Claim("fast", "section 3", "It is fast.", unchecked="no times are printed."),
    )
    experiment = replace(experiment, paper=replace(experiment.paper, claims=claims))
    frame = frame_of(
        cells("waveform1_R", "base", [0.8] * 5),
        cells("waveform1_R", "new", [0.9] * 5, 0, {"k": 2}),
        cells("waveform0_R", "base", [0.7] * 5),
        cells("waveform0_R", "new", [0.6] * 5, 0, {"k": 2}),
    )
    context = context_of(experiment, toy_plan(toy_item("table2")), frame)
    paths = reports.write_page(experiment, [context])
    return {path.name: path for path in paths}


def test_the_pages_show_the_claims(page):
    own = page["README.md"].read_text().partition("## Claims\n")[2].partition("\n## ")[0]
    section = page["claims.md"].read_text().partition("\n## ")[0]
    counts = section[section.index("| answer | claims of the paper |") :].partition("\n\n")[0]
    assert counts in own
    assert "[claims.md](claims.md) has each claim" in own
    assert "It is better" not in own
    answers = ("in the paper: yes", "here: yes", "here: not checkable")
    assert all(f"| {answer} | 1 |" in section for answer in answers)
    assert "| all | 4 |" in section
    assert "| here: no | 2 |" in section
    no = "**no**: 1 of 2 (not waveform0_R)"
    assert f"| section 1 | It is better. | **yes**: 2 of 2 | {no} | {no} |" in section
    exact = "`test_order`: exact; no figure is published"
    assert f"| section 2 | Order does not matter. | — | **yes**: {exact} | — |" in section
    rough = "`test_not`: two digits; not equal to the published figures to their last digit"
    assert f"| section 2 | It is so. | — | **no**: {rough} | — |" in section
    why = "**not checkable**: no times are printed."
    assert f"| section 3 | It is fast. | — | {why} | — |" in section


def test_the_files_say_how_they_were_checked(page):
    text = page["claims.md"].read_text()
    words = "accuracy (Table 2) of New+Base > Base, on at least 2 of 2 data sets"
    assert f"- better: {words}." in text
    assert "- order: by the test `tests/x.py::test_order`; tolerance: exact; no figure is " in text
    table = pd.read_csv(io.StringIO(page["claims.csv"].read_text())).set_index("claim")
    assert table.loc["better", ["published", "here"]].tolist() == ["yes", "no"]
    assert table.loc["better", "check"] == words
    assert table.loc["order", ["by", "here"]].tolist() == ["test", "yes"]
    assert table.loc["fast", "check"] == "not checked: no times are printed."


def test_the_claims_of_all_papers_are_counted(page, tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "papers_by_year", lambda: ["other", "toy"])
    assert claims_overview(tmp_path / "none").empty
    results = page["claims.csv"].parents[1]
    (results / "other").mkdir()
    (results / "other" / "claims.csv").write_text(
        "claim,by,ours,published,here,nested\na,numbers,,yes,yes,no\nb,,,,cannot be checked,\n"
    )
    overview = claims_overview(results)
    assert overview.columns.tolist() == [
        "claims",
        "in the paper: yes",
        "here: yes",
        "here: no",
        "here: not checkable",
        "with honest selection: no",
    ]
    assert overview.loc["other"].tolist() == [2, 1, 1, 0, 1, 1]
    assert overview.loc["all papers"].tolist() == [6, 2, 2, 2, 2, 2]
    assert all_claims(results)["paper"].tolist() == ["other"] * 2 + ["toy"] * 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("claim,by,ours,published,nested\na,,,,\n", "lacks here"),
        ("claim,by,ours,published,here,nested\na,,,,unheard,\n", "the answer unheard"),
    ],
)
def test_a_file_that_is_not_of_claims_is_refused(tmp_path, text, message, monkeypatch):
    monkeypatch.setattr(claims, "papers_by_year", lambda: ["toy"])
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "claims.csv").write_text(text)
    with pytest.raises(RetreeError, match=message):
        claims_overview(tmp_path)


def test_a_paper_without_claims_has_no_section(experiment):
    empty = frame_of(cells("xor", "base", [0.5])).iloc[:0]
    context = context_of(experiment, toy_plan(toy_item("table2")), empty)
    paths = reports.write_page(experiment, [context])
    assert "## Claims" not in paths[0].read_text()
    assert not any(path.name.startswith("claims") for path in paths)


def test_checks_in_words():
    every = CountCheck(
        item="table3",
        metric="tree_size",
        of=("A", "B"),
        datasets=("x", "y"),
        than=370,
        relation="<",
        every=True,
        at_most=1,
    )
    size = find_metric("tree_size").label
    assert check_words(every) == (
        f"{size} (Table 3) of every one of A, B < 370, on at most 1 of 2 data sets"
    )
    within = WithinCheck(item="table3", metric="depth", of=("A",), datasets=("x",), share=0.1)
    assert check_words(within) == (
        "depth (Table 3) of A within 10% of the published value, all numbers on 1 data set"
    )


def test_known_contradictions_of_the_papers_are_found():
    found = {}
    for paper in ("structure_purity", "latent_space"):
        experiment = load_experiment(compose([f"paper={paper}", "item=all"]))
        found |= {j.claim.name: j.published for j in judge_claims(experiment.paper, {})}
    assert {name for name, answer in found.items() if answer.holds is False} == {
        "best-on-12",
        "bnm-best-on-4",
        "both-lower-depth",
        "means-fewer-leaves",
        "means-of-accuracy",
        "competitive-mean",
        "all-more-stable-error",
        "oc1-thirty-times",
        "below-370",
        "most-stable-size",
        "far-lower-error",
    }
    assert found["best-on-12"].numbers == "10 of 21"
    assert found["both-lower-depth"].numbers.startswith("17 of 21")
    assert found["oc1-second"].numbers.startswith("6 of 8")
    assert found["most-accurate"].numbers == "10 of 12 (not bupa, vehicle)"
    # Of OC1 four sizes are not readable, of C4.5 no time is.
    assert found["oc1-least-stable-size"].numbers.endswith("4 unknown")
    assert found["gsodt-as-fast-as-c45"].holds is None


def replicated(experiment, check, base, new, **changes):
    """Judge a check on one data set, or several alike, given both methods' replicates."""
    runs = {"Base": tuple(base), "New+Base": tuple(new)}
    cells = [
        replace(
            compared(d, m, sum(runs[m]) / len(runs[m])),
            run=Run("accuracy", runs[m], (0.1,) * len(runs[m]), len(runs[m])),
        )
        for d in check.datasets
        for m in runs
    ]
    claim = Claim("claim", "section 1", "It is so.", check, **changes)
    paper = replace(experiment.paper, claims=(claim,))
    return judge_claims(paper, {"table2": cells})[0]


ONE = replace(BETTER, datasets=("waveform0_R",), at_least=1)


@pytest.mark.parametrize(
    ("new", "here"),
    [
        # As published, New+Base is better by .20.
        ([0.9, 0.88, 0.91, 0.9, 0.89], "yes"),
        ([0.8, 0.81, 0.79, 0.8, 0.8], "direction only"),
        ([1.1, 0.6, 0.9, 0.65, 1.0], "possible"),
        ([0.6, 0.61, 0.59, 0.6, 0.6], "no"),
    ],
)
def test_a_difference_is_judged_by_its_interval_and_its_sign(experiment, new, here):
    found = replicated(experiment, ONE, [0.7] * 5, new)
    assert found.here == here
    low, high = found.replicated.prediction.interval(found.replicated.printed.rounding)
    assert (low <= 0.2 <= high) == (here in ("yes", "possible"))
    wins = sum(value > 0.7 for value in new)
    assert f"holds in {wins} of 5 replicates" in claims_text([found])


def test_a_size_is_judged_by_its_ratio(experiment):
    check = MeanCheck(**TABLE2, than=("base",), relation="<")
    sizes = {("waveform1_R", "base"): 10.0, ("waveform1_R", "new"): 4.0}
    sizes |= {("waveform0_R", "base"): 30.0, ("waveform0_R", "new"): 16.0}
    check = replace(check, metric="leaves", factor=0.9)

    def find(item, dataset, method, metric):
        return PublishedValue(sizes[dataset, method], math.nan, 0.1)

    found = quantity(check, find)
    assert (found.value, found.is_ratio) == (pytest.approx(10 / 18), True)
    assert found.rounding == pytest.approx(10 / 18 * (0.1 / 10 + 0.1 / 18))


@pytest.mark.parametrize(
    ("bounds", "count", "is_so"),
    [
        ({"at_least": 2}, 2, True),
        ({"at_least": 2}, 1, False),
        ({"at_least": 1}, 2, None),
        ({"at_most": 1}, 1, True),
        ({"at_most": 1}, 2, False),
        ({"at_most": 2}, 1, None),
        ({"at_least": 2, "at_most": 2}, 3, True),
    ],
)
def test_a_count_has_a_direction_if_it_says_most_or_few(bounds, count, is_so):
    options = {"at_least": None, "at_most": None} | bounds
    check = replace(BETTER, datasets=("a", "b", "c"), **options)
    assert direction(check, Quantity(count, 1.0, is_count=True)) is is_so
    assert direction(check, Quantity(math.nan, 1.0, is_count=True)) is None


def counting(printed, ours, n_datasets=21, at_least=None):
    """Return what replicates that count `ours` say of a count."""
    at_least = printed if at_least is None else at_least
    check = replace(BETTER, datasets=tuple("x" * n_datasets), at_least=at_least)
    counts = [Quantity(float(n), 1.0, is_count=True) for n in ours]
    directions = [direction(check, n) for n in counts]
    directions = None if None in directions else directions
    of = Quantity(float(printed), 1.0, is_count=True)
    holds = [n >= at_least for n in ours]
    return Replicated(holds, 1, 1, of, predict(ours), directions)


def test_a_perfect_replication_is_no_reproach():
    """The count as its own threshold passes in half of the runs; its interval in all but 5 %."""
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.7, 0.99, size=21)
    runs = (rng.uniform(size=(2000, 21, 21)) < chances).sum(axis=2)
    found = [counting(row[0], row[1:].tolist(), at_least=row[0]) for row in runs]
    passed = np.mean([one.answer == "yes" for one in found])
    assert 0.94 <= passed <= 0.995
    as_worded = np.mean([one.count / one.total for one in found])
    assert 0.45 <= as_worded <= 0.7


def test_another_count_is_found():
    rng = np.random.default_rng(0)
    ours = rng.binomial(21, 0.7, size=(500, 20))
    found = [counting(21, row.tolist()).answer for row in ours]
    # All 21 sets, where 14 or 15 are expected: the direction holds in most replicates.
    assert set(found) <= {"direction only", "no", "yes", "possible"}
    assert np.mean([one in ("direction only", "no") for one in found]) > 0.9


def test_what_the_table_contradicts_is_judged_by_the_number_in_the_sentence(experiment):
    runs = [0.8, 0.81, 0.79, 0.8, 0.8]
    three = replace(BETTER, datasets=(*WAVES, "xor"), at_least=3)
    found = replicated(experiment, three, [0.7] * 5, runs)
    assert found.in_paper == ""
    two_at_most = replace(BETTER, at_least=None, at_most=0)
    found = replicated(experiment, two_at_most, [0.7] * 5, runs)
    assert (found.in_paper, found.replicated.printed.value, found.here) == ("no", 0, "no")
    found = replicated(experiment, two_at_most, [0.7] * 5, runs, our_choice=True)
    assert (found.in_paper, found.here) == ("not shown", "no")
    assert found.replicated.prediction is None


@pytest.mark.parametrize(
    ("wins", "here"), [(20, "yes"), (19, "yes"), (18, "possible"), (2, "possible"), (1, "no")]
)
def test_without_a_printed_number_the_share_of_replicates_decides(experiment, wins, here):
    check = replace(ONE, datasets=("xor",))
    found = replicated(experiment, check, [0.7] * 20, [0.8] * wins + [0.69] * (20 - wins))
    assert (found.in_paper, found.here) == ("", here)
    assert f"holds in {wins} of 20 replicates" in claims_text([found])


def test_the_paper_cannot_contradict_what_is_our_choice(experiment):
    claim = Claim("far", "section 1", "Far better.", replace(BETTER, factor=2.0), our_choice=True)
    paper = replace(experiment.paper, claims=(claim,))
    (judgement,) = judge_claims(paper, table2(0.7, 0.8, 0.7, 0.8))
    assert judgement.in_paper == "not shown"


def test_what_is_reproduced_without_its_cause_says_so(experiment):
    claim = Claim("gain", "section 1", "Better.", BETTER, other_reason="the vote")
    paper = replace(experiment.paper, claims=(claim,))
    (judgement,) = judge_claims(paper, table2(0.7, 0.8, 0.7, 0.8))
    assert "its cause is open: the vote" in claims_text([judgement])
    (otherwise,) = judge_claims(paper, table2(0.8, 0.7, 0.8, 0.7))
    assert "its cause is open" not in claims_text([otherwise])


def test_stars_are_counted_as_published_and_as_ours(experiment):
    check = StarsCheck(**TABLE2, at_least=2)
    _, first, _, second, *_ = table2(0.7, 0.8, 0.7, 0.8)["table2"]
    stars = {"published_star": "*"}
    cells = [replace(first, star="*", **stars), replace(second, star="", **stars)]
    found = judged(experiment, check, {"table2": cells})
    assert (found.published.numbers, found.reproduced.numbers) == (
        "2 of 2",
        "1 of 2 (not waveform0_R New+Base)",
    )
    assert (found.in_paper, found.here) == ("yes", "no")
    assert judged(experiment, check, {}).here == "cannot be checked"


def test_sets_that_were_run_once_keep_their_numbers_in_all_replicates(experiment):
    first, second, *others = table2(0.7, 0.8, 0.7, 0.8)["table2"]
    run = Run("accuracy", (0.8, 0.8, 0.6), (0.1, 0.1, 0.1), 3)
    cells = {"table2": [first, replace(second, run=run), *others]}
    judgement = judged(experiment, BETTER, cells)
    held = judgement.replicated
    assert (held.count, held.total, held.n_varied, held.n_datasets) == (2, 3, 1, 2)
    assert "1 of 2 data sets vary" in claims_text([judgement])
    # The row of means has no replicates of its own, but the cells that it is of have.
    mean = {"item": "table4", "metric": "accuracy", "of": ("new",), "datasets": ("MEAN",)}
    mean |= {"labels": LABELS}
    over_means = MeanCheck(**mean, than=("base",), relation=">")
    paper = replace(experiment.paper, items={"table4": {"datasets": list(WAVES)}})
    held = judged(replace(experiment, paper=paper), over_means, cells).replicated
    assert (held.count, held.total, held.n_varied, held.n_datasets) == (2, 3, 1, 2)


def test_parameters_chosen_inside_the_training_folds_have_a_column_of_their_own(experiment):
    def with_nested(*values):
        pairs = [(d, m) for d in WAVES for m in ("Base", "New+Base")]
        nested = [
            compared(*pair, value, metric="accuracy_nested")
            for pair, value in zip(pairs, values, strict=True)
        ]
        return {"table2": [*table2(0.7, 0.8, 0.7, 0.8)["table2"], *nested]}

    found = judged(experiment, BETTER, with_nested(0.7, 0.8, 0.8, 0.7))
    assert (found.here, found.nested.holds) == ("yes", False)
    assert found.nested.numbers == "1 of 2 (not waveform0_R)"
    assert "| with honest selection |" in claims_text([found])
    agreeing = judged(experiment, BETTER, with_nested(0.7, 0.8, 0.7, 0.8))
    assert (agreeing.here, agreeing.nested.holds) == ("yes", True)
    few = replace(BETTER, relation="<", at_least=None, at_most=0)
    assert judged(experiment, few, with_nested(0.7, 0.8, 0.7, 0.8)).honest == "yes"
    # Half of the sets are not few, nor is one of two most.
    assert judged(experiment, few, with_nested(0.7, 0.8, 0.8, 0.7)).honest == "no"
    answers = [(None, None), (False, False), (True, True), (True, False)]
    assert [judging._honest(*a) for a in answers] == ["", "no", "yes", "direction only"]
    means = {"item": "table4", "metric": "accuracy", "of": ("new",), "datasets": ("MEAN",)}
    means |= {"labels": LABELS}
    over_means = MeanCheck(**means, than=("base",), relation=">")
    paper = replace(experiment.paper, items={"table4": {"datasets": list(WAVES)}})
    cells = with_nested(0.7, 0.8, 0.8, 0.6)
    cells["table4"] = [compared("MEAN", m, v) for m, v in (("Base", 0.7), ("New+Base", 0.8))]
    found = judged(replace(experiment, paper=paper), over_means, cells)
    assert found.nested.numbers == "New+Base 0.7000 against Base 0.7500"
    assert (found.here, found.nested.holds) == ("yes", False)


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        (None, "no figure is published"),
        (True, "equal to the published figures, to their last digit"),
        (False, "not equal to the published figures to their last digit"),
    ],
)
def test_a_test_says_whether_it_reaches_the_published_digits(experiment, digits, words):
    claim = Claim("c", "section 1", "It is 0.5.", test="tests/x.py::test_half",
                  tolerance="0.1", to_published_digits=digits)  # fmt: skip
    paper = replace(experiment.paper, claims=(claim,))
    (found,) = judge_claims(paper, {})
    assert found.here == "yes"
    assert f"**yes**: `test_half`: 0.1; {words}" in claims_text([found])


def test_our_own_statements_do_not_count_among_the_papers_claims(experiment):
    claims = [Claim(name, "section 1", "It is so.", BETTER) for name in ("theirs", "ours")]
    paper = replace(experiment.paper, claims=(claims[0], replace(claims[1], ours=True)))
    text = claims_text(judge_claims(paper, table2(0.7, 0.8, 0.7, 0.8)))
    assert "| all | 1 |" in text
    assert "Our own statements, which the paper does not make and which are not counted" in text


def test_claims_are_judged_with_the_program_that_the_paper_ran(experiment):
    items = {
        "table2": {"methods": ["base", "new"], "metrics": ["accuracy"]},
        "program": {"methods": ["base_c", "new"], "metrics": ["accuracy"]},
    }
    paper = replace(
        experiment.paper,
        items=items,
        program=Program(item="program", instead={"base": "base_c"}),
        methods={"program": {"base_c": "Base in C", "new": "New+Base"}},
        claims=(Claim("better", "section 1", "It is so.", BETTER),),
    )
    # As it is written Base is the better one; its program is not.
    reproduced = table2(0.9, 0.8, 0.9, 0.8)
    reproduced["program"] = [
        replace(compared(d, label, value), method_key=key)
        for d in WAVES
        for key, label, value in (("base_c", "Base in C", 0.7), ("new", "New+Base", 0.8))
    ]
    (found,) = judge_claims(paper, reproduced)
    assert (found.in_paper, found.here, found.program.here) == ("yes", "no", "yes")
    text = claims_text([found])
    assert "| with the paper's program |" in text
    assert "| **no**: 0 of 2 | **yes**: 2 of 2 |" in text
    depth = replace(BETTER, metric="depth")
    (other,) = judge_claims(replace(paper, claims=(replace(found.claim, check=depth),)), reproduced)
    assert other.program is None
