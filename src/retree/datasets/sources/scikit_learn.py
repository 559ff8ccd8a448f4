"""The small sets that scikit-learn brings along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sklearn import datasets


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the set of ``options["function"]``, corrected to the copy that the catalogue means.

    ``options["cells"]`` lists row, column (both from 0) and value of the cells in which
    scikit-learn's copy differs.
    """
    X, y = getattr(datasets, options["function"])(return_X_y=True)
    for row, column, value in options["cells"]:
        X[row, column] = value
    return pd.DataFrame(X).assign(**{"class": y})
