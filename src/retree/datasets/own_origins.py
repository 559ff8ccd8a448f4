"""Where the table of a study's data set comes from: a file, OpenML, or a function."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree import paths
from retree.datasets.files import write_atomically
from retree.datasets.own_description import OwnData, sklearn_functions
from retree.datasets.own_tables import read_table
from retree.study.importing import import_estimator
from retree.study.modules import path_inside
from retree.study.registry import find_estimator


def fetch_own(about: OwnData, file: Path) -> tuple[pd.DataFrame, pd.Series | None]:
    """Return the table of the data set in `file`, and its target where that stands apart."""
    study = file.parent.parent
    if about.openml is not None:
        return _from_openml(about.openml, file.stem), None
    if about.file is not None:
        missing = [str(text) for text in about.missing]
        return read_table(path_inside(study, about.file), missing, about.categorical), None
    if about.sklearn is not None:
        found = sklearn_functions()[about.sklearn](**about.arguments)
    else:
        function: Any = import_estimator(find_estimator(str(about.function), study).target)
        found = function(**about.arguments)
    if isinstance(found, Mapping):
        names, found = found.get("feature_names"), (found["data"], found["target"])
    else:
        names = getattr(found[0], "columns", None)
    X = pd.DataFrame(found[0])
    return X.set_axis(names if names is not None else X.columns, axis=1), pd.Series(found[1])


def _from_openml(number: int, name: str) -> pd.DataFrame:
    """Return a table of OpenML, which is fetched once and then kept in the data folder."""
    # The clients of the servers are slow to import.
    from retree.datasets import servers
    from retree.datasets.sources import openml

    kept = paths.data_dir() / "cache" / f"openml-{number}.parquet"
    if not kept.exists():
        servers.require("openml")
        content = io.BytesIO()
        openml.fetch(name, {"id": number}).to_parquet(content)
        write_atomically(kept, content.getvalue())
    return read_table(kept, (), ())
