"""The container's build finds what it copies; that it builds is tried where there is Docker."""

from __future__ import annotations

import re
from fnmatch import fnmatch

import pytest

from retree import paths

ROOT = paths.project_dir()
IGNORED = (ROOT / ".dockerignore").read_text().split()
# What `make setup` reads, and what an editable installation then needs.
NEEDED = (
    *("Makefile", "CMakeLists.txt", "pyproject.toml", "requirements.lock", "README.md", "LICENSE"),
    *("scripts/set_up.py", "src/engine/sources.cmake", "src/engine/include/retree.h"),
    *("src/retree/cli.py", "conf/config.yaml", "data/checksums.csv", "data/sets/index.csv"),
    *("data/hundreds/sets.zip", "results/structure_purity/cells.csv.gz"),
)


def test_every_source_of_a_copy_is_there():
    lines = re.findall(r"(?m)^COPY\s+(.+)$", (ROOT / "Dockerfile").read_text())
    assert lines
    for source in (source for line in lines for source in line.split()[:-1]):
        assert (ROOT / source).exists()


@pytest.mark.parametrize("name", NEEDED)
def test_what_the_build_needs_is_copied(name):
    assert (ROOT / name).is_file()
    above = ["/".join(name.split("/")[: i + 1]) for i in range(name.count("/") + 1)]
    assert not [pattern for pattern in IGNORED for path in above if fnmatch(path, pattern)]


def test_what_was_built_outside_is_not_copied():
    for name in (".venv", "build", "src/retree/_engine", "src/retree/_engine.part"):
        assert any(fnmatch(name, pattern) for pattern in IGNORED)
