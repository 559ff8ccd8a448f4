"""Small sets that are hard to get right, and what Weka's learners answer on them.

Classes and levels are declared in no order, some without a row. With the jars of Weka 3.9.7 and of
its packages multiBoostAB and realAdaBoost,

    python tests/weka_answers.py weka.jar:mtj.jar:core.jar:multiBoostAB.jar:realAdaBoost.jar

writes ``tests/reference/weka/declared_order.json.gz`` anew.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from real_sets import read_set
from sklearn.base import clone

from retree import (
    C45Classifier,
    DecisionStumpClassifier,
    OneRClassifier,
    REPTreeClassifier,
    WekaRandomTreeClassifier,
)
from retree.forests import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    MultiBoostClassifier,
    RandomSubspaceClassifier,
    RealAdaBoostClassifier,
    WekaRandomForestClassifier,
)
from retree.weka_folds import weka_fold

FOLDER = Path(__file__).parent / "reference" / "weka"
FILE = FOLDER / "declared_order.json.gz"
SEEDS = range(240)
KINDS = ("ties", "missing", "constant", "rare class", "weights", "same columns", "huge", "tiny",
         "many levels", "empty levels", "empty classes", "near", "no values", "spaced")  # fmt: skip
N_TEST = 15
REAL = ("sonar", "lymphography", "vote", "breast_cancer", "heart_c", "hepatitis", "credit_approval",
        "zoo")  # fmt: skip
_TREES, _META, _ONE_R = (
    "weka.classifiers.trees.", "weka.classifiers.meta.", "weka.classifiers.rules.OneR"
)  # fmt: skip


def _bags(member: Any) -> BaggingTreesClassifier:
    how = {"n_estimators": 10, "bags": "weka-3.9", "random_state": 1}
    return BaggingTreesClassifier(estimator=member, **how)


def _boosted(member: Any) -> AdaBoostM1Classifier:
    return AdaBoostM1Classifier(estimator=member, n_estimators=10)


# Weka's class and options of each learner, and its counterpart.
LEARNERS: dict[str, tuple[str, str, Any]] = {
    "J48": (f"{_TREES}J48", "", C45Classifier()),
    "J48 -U": (f"{_TREES}J48", "-U", C45Classifier(pruning=None)),
    "J48 -B": (f"{_TREES}J48", "-B", C45Classifier(binary_splits=True)),
    "REPTree": (f"{_TREES}REPTree", "", REPTreeClassifier()),
    "REPTree -P": (f"{_TREES}REPTree", "-P", REPTreeClassifier(prune=False)),
    "OneR": (_ONE_R, "", OneRClassifier()),
    "OneR -B 1": (_ONE_R, "-B 1", OneRClassifier(min_bucket_size=1)),
    "DecisionStump": (f"{_TREES}DecisionStump", "", DecisionStumpClassifier()),
    "AdaBoostM1 J48": (f"{_META}AdaBoostM1", f"-I 10 -W {_TREES}J48", _boosted(C45Classifier())),
    "AdaBoostM1 DecisionStump": (
        f"{_META}AdaBoostM1", f"-I 10 -W {_TREES}DecisionStump",
        _boosted(DecisionStumpClassifier()),
    ),
    "Bagging J48": (f"{_META}Bagging", f"-I 10 -W {_TREES}J48", _bags(C45Classifier())),
    "Bagging REPTree": (f"{_META}Bagging", f"-I 10 -W {_TREES}REPTree", _bags(REPTreeClassifier())),
    "Bagging OneR": (
        f"{_META}Bagging", f"-I 10 -W {_ONE_R}", _bags(OneRClassifier()).set_params(vote="votes")
    ),
    "RandomTree": (f"{_TREES}RandomTree", "", WekaRandomTreeClassifier()),
    "RandomTree -K 2 -M 3 -depth 4 -S -5": (
        f"{_TREES}RandomTree", "-K 2 -M 3 -depth 4 -S -5",
        WekaRandomTreeClassifier(max_features=2, min_cases=3, max_depth=4, random_state=-5),
    ),
    "Bagging RandomTree": (
        f"{_META}Bagging", f"-I 10 -W {_TREES}RandomTree", _bags(WekaRandomTreeClassifier())
    ),
    "RandomForest": (f"{_TREES}RandomForest", "-I 10", WekaRandomForestClassifier(n_estimators=10)),
    "RandomForest -K 1 -depth 3 -S 42": (
        f"{_TREES}RandomForest", "-I 7 -K 1 -depth 3 -S 42",
        WekaRandomForestClassifier(n_estimators=7, max_features=1, max_depth=3, random_state=42),
    ),
    "RandomSubSpace REPTree": (f"{_META}RandomSubSpace", "-I 10", RandomSubspaceClassifier()),
    "RandomSubSpace J48": (
        f"{_META}RandomSubSpace", f"-P 2 -S 9 -I 5 -W {_TREES}J48",
        RandomSubspaceClassifier(
            estimator=C45Classifier(), subspace=2, random_state=9, n_estimators=5
        ),
    ),
    "MultiBoostAB DecisionStump": (f"{_META}MultiBoostAB", "", MultiBoostClassifier()),
    "MultiBoostAB J48": (
        f"{_META}MultiBoostAB", f"-C 2 -S 4 -I 7 -W {_TREES}J48",
        MultiBoostClassifier(
            estimator=C45Classifier(), subcommittees=2, random_state=4, n_estimators=7
        ),
    ),
    "RealAdaBoost DecisionStump": (f"{_META}RealAdaBoost", "", RealAdaBoostClassifier()),
    "RealAdaBoost REPTree": (
        f"{_META}RealAdaBoost", f"-H 0.5 -I 15 -W {_TREES}REPTree -- -P",
        RealAdaBoostClassifier(
            estimator=REPTreeClassifier(prune=False), shrinkage=0.5, n_estimators=15
        ),
    ),
}  # fmt: skip
OF_FOLDS = ("J48", "REPTree", "OneR", "RandomTree", "RandomForest")


class Problem(NamedTuple):
    """Rows to learn from, with weights, and rows to predict."""

    X: pd.DataFrame
    y: pd.Series
    weight: np.ndarray
    rows: pd.DataFrame


@cache
def problem(seed: int) -> Problem:
    """Return the small set of a seed: its kind goes round, the rest is drawn."""
    rng, kind = np.random.RandomState(seed), KINDS[seed % len(KINDS)]
    n_train = rng.randint(2, 9) if rng.random_sample() < 0.15 else rng.randint(9, 60)
    n = n_train + N_TEST
    X = pd.DataFrame({f"a{j}": _column(rng, n, kind) for j in range(rng.randint(1, 6))})
    if kind == "same columns":
        X["b"] = X["a0"]
    k = rng.randint(2, 5)
    first = X["a0"].cat.codes if X["a0"].dtype == "category" else X["a0"].rank() * k // (n + 1)
    by_first = rng.random_sample(n) < rng.choice([0.5, 0.8, 0.95])
    codes = np.where(by_first, first.to_numpy().astype(int) % k, rng.randint(0, k, n))
    if kind == "rare class":
        codes[:n_train], codes[rng.randint(n_train)] = 0, k - 1
    n_empty = rng.randint(1, 4) if kind == "empty classes" else 0
    # No order of classes, with or without rows, is left out.
    labels, declared = (rng.permutation([f"c{i}" for i in range(k + n_empty)]) for _ in range(2))
    y = pd.Series(pd.Categorical(labels[codes], declared))
    share = {"missing": 0.35, "no values": 0.1, "empty levels": 0.1, "weights": 0.15}
    lacks = rng.random_sample(X.shape) < share.get(kind, rng.choice([0, 0, 0.1]))
    if kind == "no values":
        lacks[:n_train, -1] = True
    X = X.mask(lacks)
    weight = rng.randint(1, 9, n_train) / 2.0 + 0.5 if kind == "weights" else np.ones(n_train)
    rows = X[n_train:].reset_index(drop=True)
    return Problem(X[:n_train], y[:n_train], weight, rows)


def _column(rng: np.random.RandomState, n: int, kind: str) -> pd.Series:
    many, empty = kind == "many levels", kind == "empty levels"
    if rng.random_sample() < (0.8 if many or empty else 0.4):
        k = rng.randint(8, 25) if many else rng.randint(1, 6)
        levels = rng.permutation([f"l{i}" for i in range(k + (rng.randint(1, 4) if empty else 0))])
        return pd.Series(pd.Categorical(levels[rng.randint(0, k, n)], rng.permutation(levels)))
    values = np.round(rng.normal(size=n) * 3, rng.randint(0, 3))
    if kind == "ties":
        values = rng.randint(0, rng.randint(2, 6), n).astype(float)
    elif kind in ("huge", "tiny"):
        values = values * 10.0 ** (rng.randint(5, 300) if kind == "huge" else -rng.randint(3, 12))
    elif kind == "near":
        values = rng.randint(0, 4, n) + rng.randint(0, 4, n) * 10.0 ** -float(rng.randint(4, 8))
    elif kind == "spaced":
        values = rng.randint(0, 12, n) * rng.choice([0.1, 0.2, 0.3, 0.7, 1 / 3, 1 / 7])
    elif kind == "constant" and rng.random_sample() < 0.5:
        values = np.full(n, -3.5)
    return pd.Series(values + 0.0)


@cache
def real_problem(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return a real set whose classes are declared from the last to the first."""
    X, y = read_set(name)
    return X, y.astype(pd.CategoricalDtype(sorted(y.unique(), reverse=True)))


def answer(learner: str, seed: int) -> list[str] | None:
    """Return sizes and predicted codes as Weka's are kept, None of what is refused."""
    X, y, weight, rows = problem(seed)
    try:
        model = clone(LEARNERS[learner][2]).fit(X, y, None if (weight == 1).all() else weight)
    except ValueError:
        return None
    return [_size(learner, model), predicted(model, rows, y)]


def _size(learner: str, model: Any) -> str:
    if learner.startswith("J48"):
        return f"{model.get_n_leaves()}/{model.tree_.node_count}"
    sized = learner.startswith(("REPTree", "RandomTree"))
    return str(model.tree_.node_count) if sized else ""


def predicted(model: Any, rows: pd.DataFrame, y: pd.Series) -> str:
    """Return a character for the class of each row: 0 is the first one that is declared."""
    codes = y.cat.categories.get_indexer(model.predict(rows))
    return "".join(chr(ord("0") + code) for code in codes)


def answer_of_folds(learner: str, name: str) -> str:
    """Return the predicted codes of the test rows of Weka's ten folds."""
    X, y = real_problem(name)
    found = ""
    for fold in range(10):
        train, test = weka_fold(y.cat.codes.to_numpy(), 10, fold, 1, True)
        model = clone(LEARNERS[learner][2]).fit(X.iloc[train], y.iloc[train])
        found += predicted(model, X.iloc[test], y)
    return found


def ask_weka(jars: str, seeds: Iterable[int]) -> dict[str, dict[str, Any]]:
    """Return what Weka answers on small sets, by seed and learner; None is what it refuses."""
    seeds = list(seeds)
    with tempfile.TemporaryDirectory() as folder:
        sets = [(Path(folder, f"{seed}"), Path(folder, f"{seed}-test")) for seed in seeds]
        for seed, (train, test) in zip(seeds, sets, strict=True):
            X, y, weight, rows = problem(seed)
            train.write_text(_arff(X, y, weight))
            test.write_text(_arff(rows, y[:1].repeat(N_TEST), np.ones(N_TEST)))
        return _run(jars, Path(folder), LEARNERS, sets)


def ask_weka_of_folds(jars: str) -> dict[str, dict[str, Any]]:
    """Return what Weka predicts on the test rows of its folds of the real sets."""
    with tempfile.TemporaryDirectory() as folder:
        for name in REAL:
            X, y = real_problem(name)
            Path(folder, name).write_text(_arff(X, y, np.ones(len(y))))
        sets = [(Path(folder, name), Path("10 folds")) for name in REAL]
        answers = _run(jars, Path(folder), OF_FOLDS, sets)
    return {name: {k: v[1] for k, v in own.items()} for name, own in answers.items()}


def _run(jars: str, folder: Path, learners: Iterable[str], sets: Any) -> dict[str, dict[str, Any]]:
    lines = ["\t".join((name, *LEARNERS[name][:2])) for name in learners]
    Path(folder, "learners.tsv").write_text("\n".join(lines))
    Path(folder, "sets.tsv").write_text("\n".join(f"{a}\t{b}" for a, b in sets))
    command = ["java", "-cp", jars, str(FOLDER / "Answers.java"), "learners.tsv", "sets.tsv"]
    output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    answers: dict[str, dict[str, Any]] = {}
    for line in output.splitlines():
        file, learner, size, codes = line.split("\t")
        own = answers.setdefault(Path(file).name, {})
        own[learner] = None if size == "refused" else [size, codes]
    return answers


def _arff(X: pd.DataFrame, y: pd.Series, weight: np.ndarray) -> str:
    table = X.assign(y=y.to_numpy()).astype({"y": y.dtype})
    lines = ["@relation r"]
    for name, dtype in table.dtypes.items():
        levels = getattr(dtype, "categories", None)
        kind = "numeric" if levels is None else "{" + ",".join(f"'{v}'" for v in levels) + "}"
        lines.append(f"@attribute '{name}' {kind}")
    lines.append("@data")
    for row, own in zip(table.itertuples(index=False), weight.tolist(), strict=True):
        cells = ["?" if v != v else f"'{v}'" if isinstance(v, str) else repr(float(v)) for v in row]
        lines.append(",".join(cells) + ("" if own == 1 else f",{{{own}}}"))
    return "\n".join(lines) + "\n"


def read_answers() -> dict[str, Any]:
    """Return the answers that are kept: of the small sets, and of the folds of real ones."""
    return json.loads(gzip.decompress(FILE.read_bytes()))


if __name__ == "__main__":
    kept = {"small": ask_weka(sys.argv[1], SEEDS), "folds": ask_weka_of_folds(sys.argv[1])}
    text = json.dumps(kept, separators=(",", ":"), sort_keys=True)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
