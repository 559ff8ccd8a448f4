"""The two locks: what running needs, and what developing and testing need on top."""

from __future__ import annotations

import re
import tomllib

from retree import paths

ROOT = paths.project_dir()


def locked(name):
    lines = (ROOT / name).read_text().splitlines()
    return {re.split("==", line)[0] for line in lines if "==" in line}


def declared(requirements):
    return {re.match(r"[A-Za-z0-9_.-]+", text).group().lower() for text in requirements}


def test_each_lock_has_what_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    running = [*project["dependencies"], *extras["plot"], *extras["experiments"]]
    assert declared(running) <= locked("requirements.lock")
    testing = [*extras["dev"], *extras["interop"]]
    assert declared(testing) <= locked("requirements-dev.lock")


def test_no_package_is_in_both():
    assert not locked("requirements.lock") & locked("requirements-dev.lock")
    assert not {"pytest", "sphinx", "mypy", "ruff"} & locked("requirements.lock")
