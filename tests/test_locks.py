"""The locks: what running needs, what developing needs on top, and what builds a release."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from retree_lab import paths

ROOT = paths.project_dir()
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def locked(name):
    lines = (ROOT / name).read_text().splitlines()
    return {re.split("==", line)[0] for line in lines if "==" in line}


def declared(requirements):
    return {re.match(r"[A-Za-z0-9_.-]+", text).group().lower() for text in requirements}


def test_each_lock_has_what_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lab = tomllib.loads((ROOT / "src/retree_lab/pyproject.toml").read_text())["project"]
    running = [*project["dependencies"], *extras["plot"], *lab["dependencies"]]
    assert declared(running) - {"retree"} <= locked("requirements.lock")
    testing = [*extras["dev"], *extras["dask"], *extras["site"], *extras["interop"]]
    everything = locked("requirements.lock") | locked("requirements-dev.lock")
    assert declared(testing) - {"retree"} <= everything


@pytest.mark.parametrize("name", LOCKS)
def test_each_archive_that_may_be_installed_has_a_hash(name):
    for entry in re.split(r"\n(?=[a-z])", (ROOT / name).read_text())[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_a_release_is_built_by_what_is_locked():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert declared(build) | {"build", "cibuildwheel", "pip", "uv"} <= locked(LOCKS[2])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_install_what_is_locked(path):
    jobs = yaml.safe_load(path.read_text())["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    installing = [line for run in commands for line in run.splitlines() if "pip install" in line]
    for line in installing:
        # What was built from these sources has no hash, and brings nothing else.
        assert "--require-hashes" in line or "--no-deps" in line, line


def test_no_package_is_in_both():
    assert not locked("requirements.lock") & locked("requirements-dev.lock")
    assert not {"pytest", "sphinx", "mypy", "ruff"} & locked("requirements.lock")
