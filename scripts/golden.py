"""Golden digests: small fits of every estimator that come out bit by bit as when they were written.

    python scripts/golden.py                recompute them all and name those that differ
    python scripts/golden.py --only cart    recompute those of some estimators
    python scripts/golden.py --write        put today's in their place

They need neither a store nor real data, so they prove on any machine, in less than a minute, that
an edit of the kernels moves no tree; ``make same`` proves that the machine moves none either.
Write them anew only with an edit that means to move trees,
together with the estimator's version, which its declaration has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from retree.trees.cart.base_cart import OF_CLASSES
from retree_lab.experiments.storing.outcomes import cell_digest, tree_digest
from retree_lab.experiments.verifying.verification import compare_values
from retree_lab.plain_files import write_atomically
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import ESTIMATORS

FILE = Path(__file__).resolve().parents[1] / "tests" / "golden" / "cells.csv"
PRUNINGS: tuple[dict[str, Any], ...] = (
    {"pruning": None},
    {"pruning": "ebp"},
    {"pruning": "reduced_error"},
    {"pruning": "pessimistic", "pruning_params": {"order": "top_down", "z": 1.0}},
    {"pruning": "pessimistic", "pruning_params": {"order": "bottom_up", "z": 1.96}},
    {"pruning": "cost_complexity", "pruning_params": {"standard_errors": 0.0}},
    {"pruning": "cost_complexity", "pruning_params": {"standard_errors": 1.0}},
    {"pruning": "cost_complexity", "pruning_params": {"alpha": 1.0}},
    {
        "pruning": "stopping",
        "pruning_params": {"min_gain": 0.1, "max_class_share": 0.9, "min_rows": 8},
    },
)
HOLDOUT: dict[str, Any] = {"pruning_params": {"standard_errors": 0.0, "validation_fraction": 0.1}}
FOREST: dict[str, Any] = {"n_estimators": 6}
ADABOOST, THINNED = {**FOREST, "ensemble": "adaboost"}, {**FOREST, "thinning": "ftcg"}
DECISIONS: dict[str, Any] = {"shares": "decisions", "pooling": "log_odds", "inclusive": True}
CSN: dict[str, Any] = {"criterion": "bnm+csn"}
TIED_BINS: dict[str, Any] = {
    "criterion": "entropy", "normalise": False, "order": "random", "n_restarts": 10,
    "random_state": 2,
}  # fmt: skip
OFF = {"weights": False, "clustering": False, "distributions": False}

# Those that are not here get their defaults and each other choice.
PARAMETERS: dict[str, Sequence[dict[str, Any]]] = {
    "adadt": ({}, {"max_depth": 3, "min_samples_split": 9}),
    "c45": (
        *({"collapse": False, **pruning} for pruning in PRUNINGS),
        {},
        {"binary_splits": True},
        {"min_cases": 5, "confidence": 0.1},
        {"subtree_raising": False, "mdl_correction": False},
        {"max_depth": 2},
    ),
    "cart": (
        *PRUNINGS,
        *({"criterion": name} for name in OF_CLASSES if name != "gini"),
        {"max_depth": 3, "min_samples_leaf": 4},
        {"min_samples_split": 9, "min_impurity_decrease": 0.01},
        {"max_exact_levels": 2, "max_class_share": 0.9},
    ),
    "cart_coded": (
        *(
            {"coding": c, "criterion": name}
            for c in ("one_hot", "ordinal")
            for name in ("gini", "entropy")
        ),
        {"coding": "one_hot", **PRUNINGS[5]},
    ),
    "cart_lc": (
        HOLDOUT,
        {"pruning": None},
        {"criterion": "gini", **HOLDOUT},
        {"criterion": "gini", "pruning": None, "normalise": False, "max_cycles": 5},
        {"pruning": None, "elimination": 0.2, "min_samples_split": 8},
        {"pruning": None, "search": "original", "normalise": False},
    ),
    "cmdt": (
        {},
        OFF,
        *({**OFF, name: True} for name in OFF),
        *({name: False} for name in OFF),
        {"scaling": "standard", "pruning": None},
        {"scaling": None, "beta": 0.5, "min_parent": 10},
        {"gamma": 0.5, "n_neighbors": 3, "n_samples": 20},
    ),
    "cv_id3": ({}, {"max_depth": 3, "min_samples_split": 9}),
    "dgmml": ({}, {"max_depth": 3, "min_samples_split": 9}),
    "fr_id3": ({}, {"max_depth": 3, "min_samples_split": 9}),
    "global_svd": ({},),
    "id3": (*PRUNINGS, {"max_depth": 2, "min_cases": 4}),
    "isat": ({}, {"n_batches": 4}, {"n_batches": 9, "tolerance": 0.2, "max_depth": 2}),
    "one_r": ({}, {"min_bucket_size": 2}),
    "jaworski": (
        {"tie_threshold": 0.2},
        {"gini": "type_2", "tie_threshold": 2.0},
        {"delta": 0.4, "tie_threshold": 0.0},
    ),
    "latent_space": ({"transformer": "pca"}, {"transformer": "ica", "random_state": 0}),
    "local_svd": tuple(
        {"below": below, "levels": n} for below in ("original", "rotated") for n in (1, 2, 3)
    ),
    "multiboost": ({}, {"n_estimators": 7, "subcommittees": 2}),
    "oc1": (
        HOLDOUT,
        {"pruning": None, "criterion": "gini"},
        {"pruning": None, "order": "best_first", "n_restarts": 5},
        {"pruning": None, "order": "random", "max_jumps": 2},
        {"pruning": None, "stagnation_probability": 0.5, "normalise": False},
        {"pruning": None, "max_depth": 2, "min_rows_per_feature": 1.0},
        # With half as many bins along a line another of the tied cuts is taken here ("ties").
        {"pruning": None, **TIED_BINS},
        {"pruning": None, "search": "original", "n_restarts": 5},
    ),
    "random_subspace": ({}, {"weka": "3.7.12"}, {"weka": "3.6", "subspace": 2}),
    "real_adaboost": (
        *({"shrinkage": share, "n_estimators": n} for share in (0.3, 0.7) for n in (5, 25)),
        {},
        {"shrinkage": 0.5},
    ),
    "reptree": (
        {},
        {"prune": False},
        {"max_depth": 2},
        {"min_cases": 5, "folds": 4, "random_state": -7},
    ),
    "scaff": ({"theta": 0.0}, {"sensitive": [1]}, {"theta": 0.2, "sensitive": [0, 3]}),
    "segment_c45": (
        {},
        {"k": 1},
        {"segment_attribute": "split", "small_child": "leaf"},
        {"ties": "rank", "small_child": "skip"},
        {"max_depth": 3, "min_samples_leaf": 4, "k": 5},
    ),
    "spce": ({}, {"segment_attribute": "best"}, {"ties": "rank", "small_child": "leaf"}),
    "spes": (
        {},
        {"normalisation": "spes2"},
        {"segment_attribute": "split"},
        {"small_child": "leaf", "min_samples_leaf": 4},
    ),
    "structure_purity": (
        {},
        *({"criterion": name} for name in ("bnm", "csn", "bnm+csn")),
        *({"criterion": "bnm", "penalty": name} for name in ("across", "none", "nearest")),
        {**CSN, "bnm_distance": "euclidean"},
        {**CSN, "csn_scaling": "parent"},
        {**CSN, "small_child": "skip", "omega1": 0.5},
        {**CSN, "max_depth": 3, "min_samples_leaf": 4},
        {"criterion": "gini", "equal_leaves": "join"},
    ),
    "thinned_forest": (
        FOREST,
        {**FOREST, "pruned": False},
        ADABOOST,
        {**ADABOOST, "pruned": False},
        {**FOREST, "vote": "votes"},
        THINNED,
        {**THINNED, "pruned": False, "passes": 0},
        {**THINNED, "n_selected": 3},
        {**ADABOOST, "n_selected": 2, "weighted_selection": True},
        {**THINNED, "variant": "printed", "passes": 5},
        {**THINNED, "variant": "right_sign"},
        {**THINNED, **DECISIONS},
        {**ADABOOST, "thinning": "ftcg", **DECISIONS},
        {**FOREST, "thinning": "ft_acc"},
        {**ADABOOST, "thinning": "ft_acc", "shares": "decisions", "pooling": "weighted_mean"},
    ),
    "weka_random_forest": (
        FOREST,
        {**FOREST, "weka": "3.6"},
        {**FOREST, "max_features": 1, "max_depth": 4},
    ),
    "weka_random_tree": (
        {},
        {"weka": "3.7.12"},
        {"max_features": 1, "random_state": -7},
        {"max_depth": 3, "min_cases": 4, "max_features": 2},
    ),
}
# Points that ``fit_grid`` fits at once.
GRIDS: dict[str, Sequence[dict[str, Any]]] = {
    "segment_c45": [{"k": k} for k in (1, 2, 3, 7)],
    "spce": [{"k": k} for k in (1, 2, 3, 7)],
    "spes": [{"k": k, "alpha": a} for k, a in product((1, 3), (0.0, 0.4, 1.0))],
    "structure_purity": [
        {**CSN, "k": k, "omega2": w} for k, w in product((1, 2, 5), (0.0, 0.02, 0.1))
    ],
    "thinned_forest": [FOREST, THINNED, {**THINNED, "passes": 1}, {**THINNED, "n_selected": 2}],
}
WEIGHTED = (
    "c45",
    "cart",
    "cart_coded",
    "id3",
    "global_svd",
    "local_svd",
    "reptree",
    "weka_random_tree",
    "decision_stump",
    "one_r",
)
UNLABELLED = ("global_svd", "local_svd")
# Rows, and how many of them a boosted forest's first tree errs on. Its vote was another one where
# numpy took its AVX-512 logarithm (the first), or glibc its own without fused multiply-add.
ERRING = {"avx512": (82, 13), "fma": (46, 22)}
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
            for params in _parameters(name):
                yield [Case(problem, name, "", params)]
            if name in GRIDS:
                yield [Case(problem, name, "grid", params) for params in GRIDS[name]]
            for how, names in (("weighted", WEIGHTED), ("unlabelled", UNLABELLED)):
                if name in names:
                    yield [Case(problem, name, how, _parameters(name)[-1])]
    for problem in ERRING:
        yield [Case(problem, "thinned_forest", "", {**ADABOOST, "pruned": False})]


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


def _parameters(name: str) -> Sequence[dict[str, Any]]:
    """Return the parameters of the fits of an estimator: by default, all its other choices."""
    if name in PARAMETERS:
        return PARAMETERS[name]
    return [{}] + [
        {each.name: value}
        for each in fields(import_estimator(ESTIMATORS[name].target))
        for value in getattr(each.metadata.get("check"), "valid", ())
        if value != each.default
    ]


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
