"""``scripts/set_up.py`` refuses a Python for which nobody has tried retree."""

from __future__ import annotations

import re
import runpy
import tomllib

import pytest

from retree_lab import paths

ROOT = paths.project_dir()
SET_UP = runpy.run_path(str(ROOT / "scripts" / "set_up.py"))
OLDEST, NEWEST = SET_UP["OLDEST"], SET_UP["NEWEST"]


def test_the_versions_are_those_that_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = re.findall(r"Python :: 3\.(\d+)", " ".join(project["classifiers"]))
    assert [3, int(min(declared))] == [*OLDEST]
    assert [3, int(max(declared))] == [*NEWEST]
    assert project["requires-python"] == f">={OLDEST[0]}.{OLDEST[1]}"
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert {f"{major}.{minor}" for major, minor in (OLDEST, NEWEST)} <= set(
        re.findall(r'python-version: "([\d.]+)"', workflow)
    )


@pytest.mark.parametrize("version", [(3, 10), (3, NEWEST[1] + 1), (4, 0)])
def test_another_version_is_refused_in_a_sentence(version):
    with pytest.raises(SystemExit, match=r"retree is tested with Python 3.11 to 3.\d+, and this"):
        SET_UP["check_python"](version)


@pytest.mark.parametrize("version", [OLDEST, (3, 12), NEWEST])
def test_a_version_between_is_taken(version):
    assert SET_UP["check_python"](version) is None
