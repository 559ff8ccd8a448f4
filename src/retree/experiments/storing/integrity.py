"""Whether a stored row is as it was written, and can be true."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from retree.experiments.planning.splits import inner_words

SEAL_DIGITS = 16
SHOWN_DAMAGES = 5


class Damage(NamedTuple):
    """A stored row that is not believed, and why."""

    key: str
    row: Mapping[str, Any]
    flaw: str

    def __str__(self) -> str:
        row = self.row
        place = f"repeat {row['repeat']}, fold {row['fold']}{inner_words(row['inner'])}"
        return f"{row['method']} on {row['dataset']}, {place} ({self.flaw})"


def damage_sentence(path: Path, damaged: Sequence[Damage], *, stays: bool) -> str:
    """Return which cells of the store at `path` are damaged, and whether they stay there."""
    shown = "; ".join(map(str, damaged[:SHOWN_DAMAGES]))
    more = f"; and {len(damaged) - SHOWN_DAMAGES} more" if len(damaged) > SHOWN_DAMAGES else ""
    many = "1 damaged cell" if len(damaged) == 1 else f"{len(damaged)} damaged cells"
    fate = "left out" if stays else "set aside, to be computed again"
    return f"{path}: {many} {fate}: {shown}{more}."


def seal(values: Sequence[Any]) -> str:
    """Return the checksum over the values of a row, in the order of the columns."""
    texts = [repr(float(v)) if isinstance(v, (int, float)) else repr(v) for v in values]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:SEAL_DIGITS]


def outputs_hash(predictions: bytes | None, tree: bytes | None) -> str:
    """Return the checksum of a cell's packed predictions and tree."""
    parts = (hashlib.sha256(blob or b"").digest() for blob in (predictions, tree))
    return hashlib.sha256(b"".join(parts)).hexdigest()[:SEAL_DIGITS]


def find_flaw(row: Mapping[str, Any], values: Sequence[Any], sealed: str, has_outputs: bool) -> str:
    """Return what is wrong with a stored row, "" if nothing is."""
    if seal(values) != sealed:
        return "it was edited"
    if row["error"] is None and row["outputs"] is not None and not has_outputs:
        return "its predictions were deleted"
    return find_impossible(row)


def find_impossible(row: Mapping[str, Any]) -> str:
    """Return which value of a row cannot be, "" if all can, or if its cell failed."""
    if row["error"] is not None:
        return ""
    accuracy, n_test, leaves = row["accuracy"], row["n_test"], row["leaves"]
    if n_test is None or n_test < 1:
        return f"it has {n_test} test rows"
    # A regression has none.
    if accuracy is not None and not 0.0 <= accuracy <= 1.0:
        return f"its accuracy is {accuracy}"
    if accuracy is not None and abs(accuracy * n_test - round(accuracy * n_test)) > 1e-6:
        return f"no number of {n_test} rows gives the accuracy {accuracy}"
    for name, least in (("depth", 0), ("leaves", 1), ("nodes", leaves or 1)):
        if row[name] is not None and not row[name] >= least:
            return f"its {name} is {row[name]:g}"
    return ""
