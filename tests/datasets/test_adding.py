"""A data set is added to a checkout whole, or not at all."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from retree_lab import paths
from retree_lab.cli import main
from retree_lab.datasets import load_dataset

WORDS = ["--title", "Visits: 2", "--origin", "a clinic", "--licence", "CC0", "--cite", "Me"]
TABLE = "ward,age,ok\na,61,yes\n ?,?,no\na,37,no\n1e3,45,yes\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders that a data set is written to, with one set."""
    real = paths.project_dir()
    for name in ("conf/dataset/zoo.yaml", "data/sets/zoo.csv.gz", "data/sets/LICENSES.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(real / name, tmp_path / name)
    for name in ("data/sets/index.csv", "data/checksums.csv"):
        shutil.copy(real / name, tmp_path / name)
    for name in ("hundreds", "openml", "rockflows"):  # the papers' own sets
        (tmp_path / "data" / name).symlink_to(real / "data" / name)
    (tmp_path / "CONTRIBUTING.md").touch()
    monkeypatch.setattr(paths, "project_dir", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text(TABLE)
    return tmp_path


def test_what_is_added_loads_and_is_checked(project: Path, capsys: pytest.CaptureFixture) -> None:
    licences = (project / "data/sets/LICENSES.md").read_text()
    assert main(["data", "add", "visits", "visits.csv", *WORDS]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    found = load_dataset("visits")
    assert found.X["age"].tolist()[::2] == [61, 37]
    assert found.X["ward"].astype(object).tolist()[::3] == ["a", "1e3"]
    assert found.X.isna().sum().tolist() == [1, 1]
    assert found.y.tolist() == ["yes", "no", "no", "yes"]
    with (project / "data/sets/index.csv").open() as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert rows["visits"]["feature_types"] == "CN"
    assert [rows["visits"][n] for n in ("n_instances", "n_missing", "n_classes")] == ["4", "2", "2"]
    added = (project / "data/sets/LICENSES.md").read_text()
    assert added.replace("| `visits` | a clinic | CC0 | Me |\n", "") == licences
    assert list(rows) == sorted(rows)


@pytest.mark.parametrize(
    ("name", "table", "words", "message"),
    [
        ("zoo", TABLE, WORDS, "A data set called zoo already exists"),
        ("a/b", TABLE, WORDS, "'a/b' is used in file names"),
        ("visits", TABLE, WORDS[:-2], "visits lacks a description: give --cite"),
        ("visits", TABLE, [*WORDS, "--target", "fine"], "has no column fine beside others"),
        ("visits", "a,ok\n1,yes\n2,\n", WORDS, "has rows without a class in ok"),
    ],
)
def test_what_cannot_be_added_leaves_everything_as_it_was(
    project: Path, name: str, table: str, words: list[str], message: str,
    capsys: pytest.CaptureFixture,
) -> None:  # fmt: skip
    (project / "visits.csv").write_text(table)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert main(["data", "add", name, "visits.csv", *words]) != 0
    assert message in " ".join(capsys.readouterr().err.split())
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
