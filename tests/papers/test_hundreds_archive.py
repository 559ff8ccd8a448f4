import csv
import gzip
import hashlib
import io
import tarfile
import zipfile

import numpy as np
import pytest

from retree.errors import AwayError, DataError
from retree_lab.datasets import load_dataset
from retree_lab.datasets.sources import archives
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.experiments.running.batches import make_problem
from retree_lab.papers.hundreds import loading as archive
from retree_lab.study.composing import compose

INDEX = (archive.archive_dir() / "index.csv").read_text(encoding="utf-8")
ROWS = list(csv.DictReader(io.StringIO(INDEX)))
TEST_FILE = Protocol("test_file", 1, 1, False, False, 0, 0, test_file=True)


def test_bundled_files_are_those_of_the_index_and_small():
    with zipfile.ZipFile(archive.archive_dir() / "sets.zip") as sets:
        found = {name: hashlib.sha256(sets.read(name)).hexdigest() for name in sets.namelist()}
    listed = {row["file"]: row["sha256"] for row in ROWS if row["bundled"]}
    assert found == listed
    assert (archive.archive_dir() / "sets.zip").stat().st_size < 5_000_000


def test_only_sets_of_a_known_licence_are_bundled():
    assert all(row["uci"] for row in ROWS if row["bundled"])


def test_a_set_has_the_rows_of_the_index_without_network(monkeypatch):
    monkeypatch.setenv("RETREE_OFFLINE", "1")
    data = load_dataset("hundreds-iris")
    assert data.X.shape == (150, 4)
    assert data.source == "bundled"
    assert data.y.tolist() == ["0"] * 50 + ["1"] * 50 + ["2"] * 50
    assert data.X.iloc[0].tolist() == [-0.897674, 1.02861, -1.33679, -1.30859]


def test_classes_sort_as_the_file_declares_them():
    data = load_dataset("hundreds-conn-bench-vowel-deterding", sources=["bundled"])
    assert sorted(set(data.y)) == [f"{code:02d}" for code in range(11)]


def test_training_rows_stand_before_those_of_the_test_file():
    data = load_dataset("hundreds-monks-3", sources=["bundled"])
    train, test = split_rows(TEST_FILE.on(data), make_problem(data).y, 0, 0)
    assert (len(train), len(test)) == (122, 432)
    np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(554))


def test_a_set_without_test_file_cannot_be_split_so():
    data = load_dataset("hundreds-iris", sources=["bundled"])
    with pytest.raises(ValueError, match="has no test file"):
        split_rows(TEST_FILE.on(data), make_problem(data).y, 0, 0)


def test_set_whose_file_is_unknown_is_said_to_be_missing():
    with pytest.raises(DataError, match=r"adult_train\.arff is missing"):
        load_dataset("hundreds-adult")


def test_mirror_gives_what_is_not_bundled_and_is_checked(monkeypatch, tmp_path):
    monkeypatch.setenv("RETREE_MIRROR", str(tmp_path))
    folder = tmp_path / "sets" / "iris"
    folder.mkdir(parents=True)
    content = b"@relation t\n@attribute 'a' real\n@attribute 'c' {0,1}\n@data\n1.5,1\n2,0\n"
    (folder / "iris.arff.gz").write_bytes(gzip.compress(content))
    known = (archive.ArchiveFile("iris.arff", hashlib.sha256(content).hexdigest()),)
    monkeypatch.setattr(archive, "archived_sets", lambda: {"hundreds-iris": known})
    found = archive.read_archived("hundreds-iris", ["bundled"])
    assert (found.source, found.y.tolist(), found.X["a"].tolist()) == (
        "mirror",
        ["1", "0"],
        [1.5, 2],
    )
    other = (archive.ArchiveFile("iris.arff", "0" * 64),)
    monkeypatch.setattr(archive, "archived_sets", lambda: {"hundreds-iris": other})
    with pytest.raises(DataError, match=r"iris\.arff from mirror does not have the sha256"):
        archive.read_archived("hundreds-iris", ["bundled"])


def test_fetched_archive_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("RETREE_DATA", str(tmp_path))
    monkeypatch.delenv("RETREE_MIRROR", raising=False)
    content = b"@attribute 'a' real\n@attribute 'c' {0,1}\n@data\n1.5,1\n2,0\n"
    known = (archive.ArchiveFile("toy.arff", hashlib.sha256(content).hexdigest()),)
    monkeypatch.setattr(archive, "archived_sets", lambda: {"hundreds-toy": known})
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        member = tarfile.TarInfo("data/toy/toy.arff")
        member.size = len(content)
        made.addfile(member, io.BytesIO(content))
    asked = []

    class Reply:
        content = packed.getvalue()

        def raise_for_status(self):
            asked.append(archive.ADDRESS)

    monkeypatch.delenv("RETREE_OFFLINE", raising=False)
    monkeypatch.setattr(archives.BoundedSession, "get", lambda *_: Reply())
    with pytest.raises(DataError, match="is not contacted"):
        archive.read_archived("hundreds-toy", ["bundled"])
    for _ in range(2):
        assert archive.read_archived("hundreds-toy").source == "archive"
    assert asked == [archive.ADDRESS]


def test_set_of_the_archive_can_be_named_on_the_command_line():
    experiment = load_experiment(compose(["dataset=hundreds-iris", "method=c45_pruned"]))
    assert experiment.items[0].datasets == ("hundreds-iris",)


def test_a_set_that_only_the_archive_has_is_away_where_no_server_is_asked(monkeypatch):
    monkeypatch.delenv("RETREE_MIRROR", raising=False)
    monkeypatch.setenv("RETREE_OFFLINE", "1")
    name = next(name for name in archive.archived_sets() if name.endswith("-pima"))
    with pytest.raises(AwayError, match="is unavailable"):
        archive.read_archived(name, None)
