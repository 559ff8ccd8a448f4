"""The data sets of a study as they were read first; others are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import DataError
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.datasets.files import write_atomically
from retree_lab.plain_files import check_plain

LOCK = "data.lock"


def content_sha256(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the hash of features and target, be it labels or numbers."""
    return ordered_sha256(X, y.map(repr) if y.dtype.kind == "f" else y)


def _read_lock(path: Path) -> dict[str, Any]:
    try:
        if path.exists():
            check_plain(path, 16)
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read ({error}): restore it, or remove it.") from error
    if not isinstance(known, dict) or not all(isinstance(one, dict) for one in known.values()):
        raise DataError(f"{path} was not written by retree: restore it, or remove it.")
    return known


def check_lock(file: Path, X: pd.DataFrame, y: pd.Series) -> None:
    """Note what the data set is, or refuse one that is another than noted."""
    path = file.parent.parent / LOCK
    known = _read_lock(path)
    classes = {} if y.dtype.kind == "f" else y.value_counts().sort_index().to_dict()
    now = {"sha256": content_sha256(X, y), "rows": len(X), "features": X.shape[1]}
    now |= {"classes": classes} if classes else {}
    if file.stem not in known:
        text = json.dumps({**known, file.stem: now}, indent=1, sort_keys=True)
        write_atomically(path, (text + "\n").encode())
        return
    then = known[file.stem]
    if then != now:
        names = [n for n in ("rows", "features", "classes") if then.get(n) != now.get(n)]
        moved = [f"{name} were {then.get(name)} and are {now.get(name)}" for name in names]
        raise DataError(
            f"the data have changed since {LOCK} noted them "
            f"({'; '.join(moved) or 'other values in the same shape'}): bring them back, or remove "
            f"{file.stem} from {path}."
        )
