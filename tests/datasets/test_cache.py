from __future__ import annotations

import gzip
import os
from pathlib import Path

import pandas as pd
import pytest

from retree import paths
from retree.datasets import load
from retree.datasets.files import write_atomically
from retree.errors import DataError


def test_mirror_is_read_once(toy_mirror: Path, cache_folder: Path) -> None:
    before = load("toy")
    (toy_mirror / "toy.csv.gz").unlink()
    after = load("toy")
    pd.testing.assert_frame_equal(before[0], after[0])
    pd.testing.assert_series_equal(before[1], after[1])
    assert [path.name for path in cache_folder.iterdir()] == ["toy.mirror.csv.gz"]


def test_same_content_same_bytes(toy_mirror: Path, cache_folder: Path) -> None:
    path = cache_folder / "toy.mirror.csv.gz"
    load("toy")
    first = path.read_bytes()
    path.unlink()
    load("toy")
    assert path.read_bytes() == first


@pytest.mark.parametrize("damage", ["truncated", "empty", "tampered", "relabelled", "not a csv"])
def test_a_damaged_file_is_fetched_anew(
    toy_mirror: Path, cache_folder: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = cache_folder / "toy.mirror.csv.gz"
    load("toy")
    content = path.read_bytes()
    text = gzip.decompress(content).decode()
    damaged = {
        "truncated": content[: len(content) // 2],
        "empty": b"",
        "tampered": gzip.compress(text.replace("1.5", "1.6").encode()),
        "relabelled": gzip.compress(text.replace("red,2", "red,1").encode()),
        "not a csv": gzip.compress(b""),
    }[damage]
    path.write_bytes(damaged)
    assert load("toy")[0].shape == (5, 4)
    assert "toy.mirror.csv.gz is damaged and counts as absent" in caplog.text
    assert path.read_bytes() == content


def test_no_checksum_tracked(toy_mirror: Path) -> None:
    paths.checksums_file().unlink()
    with pytest.raises(DataError, match=r"no checksum of it is tracked.*--source mirror --accept"):
        load("toy", sources=["mirror"])


def test_damaged_checksums(toy_mirror: Path) -> None:
    paths.checksums_file().write_text("dataset,sha256\ntoy,0\n")
    with pytest.raises(DataError, match=r"does not have the columns dataset, source"):
        load("toy", sources=["mirror"])


def test_data_folder_that_cannot_be_written(
    toy_mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = toy_mirror / "file"
    blocker.write_text("")
    monkeypatch.setenv("RETREE_DATA", str(blocker))
    with pytest.raises(
        DataError, match=r"cannot be written .*set RETREE_DATA to a folder that can"
    ):
        load("toy", sources=["mirror"])


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(DataError, match="cannot be written \\(disk full\\); make room"):
        write_atomically(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_written_files_have_the_permissions_that_the_user_wants(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "file", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~mask
