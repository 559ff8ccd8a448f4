from __future__ import annotations

from pathlib import Path

import pytest
from openml_server import FakeServer
from toy_set import TOY_CSV, write_mirror

from retree.errors import DataError
from retree_lab.datasets import load, load_dataset

MIRROR = ["mirror"]


def test_not_set(toy: Path) -> None:
    with pytest.raises(DataError, match=r"RETREE_MIRROR is not set; set it to a folder"):
        load("toy", sources=MIRROR)


def test_not_a_folder(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETREE_MIRROR", str(toy / "nowhere"))
    with pytest.raises(DataError, match=r"nowhere, which is not a folder; correct it"):
        load("toy", sources=MIRROR)


def test_relative_folder(toy_mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(toy_mirror.parent)
    monkeypatch.setenv("RETREE_MIRROR", "mirror")
    assert load("toy", sources=MIRROR)[0].shape == (5, 4)


def test_no_index(toy_mirror: Path) -> None:
    (toy_mirror / "index.csv").unlink()
    with pytest.raises(DataError, match=r"index.csv is missing; .* correct RETREE_MIRROR"):
        load("toy", sources=MIRROR)


def test_index_without_the_columns(toy_mirror: Path) -> None:
    (toy_mirror / "index.csv").write_text("set,hash\ntoy,0\n")
    with pytest.raises(DataError, match=r"columns name and sha256"):
        load("toy", sources=MIRROR)


def test_not_in_the_index(toy_mirror: Path) -> None:
    (toy_mirror / "index.csv").write_text("name,sha256\n")
    with pytest.raises(DataError, match=r"has no row 'toy'"):
        load("toy", sources=MIRROR)


def test_no_file(toy_mirror: Path) -> None:
    (toy_mirror / "toy.csv.gz").unlink()
    with pytest.raises(DataError, match=r"toy\.csv\.gz does not exist"):
        load("toy", sources=MIRROR)


@pytest.mark.parametrize("damage", ["garbage", "half"])
def test_garbled_gz(toy_mirror: Path, damage: str) -> None:
    path = toy_mirror / "toy.csv.gz"
    content = path.read_bytes()
    path.write_bytes(b"not a gz" if damage == "garbage" else content[: len(content) // 2])
    with pytest.raises(DataError, match=r"toy\.csv\.gz cannot be read .*copy it again"):
        load("toy", sources=MIRROR)


def test_other_bytes_than_the_index_says(toy_mirror: Path) -> None:
    index = (toy_mirror / "index.csv").read_text()
    write_mirror(toy_mirror, TOY_CSV.replace("1.5", "1.6"))
    (toy_mirror / "index.csv").write_text(index)
    with pytest.raises(DataError, match=r"sha256 of index\.csv; copy the mirror again"):
        load("toy", sources=MIRROR)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("1.5", "1.6", "values differ from the tracked checksum; try another source: openml, uci"),
        ("3,blue,1\n", "", "it has 4 rows, not 5"),
        ("red,2", "red,1", "its classes are 1=4, 2=1, not 1=3, 2=2"),
        ("red,2", "red,", "class column has empty cells"),
        ("1.5", "many", "'size' holds a cell that is not a number"),
    ],
)
def test_other_content_than_the_catalogue_says(
    toy_mirror: Path, old: str, new: str, reason: str
) -> None:
    write_mirror(toy_mirror, TOY_CSV.replace(old, new))
    with pytest.raises(DataError, match=reason) as caught:
        load("toy", sources=MIRROR)
    assert "try another source: openml, uci" in str(caught.value)


def test_a_column_too_many(toy_mirror: Path) -> None:
    text = "\n".join("0," + line for line in TOY_CSV.splitlines()) + "\n"
    write_mirror(toy_mirror, text)
    with pytest.raises(DataError, match=r"it has 3 feature columns, not 2"):
        load("toy", sources=MIRROR)


def test_row_order_is_kept_and_does_not_matter_to_the_checksum(toy_mirror: Path) -> None:
    first = load_dataset("toy", sources=MIRROR)
    header, *rows = TOY_CSV.splitlines()
    write_mirror(toy_mirror, "\n".join([header, *reversed(rows)]) + "\n")
    second = load_dataset("toy", sources=MIRROR)
    assert second.y.tolist() == first.y.tolist()[::-1]
    assert second.sha256 != first.sha256


def test_a_broken_mirror_is_passed_over(toy_mirror: Path, server: FakeServer) -> None:
    (toy_mirror / "toy.csv.gz").write_bytes(b"")
    assert load_dataset("toy").source == "openml"


def test_all_sources_failing_gives_a_reason_each(
    toy_mirror: Path, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retree_lab.datasets.sources.openml._TRIES", 1)
    (toy_mirror / "toy.csv.gz").unlink()
    server.fault = "500"
    with pytest.raises(DataError, match=r"unavailable.*does not exist.*OpenML set 7.*UCI set 9"):
        load("toy")
