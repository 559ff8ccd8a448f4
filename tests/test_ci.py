"""The workflow and ``.ci/run`` ask for what is there."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import yaml

from retree_lab import paths
from retree_lab.study.available import available

ROOT = paths.project_dir()
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
FILES = [WORKFLOW, ROOT / ".ci" / "run"]


def steps():
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def commands(path):
    if path == WORKFLOW:
        return [step["run"] for step in steps() if "run" in step]
    return path.read_text().splitlines()


def made(path):
    return [line.split()[1] for line in map(str.strip, commands(path)) if line.startswith("make ")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_target_is_one_of_the_makefile(path):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"setup", "ci"} <= set(made(path))
    assert set(made(path)) <= set(targets)


def checks():
    """The lines of the one list of checks."""
    (recipe,) = re.findall(
        r"^ci:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), flags=re.MULTILINE
    )
    return recipe.splitlines()


def checked():
    """The targets that the list names."""
    return {name for line in checks() for name in re.findall(r"\$\(MAKE\) ([a-z-]+)", line)}


def test_a_change_must_pass_these_checks():
    assert checked() == {"lint", "quickstart", "test", "test-slow", "diff", "spot-check"}


@pytest.mark.parametrize("lines", [checks(), commands(WORKFLOW)], ids=["make ci", "workflow"])
def test_every_data_set_is_one_of_the_catalogue(lines):
    found = [name for line in lines for name in re.findall(r"DATASETS=(\S+)", line)]
    assert found
    assert {name for names in found for name in names.split(",")} <= set(available("dataset"))


def test_the_workflow_runs_on_changes_and_on_a_schedule():
    # YAML 1.1 reads the key "on" as true.
    events = yaml.safe_load(WORKFLOW.read_text())[True]
    assert {"push", "pull_request", "schedule"} <= set(events)


def test_actions_are_pinned_to_a_commit():
    actions = [step["uses"] for step in steps() if "uses" in step]
    assert actions
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action in actions)


def test_a_terminal_of_80_columns_holds_the_help():
    if not (make := shutil.which("make")):
        pytest.skip("make is not installed")
    done = subprocess.run(
        [make, "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "make quickstart" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_readme_names_commands_that_are_run():
    blocks = (ROOT / "README.md").read_text().split("```")
    lines = [line for block in blocks for line in block.splitlines()]
    named = {line.split()[1] for line in lines if line.startswith("make ")}
    assert "quickstart" in named
    assert named <= checked()
