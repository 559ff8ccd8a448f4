from __future__ import annotations

import os
from pathlib import Path

import pytest

from retree.errors import DataError
from retree_lab import paths
from retree_lab.datasets import load
from retree_lab.plain_files import write_atomically


def test_no_checksum_tracked(toy_mirror: Path) -> None:
    paths.checksums_file().unlink()
    with pytest.raises(DataError, match=r"has no checksum of it"):
        load("toy", sources=["mirror"])


def test_damaged_checksums(toy_mirror: Path) -> None:
    paths.checksums_file().write_text("dataset,sha256\ntoy,0\n")
    with pytest.raises(DataError, match=r"does not have the columns dataset, source"):
        load("toy", sources=["mirror"])


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"cannot be written .*make it writable, or copy it"):
        write_atomically(tmp_path / "file" / "data", b"new")


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(DataError, match="cannot be written \\(disk full\\); free some space"):
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
