"""Check that the estimators need nothing but what retree depends on.

Usage: python check_core.py ARCHIVE, a wheel or a source archive. It is installed into an empty
environment of this Python with its dependencies alone; then every estimator is fitted there, what
needs an extra must say which, and a typed program of a user is checked if mypy is at hand. How much
is installed and how long the import of an estimator takes are printed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "tests" / "typed_program.py"
FITS = """
import time
started = time.perf_counter()
from retree import C45Classifier
print(f"Import of an estimator: {time.perf_counter() - started:.2f} s.")
import numpy as np
import retree

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
fitted = 0
for name in retree.__all__:
    estimator = getattr(retree, name)
    if not name.endswith("Classifier") or name == "FittedForestClassifier":
        continue
    predicted = estimator().fit(X, y).predict(X)
    if not np.mean(predicted == y) > 0.6:
        raise SystemExit(f"{name} has learnt nothing.")
    fitted += 1
tree = C45Classifier().fit(X, y)
print(f"{fitted} estimators of {len(retree.__all__)} names fitted.")
tree.export_text(), tree.export_graphviz(), tree._repr_mimebundle_()
try:
    tree.plot()
except ImportError as error:
    assert "pip install 'retree[plot]'" in str(error), error
else:
    raise SystemExit("matplotlib is there, so this is not the core alone.")
try:
    import retree_lab
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("The laboratory is there, so this is not the core alone.")
"""


def main(archive: Path) -> None:
    """Install the archive and use it."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = Path(scratch) / "environment"
        venv.EnvBuilder(with_pip=True).create(environment)
        folder = environment / ("Scripts" if os.name == "nt" else "bin")
        python = folder / "python"
        before = _megabytes(environment)
        options = ["--quiet", "--disable-pip-version-check"]
        _run(python, "-m", "pip", "install", *options, str(archive.resolve()))
        print(f"Installed: {_megabytes(environment) - before:.0f} MB.", flush=True)
        _run(python, "-c", FITS, folder=scratch)
        finished = subprocess.run(
            [folder / "retree", "plan", "item=all"], capture_output=True, text=True
        )
        if finished.returncode != 2 or "retree[lab]" not in finished.stderr:
            raise SystemExit(f"The command does not say what it lacks: {finished.stderr}")
        print(finished.stderr.strip())
        if importlib.util.find_spec("mypy"):
            checked = [
                "-m",
                "mypy",
                "--strict",
                "--cache-dir",
                scratch,
                "--config-file",
                os.devnull,
            ]
            _run(Path(sys.executable), *checked, "--python-executable", str(python), str(PROGRAM))


def _run(python: Path, *arguments: str, folder: str | None = None) -> None:
    subprocess.run([str(python), *arguments], check=True, cwd=folder)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]))
