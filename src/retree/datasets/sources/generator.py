"""Sets defined by a formula or a rule: what one of `retree.datasets.generators` returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from retree.datasets import generators
from retree.errors import unknown_name

_FUNCTIONS: dict[str, Callable[..., tuple[Any, Any]]] = {
    name: getattr(generators, name) for name in generators.__all__
}


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the sample of ``options["function"]`` called with ``options["arguments"]``."""
    function = options["function"]
    if function not in _FUNCTIONS:
        raise unknown_name(f"generator of data set {name}", function, _FUNCTIONS)
    X, y = _FUNCTIONS[function](**options["arguments"])
    return pd.DataFrame(X).assign(**{"class": y})
