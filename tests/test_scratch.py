"""What a run that was killed leaves is removed by the next one, and nothing else is."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from retree_lab import scratch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody knows who is alive")
OTHER = """
import time
from retree_lab.scratch import make_scratch
folder = make_scratch()
(folder / "file").touch()
print(folder, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_SEMAPHORES", tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def other():
    process = subprocess.Popen([sys.executable, "-c", OTHER], stdout=subprocess.PIPE, text=True)
    yield process, Path(process.stdout.readline().strip())
    process.kill()
    process.wait()
    process.stdout.close()


def test_what_a_dead_process_left_is_removed_by_the_next(other, temporary):
    process, folder = other
    semaphore = temporary / f"sem.loky-{process.pid}-abc"
    semaphore.touch()
    assert scratch.remove_leftovers() == 0
    assert folder.exists()
    process.kill()
    process.wait()
    assert scratch.remove_leftovers() == 2
    assert not folder.exists()
    assert not semaphore.exists()


def test_of_a_number_that_was_given_out_again_the_semaphores_stay(temporary):
    with scratch.scratch() as folder:
        pid, started, *rest = (folder / "owner").read_text().split()
        (folder / "owner").write_text(" ".join([pid, str(int(started) - 1), *rest]))
        semaphore = temporary / f"sem.loky-{os.getpid()}-abc"
        semaphore.touch()
        scratch.remove_leftovers()
        assert not folder.exists()
        assert semaphore.exists()


@pytest.mark.parametrize("part", [2, 3])
def test_folders_of_another_boot_or_container_stay(part):
    with scratch.scratch() as folder:
        parts = (folder / "owner").read_text().split()
        parts[1], parts[part] = "1", "other"
        (folder / "owner").write_text(" ".join(parts))
        assert scratch.remove_leftovers() == 0
        assert folder.exists()


@pytest.mark.parametrize("content", [None, "", "nonsense", "999999999"])
def test_folders_that_do_not_say_whose_they_are_stay(content, temporary):
    folder = temporary / "retree-mine"
    folder.mkdir()
    if content is not None:
        (folder / "owner").write_text(content)
    assert scratch.remove_leftovers() == 0
    assert folder.exists()
