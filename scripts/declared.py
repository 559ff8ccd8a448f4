"""What follows from the estimators' declarations: the stub of retree's names, and two tables.

``src/retree/__init__.pyi``, docs/estimators.md and docs/contributing/contract.md. The table of
estimators says what each classifier can do, as fitting it shows.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_iris

import retree
from retree.trees.declaring import Contract

STUB = Path(retree.__file__).with_suffix(".pyi")
DOCS = Path(__file__).resolve().parents[1] / "docs"
DECLARED = "| field | what it means | value | classes |\n"
TABLE = "| estimator | `sample_weight` | `class_weight` | missing values | `smoothing` |\n"
ROOMS = ("forests", "relief", "trees")
HEAD = (
    '"""What `import retree` offers, for type checkers; '
    'at run time names are imported on first use."""'
)


def stub() -> str:
    """Return the text of the stub: the functions that it has, and the classes that are declared."""
    homes = {n: m for n, m in retree._HOMES.items() if not n[0].isupper()} | declared_classes()
    lines = [HEAD, ""]
    for name, module in sorted(homes.items(), key=lambda home: (home[1], home[0].lower())):
        line = f"from {module} import {name} as {name}"
        wrapped = f"from {module} import (\n    {name} as {name},\n)"
        lines.append(line if len(line) <= 100 else wrapped)
    return "\n".join(
        [*lines, "", "__version__: str", "__all__: list[str]", "_HOMES: dict[str, str]", ""]
    )


def declared_classes() -> dict[str, str]:
    """Return the module of each class that `declare` has made public."""
    module_of = {}
    for info in pkgutil.walk_packages(retree.__path__, "retree."):
        if info.name.split(".")[1] in ROOMS:
            for value in vars(import_module(info.name)).values():
                if isinstance(value, type) and "_declared" in vars(value):
                    module_of[value.__name__] = value.__module__
    return module_of


def classifiers() -> dict[str, Any]:
    """Return a small one of each class of classifiers that `fit` makes of rows."""
    homes = sorted(home for home in declared_classes().items() if home[0].endswith("Classifier"))
    models = {n: getattr(import_module(m), n)() for n, m in homes if n != "FittedForestClassifier"}
    for model in models.values():
        small = {"random_state": 0, "n_estimators": 4}
        model.set_params(**{k: v for k, v in small.items() if k in model.get_params(deep=False)})
    return models


def capabilities(model: Any) -> list[str]:
    """Return what a classifier does with weights, missing values and small leaves."""
    X, y = load_iris(return_X_y=True)
    lacking = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    params, can_smooth = model.get_params(), "smoothing" in model.get_params(deep=False)
    halves = _refusal(model, X, y, sample_weight=np.where(y == 0, 0.5, 2.0))
    weighs = {TypeError: "no", ValueError: "whole", None: "yes"}[halves]
    misses = "yes"
    if _refusal(model, lacking, y):
        misses = "imputed" if "fill_missing" in params else "no"
    smooths = "yes" if can_smooth else "in members" if "estimator" in params else "no"
    return [weighs, "yes" if "class_weight" in params else "no", misses, smooths]


def _refusal(model: Any, X: Any, y: Any, **given: Any) -> type[Exception] | None:
    """Return the class of the error of a fit, None if there is none."""
    try:
        clone(model).fit(X, y, **given)
    except (TypeError, ValueError) as error:
        return type(error)
    return None


def contracts() -> Iterator[list[str]]:
    """Yield what classes declare that is not the default, with these classes."""
    # From the modules: `retree` offers a new class only once its stub is written.
    homes = sorted(declared_classes().items())
    by_class = {name: getattr(import_module(module), name).contract for name, module in homes}
    for field in fields(Contract):
        values = {name: getattr(contract, field.name) for name, contract in by_class.items()}
        for value in sorted({*values.values()} - {field.default}):
            short = [n.removesuffix("Classifier") for n, v in values.items() if v == value]
            code = f"`{value!r}`"
            yield [f"`{field.name}`", field.metadata["meaning"], code, ", ".join(short)]


def page(path: Path, head: str, rows: Iterable[list[str]]) -> tuple[Path, str]:
    """Return a page and its text with today's rows below the head of its table."""
    before, _, rest = path.read_text(encoding="utf-8").partition(head)
    rule = [":--"] * (head.count("|") - 1)
    lines = "".join(f"| {' | '.join(row)} |\n" for row in [rule, *rows])
    _, gap, after = rest.partition("\n\n")
    return path, "".join([before, head, lines, gap[1:], after])


def files() -> Iterator[tuple[Path, str]]:
    """Yield the three files and what they should say."""
    yield STUB, stub()
    able = ([f"`{name}`", *capabilities(model)] for name, model in classifiers().items())
    yield page(DOCS / "estimators.md", TABLE, able)
    yield page(DOCS / "contributing" / "contract.md", DECLARED, contracts())


if __name__ == "__main__":
    from generated import main

    sys.exit(main([*sys.argv[1:], "declared"]))
