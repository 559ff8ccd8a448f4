"""Weka's own J48. It needs a JDK and weka.jar (Debian: default-jdk-headless, weka)."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")


@functools.cache
def weka():
    """Return a virtual machine that runs J48.java; it ends with this process."""
    if not (shutil.which("javac") and Path(JAR).is_file()):
        raise FileNotFoundError(f"J48 needs javac and {JAR}: install them, or set WEKA_JAR.")
    classes = tempfile.mkdtemp(prefix="j48_")
    subprocess.run(
        ["javac", "-cp", JAR, "-d", classes, Path(__file__).with_name("J48.java")], check=True
    )
    command = ["java", "-XX:+UseSerialGC", "-cp", f"{JAR}{os.pathsep}{classes}", "J48"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(order, name, arff, n_lines):
    """Return the first words of the answer to `order` as numbers, a row for each line."""
    with tempfile.NamedTemporaryFile("w", suffix=".arff") as file:
        file.write(arff)
        file.flush()
        machine = weka()
        machine.stdin.write(f"{order} {name} {file.name}\n")
        machine.stdin.flush()
        lines = [machine.stdout.readline().split() for _ in range(n_lines)]
    return [[float(word) for word in line] for line in lines]


def arff_text(X, codes, n_classes, levels):
    """Return the rows as ARFF: levels and classes by their positions, 17 digits of numbers."""
    kinds = ["numeric" if n is None else _nominal(n) for n in levels]
    head = [f"@attribute a{j} {kind}" for j, kind in enumerate([*kinds, _nominal(n_classes)])]
    columns = [_words(X.iloc[:, j], n) for j, n in enumerate(levels)]
    rows = [",".join(row) for row in zip(*columns, map(str, codes), strict=True)]
    return "\n".join(["@relation r", *head, "@data", *rows, ""])


def _nominal(n):
    return "{" + ",".join(map(str, range(n))) + "}"


def _words(column, n_levels):
    if n_levels is None:
        return ["?" if np.isnan(value) else repr(float(value)) for value in column]
    return ["?" if code < 0 else str(code) for code in column.cat.codes]


class J48(ClassifierMixin, BaseEstimator):
    """J48 with its defaults. `fit_seconds_` and `predict_seconds_` leave out the conversion."""

    def fit(self, X, y):
        X = pd.DataFrame(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.levels_ = [
            len(X[name].cat.categories) if isinstance(X[name].dtype, pd.CategoricalDtype) else None
            for name in X
        ]
        self.name_ = uuid.uuid4().hex
        text = arff_text(X, codes, len(self.classes_), self.levels_)
        ((self.n_leaves_, self.fit_seconds_),) = ask("fit", self.name_, text, 1)
        return self

    def predict_proba(self, X):
        X = pd.DataFrame(X)
        text = arff_text(X, [0] * len(X), len(self.classes_), self.levels_)
        (seconds, *_), *shares = ask("predict", self.name_, text, len(X) + 1)
        self.predict_seconds_ = seconds
        return np.array(shares)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def get_n_leaves(self):
        return self.n_leaves_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags
