"""Sets that need no file: what a generator returns, and the small ones of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from retree.errors import unknown_name
from retree_lab.datasets import generators, rule_sets

_FUNCTIONS: dict[str, Callable[..., tuple[Any, Any]]] = {
    name: made
    for module in (generators, rule_sets)
    for name, made in vars(module).items()
    if name.startswith("make_")
}


def fetch_generated(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the sample of ``options["function"]`` called with ``options["arguments"]``."""
    function = options["function"]
    if function not in _FUNCTIONS:
        raise unknown_name(f"generator of data set {name}", function, _FUNCTIONS)
    X, y = _FUNCTIONS[function](**options["arguments"])
    return pd.DataFrame(X).assign(**{"class": y})


def fetch_scikit_learn(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the set of ``options["function"]``, corrected to the copy that the catalogue means.

    ``options["cells"]`` lists row, column (both from 0) and value of the cells in which
    scikit-learn's copy differs.
    """
    # Its import takes a tenth of the start of a command.
    from sklearn import datasets

    X, y = getattr(datasets, options["function"])(return_X_y=True)
    for row, column, value in options["cells"]:
        X[row, column] = value
    return pd.DataFrame(X).assign(**{"class": y})
