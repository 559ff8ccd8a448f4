"""Golden digests: small fits of every estimator that come out bit by bit as when they were written.

    python scripts/golden.py                recompute them all and name those that differ
    python scripts/golden.py --only cart    recompute those of some estimators
    python scripts/golden.py --write        put today's in their place

``tests/golden/fits.yaml`` lists them. They need neither a store nor real data, so they prove on any
machine, in less than a minute, that an edit of the kernels moves no tree; ``make same`` proves that
the machine moves none either. Write them anew only with an edit that means to move trees, together
with the estimator's version, which its declaration has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml

from retree_lab.experiments.storing.outcomes import cell_digest, tree_digest
from retree_lab.experiments.verifying.verification import compare_values
from retree_lab.plain_files import write_atomically
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import ESTIMATORS

FILE = Path(__file__).resolve().parents[1] / "tests" / "golden" / "cells.csv"
FITS = yaml.safe_load(FILE.with_name("fits.yaml").read_text(encoding="utf-8"))
EACH = "*"  # in the place of a value: each choice but the default
# Rows, and how many of them a boosted forest's first tree errs on. Its vote was another one where
# numpy took its AVX-512 logarithm (the first), or glibc its own without fused multiply-add.
ERRING = {"avx512": (82, 13), "fma": (46, 22)}
BOOSTED = {"n_estimators": 6, "ensemble": "adaboost", "pruned": False}
NUMERIC, ANY = ("numeric", "ties", "many"), ("numeric", "ties", "many", "missing", "nominal")


class Case(NamedTuple):
    """A fit: problem, estimator, in what way it is fitted, and its parameters."""

    problem: str
    estimator: str
    how: str
    params: Mapping[str, Any]


class Data(NamedTuple):
    """Training rows and test rows of a problem."""

    X: Any
    y: np.ndarray
    X_test: Any


def cases() -> Iterator[list[Case]]:
    """Yield the cases, those together that are fitted at once."""
    for name in sorted(ESTIMATORS):
        for problem in _problems(name):
            parameters = list(_parameters(name))
            for params in parameters:
                yield [Case(problem, name, "", params)]
            if name in FITS["grids"]:
                yield [Case(problem, name, "grid", params) for params in FITS["grids"][name]]
            for how in ("weighted", "unlabelled"):
                if name in FITS[how]:
                    yield [Case(problem, name, how, parameters[-1])]
    for problem in ERRING:
        yield [Case(problem, "thinned_forest", "", BOOSTED)]


def compute(only: Sequence[str] = ()) -> pd.DataFrame:
    """Return one row for each case: sizes, and digests of tree, cell and probabilities.

    `only` cases of some estimators are computed, or all.
    """
    rows = []
    for together in (c for c in cases() if not only or c[0].estimator in only):
        data = _problem(together[0].problem)
        for case, fitted in zip(together, _fit(together, data), strict=True):
            probabilities = np.ascontiguousarray(fitted.predict_proba(data.X_test), "<f8")
            rows.append({
                **case._asdict(),
                "params": json.dumps(case.params, sort_keys=True),
                "depth": fitted.get_depth() if hasattr(fitted, "get_depth") else "",
                "leaves": fitted.get_n_leaves() if hasattr(fitted, "get_n_leaves") else "",
                "tree": tree_digest(fitted) or "",
                "cell": cell_digest(fitted, np.asarray(fitted.predict(data.X_test))),
                "probabilities": hashlib.sha256(probabilities.tobytes()).hexdigest()[:16],
            })  # fmt: skip
    return pd.DataFrame(rows).astype(str)


def files() -> Iterator[tuple[Path, str]]:
    """Yield the file and what it should say."""
    yield FILE, compute().to_csv(index=False, lineterminator="\n")


def compare(only: Sequence[str] = ()) -> pd.DataFrame:
    """Return one row for each fit; ``differs`` names what is not as in the file, "" if nothing."""
    stored = pd.read_csv(FILE, dtype=str, keep_default_na=False)
    if only:
        stored = stored[stored["estimator"].isin(only)]
    key = list(Case._fields)
    # A fit that only one of them has differs in everything.
    today, stored = compute(only).set_index(key).align(stored.set_index(key))
    both = zip(*(table.to_dict("records") for table in (stored, today)), strict=True)
    differs = [", ".join(compare_values(*pair).old) for pair in both]
    return today.index.to_frame(index=False).assign(differs=differs)


def main(argv: Sequence[str] | None = None) -> int:
    """Compare or write, and return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--write", action="store_true", help="replace the golden digests")
    either.add_argument("--only", nargs="+", default=[], metavar="ESTIMATOR", choices=ESTIMATORS)
    options = parser.parse_args(argv)
    if options.write:
        ((_, text),) = files()
        write_atomically(FILE, text.encode())
        return 0
    fits = compare(options.only)
    differing = fits[fits["differs"] != ""]
    if len(differing):
        print(differing.to_string(index=False))
    print(f"{len(fits) - len(differing)} of {len(fits)} golden fits equal")
    return int(len(differing) > 0)


def _parameters(name: str) -> Iterator[dict[str, Any]]:
    """Yield the parameters of the fits of an estimator."""
    choices = {
        each.name: [value for value in each.metadata["check"].valid if value != each.default]
        for each in fields(import_estimator(ESTIMATORS[name].target))
        if hasattr(each.metadata.get("check"), "valid")
    }
    for params in FITS["parameters"].get(name, [{}, *({each: EACH} for each in choices)]):
        chosen = [key for key, value in params.items() if value == EACH]
        yield from ({key: value} for key in chosen for value in choices[key])
        yield from [] if chosen else [params]


def _problems(name: str) -> Sequence[str]:
    """Return the problems that an estimator takes."""
    tags = import_estimator(ESTIMATORS[name].target)().__sklearn_tags__()
    if not tags.classifier_tags.multi_class:
        return ("ties",)
    return ANY if tags.input_tags.categorical and tags.input_tags.allow_nan else NUMERIC


def _fit(together: Sequence[Case], data: Data) -> list[Any]:
    first = together[0]
    estimator = import_estimator(ESTIMATORS[first.estimator].target)()
    seed = {"random_state": 7} if "random_state" in estimator.get_params(deep=False) else {}
    if first.how == "grid":
        common = {
            k: v
            for k, v in first.params.items()
            if all(k in case.params and case.params[k] == v for case in together)
        }
        points = [{k: v for k, v in c.params.items() if k not in common} for c in together]
        estimator.set_params(**common, **seed)
        fitted: list[Any] = estimator.fit_grid(data.X, data.y, points)
        return fitted
    extra: dict[str, Any] = {}
    if first.how == "weighted":
        extra = {"sample_weight": 1.0 + 0.5 * (np.arange(len(data.y)) % 3)}
    if first.how == "unlabelled":
        extra = {"X_unlabelled": data.X_test}
    return [estimator.set_params(**{**seed, **first.params}).fit(data.X, data.y, **extra)]


@cache
def _problem(name: str) -> Data:
    """Return a problem made by the legacy generator, whose stream numpy promises to keep."""
    if name in ERRING:
        return _erring(*ERRING[name])
    rng = np.random.RandomState(len(name))
    X = np.round(rng.normal(size=(120, 4)), 2)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=len(X))
    n_classes = {"ties": 2, "many": 9}.get(name, 3)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    if name == "ties":
        X = np.round(X)
    if name in ("missing", "nominal"):
        X[rng.uniform(size=X.shape) < 0.1] = np.nan
    table: Any = _with_levels(X) if name == "nominal" else X
    test = np.arange(len(y)) % 4 == 0
    return Data(table[~test], y[~test], table[test])


def _erring(n_rows: int, n_errors: int) -> Data:
    """Return a feature that is the class, but for some rows, half of them of either class."""
    row = np.arange(n_rows)
    y = row % 2
    X = np.where(row < n_errors, 1 - y, y)[:, None].astype(float)
    return Data(X, y, X)


def _with_levels(X: np.ndarray) -> pd.DataFrame:
    """Return a table whose second and third column have five and three levels."""
    table = pd.DataFrame(X, columns=list("abcd"))
    for column, levels in (("b", "pqrst"), ("c", "xyz")):
        codes = pd.cut(table[column], len(levels), labels=list(levels))
        table[column] = pd.Categorical(codes.astype(object), categories=list(levels))
    return table


if __name__ == "__main__":
    sys.exit(main())
