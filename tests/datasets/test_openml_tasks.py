"""The files of OpenML's tasks: where they come from, and which are refused."""

import gzip
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from openml_server import Hosted, HostedTask

from retree.errors import AwayError, DataError, RefusedError, RetreeError
from retree.weka_folds import openml_fold
from retree_lab.datasets import openml_tasks
from retree_lab.datasets.openml_tasks import (
    content_sha256,
    folder_of_tasks,
    known_tasks,
    load_task,
)
from retree_lab.datasets.own import load_own
from retree_lab.paths import data_dir

BUNDLED = sorted(int(path.name.partition(".")[0]) for path in folder_of_tasks().glob("*.gz"))
IRIS = gzip.decompress((folder_of_tasks() / "59.arff.gz").read_bytes())


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    (tmp_path / "arff").mkdir()
    monkeypatch.setenv("RETREE_MIRROR", str(tmp_path))
    monkeypatch.setenv("RETREE_OFFLINE", "1")
    return tmp_path / "arff"


def test_tasks_that_come_with_retree_are_known_by_name_and_small():
    assert all(known_tasks()[task].by_name for task in BUNDLED)
    assert sum(path.stat().st_size for path in folder_of_tasks().iterdir()) < 1_000_000
    licences = (folder_of_tasks() / "LICENSES.md").read_text(encoding="utf-8")
    assert all(f"| {task} |" in licences for task in BUNDLED)


@pytest.mark.parametrize("task", BUNDLED)
def test_bundled_file_has_the_content_of_the_index(task):
    X, y, source = load_task(task)
    known = known_tasks()[task]
    assert (source, len(y), content_sha256(X, y)) == ("bundled", known.rows, known.sha256)


def test_classes_keep_the_order_of_the_header_and_those_without_rows():
    y = load_task(1)[1]
    assert list(y.cat.categories) == ["1", "2", "3", "4", "5", "U"]
    assert y.value_counts()["4"] == 0


def test_target_that_is_a_number_becomes_p_below_the_mean_and_n_from_it_on(mirror):
    text = b"@attribute a real\n@attribute t real\n@data\n" + b"".join(
        b"%d,%s\n" % (i, value) for i, value in enumerate([b"1", b"2", b"6", b"?", b"3"])
    )
    (mirror / "3580.arff").write_bytes(text)
    with pytest.raises(RefusedError, match="it has 5 rows, not 125; put that file there"):
        load_task(3580)


def test_features_have_six_decimals_where_the_target_is_a_number(mirror, monkeypatch):
    lines = b"@attribute a real\n@attribute t real\n@data\n40.99999999999998,1\n41,3\n"
    # Halves are written away from zero.
    lines += b"6.3368205,1\n-6.3368205,3\n?,3\n"
    (mirror / "3580.arff").write_bytes(lines)
    X = pd.DataFrame({"a": [41.0, 41.0, 6.336821, -6.336821, np.nan]})
    dtype = pd.CategoricalDtype(pd.Index(["P", "N"], dtype=str))
    y = pd.Series(list("PNPNN")).astype(dtype)
    known = replace(known_tasks()[3580], rows=5, sha256=content_sha256(X, y))
    monkeypatch.setattr(openml_tasks, "known_tasks", lambda: {3580: known})
    pd.testing.assert_frame_equal(load_task(3580)[0], X, check_exact=True)


def test_a_file_of_the_mirror_may_be_packed_and_need_not_be_of_the_index(mirror):
    (mirror / "999999.arff.gz").write_bytes(gzip.compress(IRIS))
    X, y, source = load_task(999999)
    assert (X.shape, source) == ((150, 4), "mirror")
    assert list(y.cat.categories) == ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace(b"5.9,3.0,5.1,1.8,Iris-virginica", b""),
            "it has 149 rows, not 150",
        ),
        (lambda text: text.replace(b"5.1,3.5", b"5.1,3.6", 1), "its values, levels or classes"),
        (
            lambda text: text.replace(
                b"Iris-setosa,Iris-versicolor", b"Iris-versicolor,Iris-setosa"
            ),
            "its values, levels or classes are others",
        ),
    ],
)
def test_a_file_that_is_not_that_of_the_task_is_refused(mirror, monkeypatch, change, message):
    monkeypatch.setattr("retree_lab.datasets.openml_tasks.folder_of_tasks", lambda: mirror.parent)
    shutil.copy(folder_of_tasks() / "index.csv", mirror.parent)
    known_tasks.cache_clear()
    (mirror / "59.arff").write_bytes(change(IRIS))
    with pytest.raises(RefusedError, match=message) as caught:
        load_task(59)
    assert "is not the file of task 59 (iris) of OpenML" in str(caught.value)


def test_a_task_that_no_source_has_is_a_sentence(mirror):
    with pytest.raises(AwayError) as caught:
        load_task(6)
    text = str(caught.value)
    assert text.startswith("Task 6 of OpenML is unavailable. It does not come with retree.")
    assert "RETREE_OFFLINE is set, so openml is not contacted; unset it." in text


def test_a_number_as_target_and_a_row_without_class_are_refused(mirror):
    head = b"@attribute a real\n@attribute c "
    (mirror / "999998.arff").write_bytes(head + b"real\n@data\n1,2\n")
    with pytest.raises(DataError, match="is a number, not a class; move the class"):
        load_task(999998)
    (mirror / "999998.arff").write_bytes(head + b"{x,y}\n@data\n1,?\n2,x\n")
    with pytest.raises(DataError, match=r"1 rows of 999998\.arff have no class; remove them"):
        load_task(999998)
    (mirror / "999998.arff").write_bytes(head + b"{x,y}\n@data\n")
    with pytest.raises(DataError, match="needs rows, features and a class"):
        load_task(999998)


def test_hash_goes_by_order_of_levels_and_not_by_names():
    X, y, _ = load_task(59)
    renamed = X.set_axis(list("abcd"), axis=1)
    assert content_sha256(renamed, y) == content_sha256(X, y)
    other = y.cat.reorder_categories(list(reversed(y.cat.categories)))
    assert content_sha256(X, other) != content_sha256(X, y)


DATA = """@relation toy
@attribute kind {good,bad,none}
@attribute size real
@attribute row real
@attribute colour {red,'?',blue}
@data
good,1,1,red
bad,2,2,'?'
good,3,3,?
bad,4,4,blue
"""


def split_of(codes, folds, seed):
    rows = []
    for fold in range(folds):
        train, test = openml_fold(np.array(codes), folds, 0, fold, seed, stratified=True)
        rows += [f"TRAIN,{i},0,{fold}" for i in train] + [f"TEST,{i},0,{fold}" for i in test]
    head = "@relation s\n@attribute type {TRAIN,TEST}\n@attribute rowid numeric\n"
    head += "@attribute repeat numeric\n@attribute fold numeric\n@data\n"
    return head + "\n".join(rows) + "\n"


@pytest.fixture
def hosting(server):
    """The loopback server with a task of each sort."""
    server.sets[8] = Hosted(DATA, target="kind", ignore="row")
    server.tasks[888801] = HostedTask(8, split_of([0, 1, 0, 1], 2, seed=0))
    server.tasks[888802] = HostedTask(8, split_of([0, 1, 0, 1], 2, seed=0), type=2)
    server.tasks[888803] = HostedTask(8, procedure="holdout")
    server.tasks[888804] = HostedTask(8, split_of([0, 1, 0, 1], 2, seed=3))
    return server


# OpenML's client leaves the file of splits open.
left_open = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@left_open
def test_a_task_is_fetched_once_with_its_order_of_levels_and_classes(hosting, monkeypatch):
    X, y, source = load_task(888801)
    assert (list(X), source) == (["size", "colour"], "openml")
    assert list(X["colour"].cat.categories) == ["red", "?", "blue"]
    assert X["colour"].cat.codes.tolist() == [0, 1, -1, 2]
    assert list(y.cat.categories) == ["good", "bad", "none"]
    monkeypatch.setenv("RETREE_OFFLINE", "1")
    again = load_task(888801)
    assert content_sha256(*again[:2]) == content_sha256(X, y)


@left_open
@pytest.mark.parametrize(
    ("task", "message"),
    [
        (888802, "Task 888802 is not a classification; name another task"),
        (888803, "is scored by holdout, and only the splits of cross-validations can be made"),
        (888804, r"is not the one that OpenML's rule gives for its data \(repeat 0, fold 0\)"),
        (888899, r"the server does not know this task .*; look for its number on openml\.org"),
    ],
)
def test_a_task_that_cannot_be_used_is_a_sentence_and_nothing_is_kept(hosting, task, message):
    with pytest.raises(DataError, match=message) as caught:
        load_task(task)
    assert "\n" not in str(caught.value)
    assert not list((data_dir() / "cache").glob("*task*"))


def test_a_study_names_a_task_and_nothing_else(study_file):
    X, y, about = load_own(study_file("openml_task: 59\ntitle: Iris\n"))
    assert (X.shape, y.cat.categories[0], about.openml_task) == ((150, 4), "Iris-setosa", 59)
    load_own(study_file("openml_task: 59\n"))
    with pytest.raises(RetreeError, match="drop has no effect on a task, which is used whole"):
        load_own(study_file("openml_task: 59\ndrop: [sepallength]\n"))
    with pytest.raises(DataError, match="the data have changed"):
        load_own(study_file("openml_task: 42\n"))


@pytest.fixture
def study_file(tmp_path):
    def write(text):
        file = tmp_path / "mine" / "datasets" / "flowers.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    return write
