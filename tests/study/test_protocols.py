"""Protocols of a study: what they split, what they refuse, and how published numbers are judged."""

import gzip
import math
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.tree import DecisionTreeClassifier

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.cli import main
from retree_lab.commands.check import check
from retree_lab.datasets import given_folds
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.planning.keys import protocol_text
from retree_lab.experiments.planning.plan import load_datasets, plan_item, protocol_on
from retree_lab.experiments.planning.splits import OUTER, split_rows
from retree_lab.experiments.running.batches import make_problem
from retree_lab.study.composing import compose
from retree_lab.study.folders import open_study

PAPER = """\
title: Mine
authors: Me
reference: None
items:
  table1:
    kind: metric_table
    caption: Accuracy
    protocol: mine
    datasets: [visits]
    methods: [tree]
    metrics: [accuracy]
"""
METHODS = "tree: {name: Tree, estimator: sklearn.tree.DecisionTreeClassifier, max_depth: 2}\n"
SKLEARN = "splitter: sklearn.model_selection."
N = 40


@pytest.fixture
def write(tmp_path):
    def written(protocol, data="groups: patient", published="", paper=PAPER):
        rng = np.random.default_rng(0)
        table = pd.DataFrame(rng.normal(size=(N, 2)).round(3), columns=["a", "b"])
        table["patient"] = [f"p{i // 5}" for i in range(N)]
        table["c"] = np.where(table["a"] + rng.normal(size=N) > 0, "yes", "no")
        folds = pd.DataFrame({"r0": np.arange(N) % 4, "r1": np.arange(N)[::-1] % 4})
        folder = tmp_path / "mine"
        files = {
            "paper.yaml": paper,
            "methods/trees.yaml": METHODS,
            "protocols/mine.yaml": protocol,
            "datasets/visits.yaml": f"file: visits.csv\ntarget: c\n{data}\n",
            "visits.csv": table.to_csv(index=False),
            "folds/visits.csv": folds.to_csv(index=False),
        }
        if published:
            files["published.csv"] = f"table,dataset,method,metric,value\n{published}\n"
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    return written


def plan_of(folder):
    experiment = load_experiment(compose([f"paper={open_study(folder)}", "item=table1"]))
    datasets = load_datasets(experiment)
    return plan_item(experiment, experiment.items[0], datasets), datasets.loaded["visits"]


def splits_of(folder, inner=OUTER):
    plan, dataset = plan_of(folder)
    problem = make_problem(dataset)
    protocol = protocol_on(dataset, plan.item.protocol)
    places = [(cell.repeat, cell.fold, inner) for cell in plan.cells]
    return problem, [split_rows(protocol, problem.y, *p, problem.groups) for p in places]


def test_k_folds(write):
    y, splits = splits_of(write("folds: 4\nrepeats: 2\nseed: 3"))
    assert len(splits) == 8
    for repeat in (splits[:4], splits[4:]):
        assert sorted(np.concatenate([test for _, test in repeat])) == list(range(N))
    assert any(not np.array_equal(a[1], b[1]) for a, b in zip(splits, splits[4:], strict=False))
    assert y.groups is not None


def test_a_hold_out(write):
    problem, splits = splits_of(write("splitter: holdout\ntest_share: 0.25\nrepeats: 25"))
    assert len(splits) == 25
    shares = set()
    for train, test in splits:
        assert len(test) == N / 4
        assert sorted([*train, *test]) == list(range(N))
        shares.add(int(problem.y[test].sum()))
    assert max(shares) - min(shares) <= 1
    assert len({tuple(test) for _, test in splits}) == 25


def test_leave_one_out(write):
    _, splits = splits_of(write("splitter: leave_one_out"))
    assert [list(test) for _, test in splits] == [[i] for i in range(N)]
    assert all(len(train) == N - 1 for train, _ in splits)


@pytest.mark.parametrize(("folds", "count"), [("folds: 3", 3), ("", 8)])
def test_groups_stay_together(write, folds, count):
    problem, splits = splits_of(write(f"splitter: groups\n{folds}"))
    assert len(splits) == count
    for train, test in splits:
        assert not set(problem.groups[train]) & set(problem.groups[test])
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(N))
    assert problem.X.shape[1] == 2


def test_groups_stay_together_inside(write):
    folder = write("splitter: groups\nfolds: 3\ninner_folds: 2")
    problem, splits = splits_of(folder, inner=0)
    for train, test in splits:
        assert len(test)
        assert not set(problem.groups[train]) & set(problem.groups[test])


def test_time_is_not_turned_round(write):
    _, splits = splits_of(write("splitter: time\nfolds: 4"))
    assert [int(test[0]) for _, test in splits] == [8, 16, 24, 32]
    assert all(train.max() < test.min() for train, test in splits)


def test_a_bootstrap(write):
    _, splits = splits_of(write("splitter: bootstrap\nrepeats: 30"))
    assert len(splits) == 30
    for train, test in splits:
        assert len(train) == N
        assert {*train}.isdisjoint(test)
        assert {*train, *test} == set(range(N))
    share = np.mean([len(test) / N for _, test in splits])
    assert share == pytest.approx((1 - 1 / N) ** N, abs=0.04)


@pytest.mark.slow
def test_the_632_estimate_is_efrons(write, capsys):
    paper = PAPER.replace("[accuracy]", "[accuracy, error_632_pct, leaves]\n    baseline: tree")
    paper = paper.replace("[tree]", "[tree, stump]")
    paper = paper.replace("items:", "published_protocol: same\nitems:")
    published = "table1,visits,Stump,error_632_pct,30"
    protocol = "splitter: bootstrap\nrepeats: 9\nseed: 5"
    folder = write(protocol, "drop: [patient]", published, paper)
    stump = "stump: {base: tree, name: Stump, max_depth: 1, random_state: 0}\n"
    (folder / "methods" / "stump.yaml").write_text(stump)
    args = ["run", "--report", "-j", "1", "--study", str(folder), "item=all"]
    assert main(args) == 0
    assert "20 cells computed" in capsys.readouterr().out
    table = pd.read_csv(folder / "results" / "mine" / "table1.csv").set_index(["method", "metric"])
    # By hand.
    data = pd.read_csv(folder / "visits.csv")
    X, y = data[["a", "b"]].to_numpy(), data["c"].to_numpy()
    fit = DecisionTreeClassifier(max_depth=1, random_state=0).fit
    resubstitution, wrong = 1 - fit(X, y).score(X, y), []
    for seed in range(5, 14):
        drawn = np.sort(np.random.RandomState(seed).randint(0, N, N))
        left = np.setdiff1d(np.arange(N), drawn)
        wrong.append(1 - fit(X[drawn], y[drawn]).score(X[left], y[left]))
    expected = 0.368 * resubstitution + 0.632 * np.mean(wrong)
    row = table.loc["Stump", "error_632_pct"]
    assert row["reproduced"] == pytest.approx(100 * expected, abs=1e-8)
    assert table.loc[("Stump", "accuracy"), "reproduced"] == pytest.approx(1 - np.mean(wrong))
    # What all values share is no draw: no spread, no interval, no verdict, no test.
    assert row[["reproduced_std", "low", "high", "verdict"]].isna().all()
    assert table.loc[("Stump", "accuracy"), "reproduced_std"] > 0
    page = (folder / "results" / "mine" / "table1.md").read_text()
    assert "Efron 1983" in page
    # Its cells are committed with the others, and are found again without another fit.
    (folder / "results" / ".store" / "cells.sqlite").unlink()
    assert main(args) == 0
    assert "0 cells computed" in capsys.readouterr().out
    assert main(["verify", "--study", str(folder)]) == 0
    place = ["table1", "visits", "stump", "--metric", "error_632_pct"]
    assert main(["show", "--study", str(folder), *place]) == 0
    assert f"error_632_pct: {100 * expected:.1f}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("protocol", "kind", "message"),
    [
        ("folds: 4", "metric_table", "needs a protocol with splitter: bootstrap"),
        ("splitter: bootstrap\nrepeats: 9\nreplicates: 3", "metric_table", "and one replicate"),
        ("splitter: bootstrap\nrepeats: 9", "weka_table", "show them in a metric_table"),
    ],
)
def test_a_632_estimate_is_refused_where_it_is_not_one(write, protocol, kind, message):
    paper = PAPER.replace("[accuracy]", "[accuracy_632]").replace("metric_table", kind)
    with pytest.raises(RetreeError, match=message):
        list(check(write(protocol, paper=paper)))


def test_folds_of_a_file(write):
    folder = write("splitter: file\nfile: 'folds/{dataset}.csv'\nrepeats: 2")
    _, splits = splits_of(folder)
    assert [list(test) for _, test in splits[:4]] == [list(range(k, N, 4)) for k in range(4)]
    plan, dataset = plan_of(folder)
    before = protocol_text(protocol_on(dataset, plan.item.protocol), OUTER)
    assert str(folder) not in before
    file = folder / "folds" / "visits.csv"
    file.write_text(file.read_text().replace("0,3\n", "1,3\n", 1))
    assert protocol_text(protocol_on(dataset, plan.item.protocol), OUTER) != before


def test_a_splitter_of_scikit_learn(write):
    text = f"{SKLEARN}ShuffleSplit\narguments: {{n_splits: 6, test_size: 0.1}}"
    _, splits = splits_of(write(text))
    assert [len(test) for _, test in splits] == [4] * 6


@pytest.mark.parametrize(
    ("text", "splitter"),
    [
        ("folds: 5\nseed: 7", lambda r: StratifiedKFold(5, shuffle=True, random_state=7 + r)),
        ("folds: 5\nstratified: false", lambda r: KFold(5, shuffle=True, random_state=r)),
        ("folds: 4\nshuffle: false", lambda r: StratifiedKFold(4)),
        ("folds: 2\nrepeats: 5", lambda r: StratifiedKFold(2, shuffle=True, random_state=r)),
        (
            "splitter: holdout\ntest_share: 0.3\nrepeats: 6\nseed: 2",
            lambda r: StratifiedShuffleSplit(1, test_size=0.3, random_state=2 + r),
        ),
        (
            "splitter: holdout\ntest_share: 0.3\nrepeats: 6\nstratified: false",
            lambda r: ShuffleSplit(1, test_size=0.3, random_state=r),
        ),
        ("splitter: leave_one_out", lambda r: LeaveOneOut()),
        ("splitter: time\nfolds: 4", lambda r: TimeSeriesSplit(4)),
    ],
)
def test_splits_are_those_of_scikit_learn(write, text, splitter):
    problem, splits = splits_of(write(text))
    repeats = int(text.partition("repeats: ")[2][:1] or 1)
    theirs = [s for r in range(repeats) for s in splitter(r).split(problem.X, problem.y)]
    assert len(splits) == len(theirs)
    for ours, known in zip(splits, theirs, strict=True):
        assert [sorted(rows) for rows in ours] == [sorted(rows) for rows in known]


def test_a_column_says_the_folds(write):
    folder = write("splitter: data_set", data="folds: patient")
    problem, splits = splits_of(folder)
    assert [list(test) for _, test in splits] == [[*range(k, k + 5)] for k in range(0, N, 5)]
    assert all(len(train) == N - 5 for train, _ in splits)
    assert problem.X.shape[1] == 2
    assert "  visits: comes with 8 splits" in check(folder)


def test_an_index_file_says_rows_and_their_order(write):
    data = "folds: splits.dat\ndrop: [patient]"
    folder = write("splitter: data_set\ninner_folds: 0", data=data)
    lines = [[5, 3, 9], [1, 0], [0, 1], [39, 2, 7]]
    (folder / "splits.dat").write_text("\n".join(" ".join(map(str, row)) for row in lines))
    _, splits = splits_of(folder)
    assert [[rows.tolist() for rows in split] for split in splits] == [lines[:2], lines[2:]]
    protocol = folder / "protocols" / "mine.yaml"
    protocol.write_text("splitter: file\nfile: splits.dat\ninner_folds: 0")
    description = "file: visits.csv\ntarget: c\ndrop: [patient]\n"
    (folder / "datasets" / "visits.yaml").write_text(description)
    again = splits_of(folder)[1]
    assert [[rows.tolist() for rows in split] for split in again] == [lines[:2], lines[2:]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n3", "comes with 1 splits"),
        ("1 2", "needs two lines for each split"),
        ("1 2\n2", "line 2, must have row numbers from 0 to 39, each once"),
        ("1 40\n2", "line 1, must have row numbers"),
        ("1 x\n2", "line 1, must have row numbers"),
        ("1 1\n2", "line 1, must have row numbers"),
    ],
)
def test_an_index_file_is_checked(write, text, message):
    data = "folds: splits.dat\ndrop: [patient]"
    folder = write("splitter: data_set\ninner_folds: 0", data=data)
    (folder / "splits.dat").write_text(text)
    try:
        said = "\n".join(check(folder))
    except RetreeError as error:
        said = str(error)
    assert message in said


KEEL = """@relation visits
@attribute a real [0, 9]
@attribute ward {x, y}
@attribute c {no, yes}
@inputs a, ward
@outputs c
@data
"""


@pytest.fixture
def keel(write):
    """Return a study of three folds as KEEL has them, two rows alike, and the rows of each file."""
    folder = write("splitter: data_set")
    rng = np.random.default_rng(1)
    rows = [f"{i % 7}.5, {'xy'[i % 2]}, {('no', 'yes')[i % 3 == 0]}" for i in range(20)]
    rows += ["<null>, y, yes", rows[0]]
    parts = np.array_split(rng.permutation(len(rows)), 3)
    files = {}
    for k, test in enumerate(parts, 1):
        train = rng.permutation(np.setdiff1d(np.arange(len(rows)), test))
        for kind, numbers in (("tst", test), ("tra", train)):
            files[f"visits-3-{k}{kind}.dat"] = [rows[i] for i in numbers]
    (folder / "keel").mkdir()
    for name, lines in files.items():
        (folder / "keel" / name).write_text(KEEL + "\n".join(lines) + "\n")
    description = "file: 'keel/visits-3-{fold}tst.dat'\n"
    (folder / "datasets" / "visits.yaml").write_text(description)
    (folder / "methods" / "trees.yaml").write_text("tree: {name: Tree, estimator: c45}\n")
    return folder, files


def texts(X, y):
    return [
        f"{'<null>' if math.isnan(a) else a}, {ward}, {c}"
        for (a, ward), c in zip(X.itertuples(index=False), y, strict=True)
    ]


def test_folds_of_keel_train_and_test_on_the_rows_of_its_files(keel):
    folder, files = keel
    _, dataset = plan_of(folder)
    _, splits = splits_of(folder)
    rows = np.array(texts(dataset.X, dataset.y))
    assert len(splits) == 3
    for k, (train, test) in enumerate(splits, 1):
        assert rows[train].tolist() == files[f"visits-3-{k}tra.dat"]
        assert rows[test].tolist() == files[f"visits-3-{k}tst.dat"]
        assert sorted([*train, *test]) == list(range(len(rows)))
    assert "  visits: comes with 3 splits" in check(folder)


def test_other_protocols_split_the_rows_of_keels_folds_too(keel):
    folder, _ = keel
    (folder / "protocols" / "mine.yaml").write_text("splitter: leave_one_out")
    assert len(splits_of(folder)[1]) == 22
    (folder / "protocols" / "mine.yaml").write_text("splitter: groups\nfolds: 2")
    with pytest.raises(RetreeError, match="it has no groups"):
        list(check(folder))


def test_files_of_keel_that_are_no_folds_of_one_set_are_refused(keel):
    folder, files = keel
    file = folder / "keel" / "visits-3-2tra.dat"
    file.write_text(KEEL + "\n".join(files["visits-3-2tra.dat"][1:]) + "\n")
    with pytest.raises(RetreeError, match=r"visits-3-2tra.dat has other rows than the other folds"):
        list(check(folder))
    other = KEEL.replace("ward", "room") + "1.5, x, no\n"
    (folder / "keel" / "visits-3-2tst.dat").write_text(other)
    with pytest.raises(RetreeError, match=r"visits-3-2tst.dat declares other columns than fold 1"):
        list(check(folder))
    (folder / "keel" / "visits-3-2tst.dat").unlink()
    with pytest.raises(RetreeError, match=r"there is no visits-3-2tst.dat: number the files of"):
        list(check(folder))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("folds: word", "Unknown column, or file, of folds: 'word'"),
        ("folds: ../x.dat", "../x.dat is outside"),
        ("folds: patient\ngroups: patient", "folds has no effect with groups"),
        ("", "it comes without folds: name their column or file by folds:"),
    ],
)
def test_folds_of_a_data_set_that_it_lacks_are_refused(write, data, message):
    with pytest.raises(RetreeError, match=message):
        list(check(write("splitter: data_set", data=data)))


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("folds: 4", True),
        ("folds: 4\npublished_seed: true", False),
        ("folds: 4\nshuffle: false", False),
        ("splitter: holdout\ntest_share: 0.5", True),
        ("splitter: holdout\ntest_share: 0.5\npublished_seed: true", False),
        ("splitter: bootstrap\nrepeats: 3", True),
        ("splitter: groups\nfolds: 2", True),
        ("splitter: weka\nfolds: 4", False),
        ("splitter: openml\nfolds: 4", False),
        ("splitter: leave_one_out", False),
        ("splitter: time\nfolds: 3", False),
        ("splitter: file\nfile: folds/visits.csv", False),
        (f"{SKLEARN}KFold\narguments: {{n_splits: 3}}", False),
        (f"{SKLEARN}KFold\narguments: {{n_splits: 3, shuffle: true}}", True),
        (f"{SKLEARN}ShuffleSplit", True),
    ],
)
def test_digits_judge_no_number_that_depends_on_a_seed_of_ours(write, text, has, capsys):
    paper = PAPER.replace("items:", "published_protocol: same\nitems:") + "    digits: rounded\n"
    published = "table1,visits,Tree,accuracy,0.95"
    folder = write(text, published=published, paper=paper)
    methods = METHODS.replace("max_depth: 2", "max_depth: 2, random_state: 0")
    (folder / "methods" / "trees.yaml").write_text(methods)
    assert any("the seed of the folds is ours" in line for line in check(folder)) == has
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    table = pd.read_csv(folder / "results" / "mine" / "table1.csv")
    assert ("steps" in table and table["steps"].notna().any()) != has


def test_folds_of_a_packed_file(write, monkeypatch):
    folder = write("splitter: file\nfile: 'folds/{dataset}.csv.gz'\nrepeats: 2")
    file = folder / "folds" / "visits.csv"
    packed = file.with_name("visits.csv.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    _, splits = splits_of(folder)
    assert [list(test) for _, test in splits[:4]] == [list(range(k, N, 4)) for k in range(4)]
    # A file of one megabyte may hold many gigabytes.
    packed.write_bytes(gzip.compress(file.read_bytes() + bytes(2**21)))
    monkeypatch.setattr(given_folds, "MOST_MEGABYTES", 1)
    with pytest.raises(RetreeError, match="larger than 1,048,576 bytes when unpacked"):
        splits_of(folder)


@pytest.mark.parametrize(
    "text", ["folds: 2\nrepeats: 5", "splitter: weka\nfolds: 5", "splitter: leave_one_out"]
)
def test_a_protocol_runs_and_is_said_on_the_page(write, text, capsys):
    folder = write(text)
    assert main(["check", str(folder)]) == 0
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    page = (folder / "results" / "mine" / "table1.md").read_text()
    assert any(word in page for word in ("cross-validation", "Leave-one-out"))
    assert main(["verify", "--all", "-j", "1", "--study", str(folder)]) == 0
    assert " equal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fold: 3", "line 1: Unknown key of mine: 'fold'"),
        ("folds: 1", "line 1: folds must be at least 2"),
        ("repeats: 3", "mine.yaml lacks folds"),
        ("folds: 3\ntest_share: 0.5", "line 2: test_share has no effect on splitter k_fold"),
        ("splitter: hold_out", "line 1: Unknown splitter 'hold_out'"),
        ("splitter: holdout\ntest_share: 2", "line 2: test_share must lie between 0 and 1"),
        ("splitter: holdout\ntest_share: 0.001", "visits cannot be split by mine"),
        ("folds: 50", "visits cannot be split by mine"),
        ("folds: 3\nrepeats: 2\nshuffle: false", "line 2: repeats without shuffle"),
        ("splitter: file\nfile: ../x.csv", "line 2: ../x.csv is outside"),
        ("splitter: file\nfile: x.csv", "x.csv does not exist"),
        ("splitter: file\nfile: folds/visits.csv\nrepeats: 3", "has 2 repeats, and not 3"),
        ("splitter: os.system", "Unknown splitter 'os.system'"),
        (f"{SKLEARN}KFold\narguments: {{k: 2}}", "line 2: Unknown argument"),
        (
            f"{SKLEARN}KFold\narguments: {{n_splits: 1}}",
            "line 2: KFold cannot",
        ),
    ],
)
def test_what_cannot_be_split_is_refused(write, text, message):
    with pytest.raises(RetreeError) as refused:
        list(check(write(text)))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_groups_need_a_column(write):
    with pytest.raises(RetreeError, match=r"it has no groups: name their column by groups:"):
        list(check(write("splitter: groups\nfolds: 3", data="drop: [patient]")))


def test_leave_one_group_out_of_an_unknown_column_is_refused(write):
    with pytest.raises(RetreeError, match="Unknown groups column 'ward'"):
        list(check(write("splitter: groups", data="groups: ward")))


@pytest.mark.parametrize(
    ("more", "verdict", "words"),
    [
        ("", "", "1 published numbers are not judged"),
        ("published_protocol: other\n", "", "1 published numbers are not judged"),
        ("published_protocol: same\n", "differs", "95 % prediction interval"),
        ("tolerance: {accuracy: 0.5}\n", "agrees", "accuracy by at most 0.5, as the study says"),
        ("tolerance: {accuracy: 0.01}\n", "differs", "accuracy by at most 0.01"),
    ],
)
def test_a_published_number_of_another_protocol_is_not_judged(write, more, verdict, words):
    published = "table1,visits,Tree,accuracy,0.95"
    paper = PAPER.replace("items:", f"{more}items:")
    folder = write("folds: 4\nrepeats: 5", published=published, paper=paper)
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    table = pd.read_csv(folder / "results" / "mine" / "table1.csv", keep_default_na=False)
    assert list(table["verdict"]) == [verdict]
    assert words in (folder / "results" / "mine" / "table1.md").read_text()


def test_the_overlap_of_training_sets(write):
    shares = {}
    for text in ("folds: 4\nrepeats: 5", "splitter: holdout\ntest_share: 0.25\nrepeats: 4"):
        plan, _ = plan_of(write(text))
        shares[text] = plan.item.protocol.overlap(20)
    assert set(shares.values()) == {0.25}
    plan, _ = plan_of(write("splitter: leave_one_out"))
    assert plan.item.protocol.overlap(N) == 1 / N
    plan, _ = plan_of(write("splitter: bootstrap\nrepeats: 9"))
    share = plan.item.protocol.overlap(9)
    assert share / (1 - share) == pytest.approx(math.exp(-1))


EVERY_KIND = """\
  table1:
    kind: metric_table
    caption: One by one
    protocol: mine
    datasets: [visits]
    methods: [stump, tree]
    metrics: [accuracy]
  paired:
    kind: paired_table
    caption: In pairs
    protocol: mine
    datasets: [visits]
    methods: [stump, tree]
    metrics: [accuracy]
    pairs: {Trees: {tree: stump}}
  grouped:
    kind: metric_table
    caption: In groups
    protocol: mine
    datasets: [visits]
    methods: [stump, tree]
    metrics: [accuracy]
    baseline: [stump]
  readings:
    kind: interpretation_table
    caption: As interpretations
    protocol: mine
    datasets: [visits]
    methods: [stump, tree]
    metrics: [accuracy]
  means:
    kind: metric_table
    means: true
    by_method: true
    caption: Means
    protocol: mine
    datasets: [visits]
    methods: [stump, tree]
    metrics: [accuracy]
  effects:
    kind: effect_table.py:EffectTable
    caption: A contrast
    protocol: mine
    datasets: [visits]
    methods: [stump, tree]
    contrasts: {gain: {name: gain, of: [tree], than: [stump]}}
"""


@pytest.mark.parametrize(
    ("declared", "verdicts"),
    [
        ("published_protocol: other", {"Stump": "", "Tree": "", "gain": ""}),
        (
            "tolerance: {accuracy: 0.5, accuracy_gain_pct: 0.001}",
            {"Stump": "agrees", "Tree": "agrees", "gain": "differs"},
        ),
        (
            "tolerance: {accuracy: 0.001, accuracy_gain_pct: 90}",
            {"Stump": "differs", "Tree": "differs", "gain": "agrees"},
        ),
        ("not_judged: Lost.", dict.fromkeys(("Stump", "Tree", "gain"), "missing")),
    ],
)
def test_every_kind_gives_a_number_the_same_verdict(write, declared, verdicts):
    start, _, _ = PAPER.partition("  table1:")
    paper = f"{start.replace('items:', f'{declared}{chr(10)}items:')}{EVERY_KIND}"
    tables = ("table1", "paired", "grouped", "readings")
    published = [f"{t},visits,{m},accuracy,0.95" for t in tables for m in ("Stump", "Tree")]
    published += [f"means,MEAN,{m},accuracy,0.95" for m in ("Stump", "Tree")]
    published += ["effects,MEAN,gain,accuracy_gain_pct,42"]
    folder = write("folds: 4\nrepeats: 5", "drop: [patient]", "\n".join(published), paper)
    stump = "stump: {base: tree, name: Stump, max_depth: 1}\n"
    (folder / "methods" / "stump.yaml").write_text(stump)
    shutil.copy(paths.PAPERS / "cmdt" / "effect_table.py", folder)
    open_study(folder)
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    results = folder / "results" / "mine"
    for name in ("table1", "paired", "grouped", "means", "effects"):
        table = pd.read_csv(results / f"{name}.csv", keep_default_na=False)
        found = table[table["published"] != ""].set_index("method")["verdict"].to_dict()
        assert found == {method: verdicts[method] for method in found}, name
        assert found
    readings = pd.read_csv(results / "readings.csv").set_index("method")
    agree = {m: int(verdicts[m] == "agrees") for m in ("Stump", "Tree")}
    assert readings["selected_agrees"].to_dict() == agree
    assert readings["agreeing_points"].to_dict() == agree
