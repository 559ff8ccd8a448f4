"""Nothing depends on the language of the user: in Turkish, small I is no lowered capital I."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from retree_lab import paths
from retree_lab.cli import main

pytestmark = pytest.mark.slow

NAME = "tr_TR.UTF-8"
RUN = "import sys; from retree_lab.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def turkish(tmp_path_factory):
    """Return the environment of a process that speaks Turkish."""
    if shutil.which("localedef") is None:
        pytest.skip("localedef is not installed, so that no Turkish locale can be made")
    folder = tmp_path_factory.mktemp("locales")
    made = subprocess.run(
        ["localedef", "-i", "tr_TR", "-f", "UTF-8", folder / NAME], capture_output=True, text=True
    )
    if not (folder / NAME).exists():
        pytest.skip(f"localedef makes no Turkish locale: {made.stderr}")
    env = {**os.environ, "LOCPATH": str(folder), "LC_ALL": NAME}
    check = "import locale; print(locale.setlocale(locale.LC_ALL, ''))"
    done = subprocess.run([sys.executable, "-c", check], env=env, capture_output=True, text=True)
    assert done.stdout.strip() == NAME
    return env


def test_a_study_runs_in_turkish(turkish, tmp_path):
    study = tmp_path / "mine"
    assert main(["init", str(study)]) == 0
    words = ("run", "--report", "-j", "1", "--study", str(study), "item=all")
    tables = study / "results" / "mine"
    assert main(words) == 0
    expected = {path.name: path.read_text() for path in tables.glob("table*.csv")}
    shutil.rmtree(study / "results")
    command = [sys.executable, "-c", RUN, *words]
    done = subprocess.run(command, env=turkish, capture_output=True, text=True)
    assert (done.returncode, "damaged" in done.stderr) == (0, False), done.stderr
    assert {path.name: path.read_text() for path in tables.glob("table*.csv")} == expected
    assert any(re.search(r",accuracy,0\.\d", text) for text in expected.values())


def test_fits_are_equal_in_turkish(turkish):
    script = paths.project_dir() / "scripts" / "golden.py"
    command = [sys.executable, script, "--only", "c45", "id3", "cmdt"]
    done = subprocess.run(command, env=turkish, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "golden fits equal" in done.stdout
