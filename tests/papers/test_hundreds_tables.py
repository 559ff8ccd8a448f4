"""The tables of the sixth paper: digits, scales, and a configuration that fits its numbers."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_lab.experiments.definition.config import load_experiment
from retree_lab.papers.hundreds import accuracies, kinds, published_table
from retree_lab.papers.hundreds.datasets import RESCALED
from retree_lab.study.composing import compose
from retree_lab.study.folders import study_folder


@pytest.fixture(scope="module")
def experiment():
    return load_experiment(compose(["paper=hundreds", "item=all"]))


@given(st.integers(1, 3000), st.data())
def test_rows_away_lead_to_the_published_digit(total, data):
    correct, wanted = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    published = accuracies.published_digit(wanted, total)
    away = accuracies.rows_away(correct, total, published)
    assert accuracies.published_digit(correct + away, total) == published
    assert abs(away) <= abs(wanted - correct)
    assert accuracies.is_possible(published, total)


def test_digit_is_cut_not_rounded():
    assert accuracies.published_digit(1999, 2000) == 99.9
    assert accuracies.published_digit(300, 2100) == 14.2


def test_no_share_of_186_rows_is_66_8():
    assert accuracies.rows_away(124, 186, 66.8) is None
    assert not accuracies.is_possible(66.8, 186)
    assert accuracies.is_possible(66.8, 187)


def test_ranks_share_ties_and_fill_failed_runs_with_the_mean():
    table = pd.DataFrame({"a": [3.0, 5.0], "b": [1.0, 5.0], "c": [np.nan, 1.0]})
    assert accuracies.friedman_ranks(table).to_dict() == {"a": 1.25, "b": 2.25, "c": 2.5}
    assert accuracies.friedman_ranks(table, fill_failed=False).to_dict() == {
        "a": 1.25,
        "b": 1.75,
        "c": 3.0,
    }


def test_file_is_standardised_if_all_that_varies_has_mean_0_and_deviation_1():
    rows = np.random.default_rng(0).normal(5, 3, (50, 2))
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    constant = np.column_stack([scaled, np.ones(50)])
    assert kinds.standardised(constant, scaled) == "each file by itself"
    assert kinds.standardised(scaled, rows) == "the training file only"
    assert kinds.standardised(rows, scaled) == "the test file only"
    assert kinds.standardised(rows, rows) == "neither"


def test_published_numbers_are_those_of_the_authors_table(experiment):
    table = accuracies.published_accuracies(study_folder("hundreds"))
    printed = pd.read_csv(experiment.paper.published)
    wide = printed.pivot(index="dataset", columns="method", values="value")
    ours = table[list(accuracies.COMPUTED)].rename(columns=lambda name: name.removesuffix("_weka"))
    pd.testing.assert_frame_equal(wide, ours[sorted(ours)].sort_index(), check_names=False)


def test_every_published_number_has_its_place(experiment):
    items = {item.name: item for item in experiment.items}
    for table, rows in pd.read_csv(experiment.paper.published).groupby("table"):
        assert set(rows["dataset"]) == set(map(items[table].label, items[table].datasets))
        assert set(rows["method"]) == {method.name for method in items[table].methods}


def test_choice_of_ranks_has_the_sets_on_which_weka_gives_every_published_digit(experiment):
    folder = study_folder("hundreds")
    counts = accuracies.weka_counts(folder)
    table = accuracies.published_accuracies(folder)
    equal = []
    for (name, method), count in counts.items():
        published = table.loc[name.removesuffix(RESCALED), f"{method}_weka"]
        digit = accuracies.published_digit(count.correct, count.total)
        is_run = (name + RESCALED, method) not in counts
        if is_run and (math.isnan(published) or published == digit):
            equal.append(name.removesuffix(RESCALED))
    whole = {name for name in table.index if equal.count(name) == len(accuracies.COMPUTED)}
    ranks = next(item for item in experiment.items if item.name == "ranks")
    left_out = ranks.kind.without["where all six columns come out"]
    assert whole == set(table.index) - set(left_out)


def test_columns_of_weka_are_on_two_sides_of_a_gap_above_zero_r():
    table = accuracies.published_accuracies(study_folder("hundreds"))
    bridges = table[table.index.str.startswith("pittsburg-bridges")]
    points = published_table.above_zero_r(bridges)
    assert points["IBk_weka"] < -5 < 10 < points["IB1_weka"]
    assert {"AdaBoostM1_J48_weka", "Bagging_J48_weka", "DecisionStump_weka", "REPTree_weka"} <= set(
        points.index[points < 5]
    )
    assert {"J48_weka", "OneR_weka"} <= set(points.index[points > 6])
    assert not ((points > 2.5) & (points < 6)).any()


def test_a_set_may_be_blocked_for_some_methods_only(experiment):
    kind = experiment.items[0].kind
    places = [(name, method) for name in kind.blocked for method in ("J48", "Bagging_J48")]
    assert [kind.is_blocked(*place) for place in places] == [False, True] * 5
    assert experiment.items[1].kind.is_blocked("spect", "J48")
    assert not experiment.items[1].kind.is_blocked("thyroid", "J48")


def test_names_of_data_sets_are_those_of_the_paper(experiment):
    assert experiment.items[0].label("hundreds-iris") == "iris"
    assert experiment.items[1].label("hundreds-annealing-rescaled") == "annealing"


def test_authors_table_is_compressed_without_a_date():
    content = (study_folder("hundreds") / "accuracies.csv.gz").read_bytes()
    assert content[4:8] == bytes(4)


def test_counts_of_other_releases_are_of_as_many_rows():
    ours = accuracies.weka_counts(study_folder("hundreds"))
    theirs = kinds.release_counts(study_folder("hundreds"))
    assert {key[0] for key in theirs} == {"3.6.14", "3.9.7"}
    for (_, dataset, method), (correct, total) in theirs.items():
        assert 0 <= correct <= total == ours[dataset, method].total


def test_as_many_numbers_are_set_aside_as_the_items_block(experiment):
    for name, table, aside in (("worth", "folds", 20), ("worth_files", "test_files", 12)):
        item = next(item for item in experiment.items if item.name == name)
        context = SimpleNamespace(item=item, paper=experiment.paper)
        assert len(kinds._set_aside(context, table)) == aside


def test_what_a_change_leaves_out_is_said():
    pairs = [("iris", "j"), ("iris", "o"), ("wine", "j"), ("wine", "o")]
    rows = [("nothing", *pair) for pair in pairs] + [("seed", "wine", "j")]
    numbers = pd.DataFrame(rows, columns=["changed", "dataset", "method"])
    found = [*kinds._left_out(numbers, {"j": "J48", "o": "OneR"})]
    assert found == ["seed leaves out: iris.", "seed leaves out for OneR: wine."]
