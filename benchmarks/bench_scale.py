"""Time and memory of planning 10^6 cells, and of resuming and reporting 10^5 stored ones.

Usage: python bench_scale.py [--planned N] [--stored N]. The study is made up of iris and ten
methods that compute nothing; the stored cells are written, not computed. Each command runs in its
own process; its CPU seconds, wall seconds and peak memory are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

METHODS, FOLDS = 10, 10
COMMAND = "import sys; from retree.start import main; sys.exit(main())"
ESTIMATORS = '''"""An estimator that learns nothing."""

from sklearn.dummy import DummyClassifier


class Nothing(DummyClassifier):
    """Predicts the first class."""
'''
PAPER = """title: Many cells
authors: Nobody
reference: Not published

items:
  planned:
    kind: metric_table
    caption: Cells that are only planned
    protocol: planned
    metrics: [accuracy]
    datasets: [iris]
    methods: [{methods}]
  stored:
    kind: metric_table
    caption: Cells that are stored
    protocol: stored
    metrics: [accuracy]
    datasets: [iris]
    methods: [{methods}]
"""
FILL = """
import sys
from pathlib import Path
import numpy as np
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.storing.outcomes import Outcome
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.experiments.storing.store import Store
from retree_lab.study.composing import compose
from retree_lab.study.folders import open_study, study_places

folder = Path(sys.argv[1])
name = open_study(folder)
places = [f"{key}={value}" for key, value in study_places(folder, name).items()]
experiment = load_experiment(compose([*places, "item=stored"]))
(plan,) = plan_all(experiment).plans
outcomes = (
    (cell, Outcome(cell.key, accuracy=0.6, depth=0, leaves=1, nodes=1, fit_seconds=0.001,
                   cpu_seconds=0.001, n_train=135, n_features=4, n_test=15, digest="0" * 16))
    for cell in plan.cells
)
with Store(experiment.store) as store:
    store.record(store.begin_run("2000-01-01T00:00:00", {}), outcomes)
"""


def make_study(folder: Path, planned: int, stored: int) -> Path:
    """Write the study with so many cells in its items."""
    study = folder / "scale"
    for part in ("methods", "protocols"):
        (study / part).mkdir(parents=True)
    names = [f"nothing{i}" for i in range(METHODS)]
    methods = "".join(
        f"{name}: {{name: Nothing {i}, estimator: 'estimators.py:Nothing', random_state: {i}}}\n"
        for i, name in enumerate(names)
    )
    (study / "paper.yaml").write_text(PAPER.format(methods=", ".join(names)))
    (study / "estimators.py").write_text(ESTIMATORS)
    (study / "methods" / "nothing.yaml").write_text(methods)
    for name, cells in (("planned", planned), ("stored", stored)):
        repeats = cells // (METHODS * FOLDS)
        text = f"splitter: k_fold\nfolds: {FOLDS}\nrepeats: {repeats}\nshuffle: true\n"
        (study / "protocols" / f"{name}.yaml").write_text(text)
    return study


def measure(what: str, command: list[str]) -> None:
    """Run a command and print what it took."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{what} failed")
    seconds = used.ru_utime + used.ru_stime
    clock, memory = time.monotonic() - began, used.ru_maxrss / 1024
    print(f"{what:<28}{seconds:8.1f} s CPU{clock:8.1f} s{memory:8.0f} MB", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planned", type=int, default=10**6)
    parser.add_argument("--stored", type=int, default=10**5)
    args = parser.parse_args()
    os.environ["RETREE_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        study = make_study(Path(folder), args.planned, args.stored)
        words = ["--study", str(study), "item=stored"]
        measure("start", [COMMAND, "--help"])
        measure(f"plan {args.planned:,}", [COMMAND, "plan", *words[:2], "item=planned"])
        measure(f"write {args.stored:,} (no command)", [FILL, str(study)])
        measure(f"resume {args.stored:,}", [COMMAND, "run", *words])
        measure(f"report {args.stored:,}", [COMMAND, "report", *words])


if __name__ == "__main__":
    main()
