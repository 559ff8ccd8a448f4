"""`retree identify` from the command line, with an index that is computed here."""

from __future__ import annotations

import runpy

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from retree.trees.c45.c45_trees import C45Classifier
from retree.weka_folds import weka_fold
from retree_lab import cli, paths
from retree_lab.commands.identify import _named
from retree_lab.datasets import load_dataset
from retree_lab.outside import index as index_module
from retree_lab.outside.computing import LARGE, LEARNERS, MEDIUM, PROTOCOLS, computed_index
from retree_lab.outside.index import Index, read_index
from retree_lab.outside.likelihood import Spread
from retree_lab.outside.matching import Explanation, Name, Writing
from retree_lab.statistics.agreement import Digits

SETS = ("iris", "zoo_nominal", "sonar")


@pytest.fixture(scope="module")
def index():
    """What J48 and two smaller learners give on three sets; the whole would take minutes.

    J48 has as many right rows on all three by 10 folds as by 5: three small sets need not tell.
    """
    cheap = {"J48", "OneR", "DecisionStump"}
    with pytest.MonkeyPatch.context() as patch:
        for name in set(LEARNERS) - cheap:
            patch.setitem(LEARNERS, name, Refused())
        first, *rest = (computed_index(name, load_dataset(name), name) for name in SETS)
    for other in rest:
        first = first.with_data(other.datasets[0], other)
    return first


class Refused(DummyClassifier):
    def fit(self, X, y):
        raise ValueError("not in this test")


@pytest.fixture
def saved(index, tmp_path, monkeypatch):
    """The index as a file, in the place of the committed one."""
    file = tmp_path / "index.npz"
    index.save(file)
    monkeypatch.setattr(index_module, "index_file", lambda: file)
    read_index.cache_clear()
    yield file
    read_index.cache_clear()


def test_an_index_is_read_as_it_was_written(index, saved):
    found = read_index()
    assert (found.datasets, found.learners) == (SETS, tuple(LEARNERS))
    np.testing.assert_array_equal(found.accuracy, index.accuracy)
    np.testing.assert_array_equal(found.std, index.std)


def test_the_index_has_the_right_rows_of_j48(index):
    data = load_dataset("iris")
    X, y = data.X.to_numpy(), np.unique(data.y, return_inverse=True)[1]
    right = 0
    for fold in range(10):
        train, test = weka_fold(y, 10, fold, 1, stratified=True)
        right += (C45Classifier().fit(X[train], y[train]).predict(X[test]) == y[test]).sum()
    at = tuple(LEARNERS).index("J48"), tuple(PROTOCOLS).index("10 folds, Weka's Explorer")
    assert index.accuracy[0][at] == right / 150


def column(index, learner, protocol):
    at = tuple(LEARNERS).index(learner), tuple(PROTOCOLS).index(protocol)
    rows = zip(index.datasets, index.accuracy[:, at[0], at[1]], strict=True)
    return "".join(f"{name},{100 * value:.2f}\n" for name, value in rows)


def test_a_column_is_named(index, saved, tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("set,tree\n" + column(index, "J48", "3 folds, Weka's Explorer"))
    assert cli.main(["identify", str(table)]) == 0
    out = capsys.readouterr().out
    assert "J48; 3 folds, Weka's Explorer; accuracy" in out
    assert "3 of 3 numbers equal" in out
    assert f"Recompute: retree identify {table} --recompute" in out
    assert "In Python: " in out


def test_what_is_found_is_recomputed(saved, capsys):
    """By the command that is printed."""
    cli.main(["identify", "--dataset", "iris", "96.1"])
    printed = capsys.readouterr().out.partition("Recompute: retree ")[2].splitlines()[0]
    assert cli.main(printed.split()) == 1
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.split()[:1] == ["iris"])
    name, number, value, verdict = row.split()
    assert (name, number, verdict) == ("iris", "96.1", "equal")
    assert float(value) == pytest.approx(96.1, abs=0.05)


@pytest.mark.parametrize(
    ("code", "protocol"),
    [
        ("cv10", "10 folds, Weka's Explorer"),
        ("mean5", "5 folds, mean over the folds"),
        ("experimenter5", "10 runs of 5 folds, Weka's Experimenter"),
        ("splits66", "10 splits of 66 %, Weka's Experimenter"),
        ("split66", "66 % training rows, Weka's Explorer"),
    ],
)
def test_the_committed_index_has_weka_s_numbers(code, protocol):
    """Of the variants too, one by one; Weka 3.9.7 itself gave the columns."""
    index = read_index()
    rows = pd.read_csv(paths.project_dir() / "tests" / "reference" / "weka_columns.csv.gz")
    rows = rows[rows["dataset"].isin(index.datasets) & (rows["protocol"] == code)]
    at = index.protocols.index(protocol)
    found = {
        learner: index.accuracy[
            [index.place(name) for name in own["dataset"]], index.learners.index(learner), at
        ]
        - own["accuracy"]
        for learner, own in rows.groupby("learner")
        if learner in index.learners
    }
    assert {"J48", "OneR", "DecisionStump", "RandomTree", "RandomForest"} <= set(found)
    assert all((~np.isnan(gaps)).sum() > 5 for gaps in found.values())
    assert {name: (abs(gaps) > 1e-9).sum() for name, gaps in found.items()} == dict.fromkeys(
        found, 0
    )


def test_other_numbers_are_nobodys(saved, tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("set,tree\niris,12.67\nzoo_nominal,13.86\nsonar,40.01\nunheard,70\n")
    assert cli.main(["identify", str(table)]) == 1
    out = capsys.readouterr().out
    assert "No learner and protocol in the index gives these numbers; the nearest is" in out
    assert "Data sets not in the index: unheard." in out
    assert "sonar: no number of correct rows out of 208 gives 40.01" in out


def test_one_number_does_not_tell(saved, capsys):
    assert cli.main(["identify", "--dataset", "iris", "96"]) == 1
    assert "1 of 1, but 1 number is too few to tell." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Give a file with a table, or one number"),
        (["--dataset", "iriss", "94"], "'iris'"),
        (["--dataset", "iris", "many"], "is not a number"),
        (["--dataset", "iris", "940"], "above 100 %"),
        (["none.csv"], "cannot be read"),
    ],
)
def test_wrong_input_is_a_sentence(saved, capsys, words, said):
    assert cli.main(["identify", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_data_set_of_ones_own(saved, tmp_path, capsys, monkeypatch):
    for name in set(LEARNERS) - {"J48", "OneR"}:
        monkeypatch.setitem(LEARNERS, name, Refused())
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{'ab'[int(a + b > 1)]}" for a, b in rng.uniform(size=(60, 2))]
    file = tmp_path / "mine.arff"
    file.write_text(
        "@relation mine\n@attribute x numeric\n@attribute y {a,b}\n@data\n" + "\n".join(lines)
    )
    code = cli.main(["identify", "--dataset", "mine", "75", "--data", str(file)])
    assert code in (0, 1)
    assert "mine" not in capsys.readouterr().err


def test_a_lost_index_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(index_module, "index_file", lambda: tmp_path / "none.npz")
    read_index.cache_clear()
    assert cli.main(["identify", "--dataset", "iris", "94"]) == 2
    assert "make index computes it" in capsys.readouterr().err
    read_index.cache_clear()


def test_own_data_takes_the_place_of_a_known_set():
    parts = (np.array([10]), np.array([3]), np.zeros((1, 1, 1)), np.zeros((1, 1, 1)))
    one, other = (Index((name,), ("a",), ("b",), ("",), *parts) for name in ("Iris", "zoo"))
    both = one.with_data("zoo", other)
    assert both.datasets == ("Iris", "zoo")
    assert both.with_data("iris", one).datasets == ("zoo", "iris")


def test_of_a_long_table_only_accuracies_are_compared(saved, tmp_path, capsys):
    table = tmp_path / "table.csv"
    rows = [f"t,iris,A,{metric},{value}" for metric, value in (("auc", 0.936), ("rank", 2))]
    table.write_text("\n".join(["table,dataset,method,metric,value", *rows]) + "\n")
    assert cli.main(["identify", str(table)]) == 2
    assert "The table has auc, rank, and the index only accuracies" in capsys.readouterr().err
    table.write_text(table.read_text() + "t,iris,A,accuracy_pct,94.67\n")
    cli.main(["identify", str(table)])
    out = capsys.readouterr().out
    assert "Skipped, since the index has only accuracies: auc, rank." in out
    assert "A (t, accuracy_pct), 1 number" in out
    assert "no number of correct rows out of 150 gives 0.936" not in out


def test_an_explanation_of_few_numbers_is_said_to_be_too_few(index, saved, tmp_path, capsys):
    table = tmp_path / "table.csv"
    rows = column(index, "OneR", "10 folds, Weka's Explorer").splitlines()[:1]
    table.write_text("set,tree\n" + "\n".join(rows) + "\n")
    cli.main(["identify", str(table)])
    assert "1 of 1, but 1 number is too few to tell." in capsys.readouterr().out


def test_numbers_that_stand_are_not_computed_anew(monkeypatch):
    """Only what is infinite is."""
    for name in set(LEARNERS) - {"OneR"}:
        monkeypatch.setitem(LEARNERS, name, Refused())
    known = np.full((2, len(LEARNERS), len(PROTOCOLS)), 0.25)
    at = list(LEARNERS).index("OneR"), list(PROTOCOLS).index("10 folds, Weka's Explorer")
    known[:, at[0], at[1]] = np.inf
    computed = computed_index("iris", load_dataset("iris"), "iris", known)
    assert computed.accuracy[0][at] == pytest.approx(138 / 150, abs=0.03)
    assert np.isnan(computed.std[0][at])
    kept = np.isfinite(known[0])
    assert (computed.accuracy[0][kept] == 0.25).all()


def test_the_committed_index_is_of_these_learners_protocols_and_data():
    """Otherwise `make index` computes what has changed."""
    script = runpy.run_path(str(paths.project_dir() / "scripts" / "index.py"))
    index = read_index()
    made = script["made_of"]({name: load_dataset(name) for name in ("zoo", "breast_w_complete")})
    assert {name: index.made[name] for name in made} == made
    assert set(index.made) == {*index.datasets, *LEARNERS, *PROTOCOLS}


def test_what_is_lacking_or_of_a_changed_learner_or_protocol_is_computed():
    script = runpy.run_path(str(paths.project_dir() / "scripts" / "index.py"))
    index = read_index()
    made = dict(index.made) | {"OneR": "other", "training rows": "other"}
    wanted = np.isinf(script["kept"]("zoo", index, made)).all(axis=0)
    is_wanted = np.array(
        [[n == "OneR" or p == "training rows" for p in PROTOCOLS] for n in LEARNERS]
    )
    is_lacking = np.isnan(index.accuracy[index.datasets.index("zoo")])
    np.testing.assert_array_equal(wanted, is_wanted | is_lacking)
    assert script["kept"]("zoo", index, made | {"zoo": "other"}) is None


@pytest.mark.parametrize(
    ("learner", "options", "folds", "says"),
    [
        ("J48 -O", False, False, "J48 -O; 10 folds; accuracy"),
        ("J48 -O", True, False, "J48 (options unclear; for example J48 -O); 10 folds; accuracy"),
        (
            "J48",
            True,
            True,
            "J48 (options unclear); folds or seed unclear (for example 10 folds); accuracy",
        ),
    ],
)
def test_a_name_says_what_is_open_and_the_likeliest(learner, options, folds, says):
    writing = Writing(False, Digits.ROUNDED)
    entry = Explanation(learner, "10 folds", writing, (), 3, 0.1, 1.0, Spread(0, 0, 10, "n"))
    assert _named(Name((entry,), options, folds, 1.0)) == says


def test_the_index_has_random_forests_of_well_known_data_sets():
    index, forest = read_index(), list(LEARNERS).index("RandomForest")
    for name in ("diabetes", "vote", "credit-g", "vehicle"):
        has = ~np.isnan(index.accuracy[index.place(name), forest])
        names = np.array(list(PROTOCOLS))[has]
        assert {"10 folds, Weka's Explorer", "10 folds, OpenML"} <= set(names)


def test_the_guide_counts_what_the_index_has():
    text = " ".join((paths.project_dir() / "docs" / "guide" / "identify.md").read_text().split())
    n = read_index().accuracy[0].size
    assert f"{n} entries" in text
    assert f"{4 * n:,} explanations" in text
    assert f"which is {np.log2(99 * 4 * n):.0f} bits" in text
    assert f"at most {MEDIUM:,} values" in text
    assert f"at most {LARGE:,}" in text


def test_what_the_guide_says_of_its_table_is_in_the_table():
    text = (paths.project_dir() / "docs" / "guide" / "identify.md").read_text()
    words = " ".join(text.split())
    rows = [line.strip("| ").replace("%", "").split(" | ") for line in text.splitlines()]
    named = pd.DataFrame(
        [list(map(float, row)) for row in rows if len(row) == 14 and row[0] in "123"]
    )
    alike = pd.DataFrame(
        [list(map(float, row)) for row in rows if len(row) == 6 and row[0] in "123"]
    )
    assert len(named) == len(alike) == 12
    sets = named[1]
    assert (named.loc[sets >= 3, 2] == 100).all()
    assert (named.loc[sets >= 2, 2] > 99).all()
    assert (named[5] == 0).all()
    two = named[named[0] == 2].set_index(1)
    assert (
        f"three data sets name {two.loc[3, 3]} % of the columns and five {two.loc[5, 3]} %" in words
    )
    assert f"At most {named[7].max()} % of the columns that it lacks get a wrong name" in words
    assert f"and {two.loc[3, 7]} % with three data sets" in words
    alike = alike[alike[0] == 2].set_index(1).loc[3]
    assert f"another learner does so in {alike[4]} % of the columns" in words
    assert f"Some entry does in {alike[5]} % of them" in words
