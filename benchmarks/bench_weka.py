"""Speed of REPTree, alone and in bags, and of random forests, against Weka's own.

    python benchmarks/bench_weka.py weka.jar [--seconds N] [--rounds N]

It needs a Java development kit and the jar of Weka. Each side fits for some seconds, on one core if
the system can pin it, and its fastest fit counts, when Java has compiled Weka's code. Weka's time
excludes reading the file; ours is all of ``fit``. At the end it prints the peak memory of both
processes in MB, with Java's default heap. It only measures, and checks nothing.
"""

from __future__ import annotations

from race import print_head, print_row  # isort: skip (sets the threads)

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

from retree import BaggingTreesClassifier, REPTreeClassifier
from retree.forests import WekaRandomForestClassifier
from retree_lab.datasets import load_dataset

PROGRAM = Path(__file__).with_name("WekaTimes.java")
SETS = ("diabetes", "car", "credit_approval", "waveform")
TREES = 100


def arff(X: pd.DataFrame, y: pd.Series) -> str:
    """Return rows and classes as an ARFF file, names and levels as numbers."""
    table, lines = X.assign(**{"class": pd.Categorical(y)}), ["@relation data"]
    columns = []
    for j in range(table.shape[1]):
        column, kind = table.iloc[:, j], "numeric"
        if isinstance(column.dtype, pd.CategoricalDtype):
            kind = "{" + ",".join(map(str, range(len(column.cat.categories)))) + "}"
            column = column.cat.codes.astype("Int64").where(column.notna())
        lines.append(f"@attribute a{j} {kind}")
        columns.append(column)
    rows = pd.concat(columns, axis=1).to_csv(index=False, header=False, na_rep="?")
    return "\n".join([*lines, "@data", rows])


def of_weka(
    jar: str, file: Path, seconds: float, learner: str, options: str
) -> tuple[float, float]:
    """Return the seconds of Weka's fastest fit, and the most kilobytes that it held."""
    command = ["java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", jar, str(PROGRAM)]
    arguments = [str(file), str(seconds), f"weka.classifiers.{learner}", options]
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    least, most = map(float, run.stdout.split()[-2:])
    return least, most


def of_ours(model: Any, X: pd.DataFrame, y: pd.Series, seconds: float) -> float:
    """Return the CPU seconds of the fastest fit."""
    end, times = time.perf_counter() + seconds, []
    while time.perf_counter() < end or not times:
        start = time.process_time()
        model.fit(X, y)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jar")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=160)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    bags = f"-I {options.rounds} -W weka.classifiers.trees.REPTree"
    bagging = BaggingTreesClassifier(
        estimator=REPTreeClassifier(),
        n_estimators=options.rounds,
        bags="weka-3.9",
        random_state=1,
    )
    forest = WekaRandomForestClassifier(n_estimators=TREES)
    learners = (
        ("REPTree", "trees.REPTree", "", REPTreeClassifier(), ">= 20"),
        (f"Bagging of {options.rounds}", "meta.Bagging", bags, bagging, ">= 20"),
        (f"RandomForest of {TREES}", "trees.RandomForest", f"-I {TREES}", forest, ">= 5"),
    )
    print("First: Weka; second: retree")
    most = 0.0
    print_head()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.arff"
        for name in SETS:
            data = load_dataset(name)
            file.write_text(arff(data.X, data.y), encoding="utf-8")
            for title, learner, how, model, target in learners:
                theirs, held = of_weka(options.jar, file, options.seconds, learner, how)
                most = max(most, held)
                ours = of_ours(model, data.X, data.y, options.seconds)
                leaves = str(model.get_n_leaves())
                print_row(f"{title}, {name} {data.X.shape}", [1e3 * theirs, 1e3 * ours], "ms",
                          target, leaves)  # fmt: skip
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"At most, with all learners: Weka {most / 1e3:.0f} MB, retree {ours / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
