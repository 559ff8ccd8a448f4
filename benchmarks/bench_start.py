"""What users wait for first: importing retree, the first fit, its memory, and predicting.

    python benchmarks/bench_start.py [--repeats N]

Every figure comes from new processes that measure themselves; the lowest of several is printed.
"Beyond" means more than a process that does the same with scikit-learn's tree. Memory is resident.
It only measures, and checks nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

ROW = "{:<74} {:>12}  {}"
PROBLEM = """
import json, resource, time
start = time.process_time()
import sklearn.tree
{imports}
imported = time.process_time() - start
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
start = time.process_time()
{model}.fit(X, y)
fitted = time.process_time() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"import": imported, "fit": fitted, "memory": memory}}))
"""
PREDICTION = """
import json, time, timeit
import numpy as np
from sklearn.datasets import load_iris
from retree import {name}
X, y = load_iris(return_X_y=True)
model = {name}().fit(X, y)
row, many = X[:1].copy(), np.random.default_rng(0).normal(4, 2, (10**6, 4))
model.predict(row)
one = min(timeit.repeat(lambda: model.predict(row), number=1000, repeat=5)) / 1000
all_rows = min(timeit.repeat(lambda: model.predict(many), number=1, repeat=5))
print(json.dumps({{"one": one, "many": all_rows}}))
"""
BIG = """
import json, resource, time
import numpy as np
import retree
rng = np.random.default_rng(0)
X = rng.normal(size=(10**6, 20))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=10**6) > 0).astype(int)
model = retree.{model}.fit(X[:1000].copy(), y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
model.fit(X, y)
cpu = time.process_time() - start
extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / X.nbytes
print(json.dumps({{"cpu": cpu, "extra": extra}}))
"""
IMPORT = """
import json, sys, time
start = time.process_time()
{statement}
print(json.dumps({{"cpu": time.process_time() - start, "modules": len(sys.modules)}}))
"""
ESTIMATORS = (
    "C45Classifier",
    "CartClassifier",
    "StructurePurityClassifier",
    "OC1Classifier",
    "CMDTClassifier",
)
BIG_MODELS = (
    "C45Classifier()",
    "CartClassifier()",
    *(f"StructurePurityClassifier(criterion={c!r})" for c in ("gini", "bnm", "csn", "bnm+csn")),
    "OC1Classifier(max_depth=1, n_restarts=0, random_state=0)",
    "CartLCClassifier(max_depth=1, max_cycles=1, random_state=0)",
)


def least(program: str, repeats: int) -> dict[str, float]:
    """Return the least of each figure that `program` prints, over fresh processes."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program]
    runs = [
        json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
        for _ in range(repeats)
    ]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def print_import(repeats: int) -> None:
    """Print what it takes to import an estimator alone, beside scikit-learn's tree alone."""
    for statement in ("import sklearn.tree", f"from retree import {ESTIMATORS[0]}"):
        figures = least(IMPORT.format(statement=statement), repeats)
        modules = f"{figures['modules']:.0f} modules"
        print(ROW.format(f"{statement}, CPU", f"{figures['cpu']:.2f} s", modules))


def print_start(repeats: int) -> None:
    """Print import, first fit and memory beside scikit-learn's tree."""
    tree = {"imports": "", "model": "sklearn.tree.DecisionTreeClassifier()"}
    theirs = least(PROBLEM.format(**tree), repeats)
    for name in ESTIMATORS:
        ours = least(PROBLEM.format(imports="import retree", model=f"retree.{name}()"), repeats)
        if name == ESTIMATORS[0]:
            beyond = ours["import"] - theirs["import"]
            print(ROW.format("import retree, CPU beyond sklearn", f"{beyond:.2f} s", "<= 0.2 s"))
        fit, memory = ours["fit"] * 1000, ours["memory"] - theirs["memory"]
        print(ROW.format(f"{name}: first fit on iris", f"{fit:.1f} ms", "<= 20 ms"))
        print(ROW.format(f"{name}: memory after it, beyond", f"{memory:.0f} MB", "<= 15 MB"))


def print_prediction(repeats: int) -> None:
    """Print times of predicting one row and a million."""
    for name in ESTIMATORS[:2]:
        seconds = least(PREDICTION.format(name=name), repeats)
        print(ROW.format(f"{name}: one row", f"{seconds['one'] * 1e6:.0f} us", "<= 90 us"))
        print(ROW.format(f"{name}: 10^6 rows", f"{seconds['many']:.3f} s", "<= 0.10 s"))


def print_big() -> None:
    """Print CPU time and memory of a large fit; an oblique tree needs most memory at its root."""
    for model in BIG_MODELS:
        figures = least(BIG.format(model=model), 1)
        target = "<= 5 s" if model in ("C45Classifier()", "CartClassifier()") else ""
        print(ROW.format(f"{model}: 1,000,000 x 20, CPU", f"{figures['cpu']:.1f} s", target))
        print(ROW.format("    memory / data", f"{figures['extra']:.2f}", "<= 1.5"))


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--repeats", type=int, default=5, help="processes of which the least counts"
    )
    repeats = parser.parse_args().repeats
    print(ROW.format("", "", "target"))
    print_import(repeats)
    print_start(repeats)
    print_prediction(repeats)
    print_big()


if __name__ == "__main__":
    main()
