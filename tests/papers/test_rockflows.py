"""The data sets of ROCKFlows, their splits, and the counts of right rows."""

import numpy as np
import pandas as pd
import pytest

from retree.errors import AwayError, RefusedError
from retree.forests import BaggingTreesClassifier
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.weka.one_r import OneRClassifier
from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.papers.rockflows import datasets, kinds
from retree_lab.papers.rockflows import loading as files
from retree_lab.study.folders import study_folder

FOLDER = study_folder("rockflows")


def test_places_give_the_rows_of_the_file_in_its_order():
    content = b"2 0 3\n1 4\n4 1\n0 2 3\n"
    places = files.split_places(content, 5)
    protocol = Protocol("own", splitter="data_set").on(_Table(np.arange(5), places))
    assert protocol.folds == 2
    found = [split_rows(protocol, np.arange(5), 0, fold, groups=places) for fold in range(2)]
    assert [[part.tolist() for part in rows] for rows in found] == [
        [[2, 0, 3], [1, 4]],
        [[4, 1], [0, 2, 3]],
    ]


class _Table:
    name = "own"

    def __init__(self, y, groups):
        self.y, self.groups, self.test_rows = y, groups, 0


def test_data_without_folds_are_refused():
    with pytest.raises(ValueError, match="it comes without folds"):
        Protocol("own", splitter="data_set").on(_Table(np.arange(5), None))


def right_rows(name, table, model):
    """Return the right rows of each fold."""
    data = load_dataset(datasets.PREFIX + name, sources=["bundled"])
    y = data.y.cat.codes.to_numpy()
    protocol = Protocol("blocks10", folds=10, shuffle=False, stratified=False)
    if table == "splits":
        protocol = Protocol("published4", splitter="data_set").on(data)
    right = []
    for fold in range(protocol.folds):
        train, test = split_rows(protocol, y, 0, fold, groups=data.groups)
        model.fit(data.X.iloc[train], y[train])
        right.append(int((model.predict(data.X.iloc[test]) == y[test]).sum()))
    return tuple(right)


def published(*place):
    """Return the published right rows of each fold."""
    return kinds.published_counts(FOLDER)[place]


@pytest.mark.parametrize("name", ["iris", "libras", "wine", "zoo", "tic-tac-toe", "hayes-roth"])
@pytest.mark.parametrize("table", ["splits", "blocks"])
def test_j48_has_the_published_count_in_every_fold(name, table):
    found = right_rows(name, table, C45Classifier(weka="3.6"))
    assert found == published(table, name, "J48")


@pytest.mark.parametrize("name", ["lenses", "tic-tac-toe", "zoo", "monks-1"])
def test_bagged_one_r_has_the_published_count_in_every_split(name):
    model = BaggingTreesClassifier(
        estimator=OneRClassifier(),
        n_estimators=10,
        bags="weka-3.6",
        random_state=1,
        vote="votes",
    )
    found = right_rows(name, "splits", model)
    assert found == published("splits_one_r", name, "Bagging OneR")


@pytest.mark.parametrize(("name", "column"), [("monks-1", "attr6"), ("breast-cancer-wisc", "a10")])
def test_published_blocks_of_two_sets_predict_another_column_than_the_class(name, column):
    model = C45Classifier(weka="3.6")
    of_column = right_rows(f"{name}{datasets.BY}{column}", "blocks", model)
    of_class = right_rows(name, "blocks", model)
    assert of_column == published("other_column", name, "J48") != of_class
    assert right_rows(name, "splits", model) == published("splits", name, "J48")


def test_published_accuracies_are_the_mean_of_the_counts():
    published = pd.read_csv(FOLDER / "published.csv").set_index(["table", "dataset", "method"])
    known = kinds.published_counts(FOLDER)
    assert len(known) > 1600
    for name in ("iris", "wine"):
        places = load_dataset(datasets.PREFIX + name, sources=["bundled"]).groups
        sizes = (places < 0).sum(axis=0)
        mean = np.mean(np.array(known["splits", name, "J48"]) / sizes)
        assert published.loc[("splits", name, "J48"), "value"] == pytest.approx(mean, abs=1e-15)


def test_sets_without_a_usable_file_say_why():
    for name, why in (("adult", "not those of a file"), ("musk-2", "No copy of its table")):
        with pytest.raises(files.DataError, match=why):
            load_dataset(datasets.PREFIX + name)


def test_files_that_are_away_or_changed_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RETREE_MIRROR", str(tmp_path))
    with pytest.raises(AwayError, match=r"magic is unavailable.*does not exist"):
        files.find_file("magic", files.TABLE, "0" * 64, online=False)
    changed = tmp_path / "rockflows" / "datasets" / "magic" / files.TABLE
    changed.parent.mkdir(parents=True)
    changed.write_text("@data\n")
    with pytest.raises(RefusedError, match="does not have the sha256"):
        files.find_file("magic", files.TABLE, "0" * 64, online=False)
