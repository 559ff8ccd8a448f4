"""Everything in the store compared with everything else that is known about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.experiments.definition.own_splits import OwnSplit
from retree.experiments.definition.protocol import SPLITTERS, Protocol
from retree.experiments.planning.splits import Rows, split_rows
from retree.experiments.storing.digest import CELL_DIGITS, outputs_digest, tree_digest
from retree.experiments.storing.integrity import Damage, find_flaw, outputs_hash
from retree.experiments.storing.outcome import unpack_predictions, unpack_tree
from retree.experiments.storing.store import Store
from retree.experiments.storing.store_rows import StoredRow

Labels = Mapping[str, NDArray[np.intp]]


@dataclass(frozen=True)
class StoreCheck:
    """What going through a store found."""

    rows: int
    scored: int  # Rows whose accuracy was counted again from the stored predictions
    damaged: tuple[Damage, ...]  # The rows that are not believed


def check_store(store: Store, labels: Labels) -> StoreCheck:
    """Go through all rows of `store`; nothing is changed.

    Shapes: `labels` (n_samples,).
    `labels`: class codes of data sets by the hash of their content. The accuracy on other data is
    not counted again.
    """
    damaged, rows, scored = [], 0, 0
    for stored in store.rows():
        rows += 1
        flaw = find_flaw(stored.row, stored.values, stored.seal, stored.predictions is not None)
        flaw = flaw or stored.flaw
        if not flaw and stored.predictions is not None:
            scored += stored.row["data"] in labels
            flaw = _outputs_flaw(stored, labels)
        damaged += [Damage(stored.row["key"], stored.row, flaw)] if flaw else []
    return StoreCheck(rows, scored, tuple(damaged))


def check_outputs(store: Store, labels: Labels, keys: Sequence[str]) -> list[Damage]:
    """Return those cells of `keys` that their stored predictions contradict, though sealed.

    `keys`: keys of cells; of those without stored predictions, such as restored ones, nothing is
    said.
    """
    found = ((stored, _outputs_flaw(stored, labels)) for stored in store.rows_with_outputs(keys))
    return [Damage(stored.row["key"], stored.row, flaw) for stored, flaw in found if flaw]


def _outputs_flaw(stored: StoredRow, labels: Labels) -> str:
    """Return how the stored outputs contradict the row, "" if they do not."""
    row = stored.row
    if outputs_hash(stored.predictions, stored.tree) != row["outputs"]:
        return "its predictions or its tree were edited"
    predicted = unpack_predictions(stored.predictions or b"")
    if len(predicted) != row["n_test"]:
        return f"it has {len(predicted)} predictions for {row['n_test']} test rows"
    if stored.tree is not None:
        digest = outputs_digest(tree_digest(_Fitted(stored.tree)), predicted)
        if digest != row["digest"]:
            return "its digest is not that of its tree and predictions"
    elif len(row["digest"] or "") != CELL_DIGITS:
        return "it has no digest"
    known = labels.get(row["data"])
    # Of splits by groups or by a file the row has only a hash.
    if known is None or known.dtype.kind == "f" or '"content"' in row["protocol"]:
        return ""
    accuracy = float(np.mean(predicted == known[_test_rows(row, known)]))
    if accuracy != row["accuracy"]:
        return f"its accuracy is {row['accuracy']}, that of its predictions {accuracy}"
    return ""


@dataclass(frozen=True)
class _Fitted:
    """A stored tree in the place of the estimator that grew it."""

    packed: bytes

    @cached_property
    def tree_(self) -> Any:
        return unpack_tree(self.packed)


def _test_rows(row: Mapping[str, Any], y: NDArray[np.intp]) -> Rows:
    place = row["repeat"], row["fold"], row["inner"]
    return _split(row["data"], row["protocol"], place, _Hidden(y))


class _Hidden:
    """Labels that a cache does not look at: the hash of the data stands for them."""

    def __init__(self, y: NDArray[np.intp]) -> None:
        self.y = y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hidden)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=64)
def _split(data: str, protocol: str, place: tuple[int, int, int], labels: _Hidden) -> Rows:
    content = {name: value for name, value in json.loads(protocol).items() if name != "alone"}
    if content.get("splitter", SPLITTERS[0]) not in SPLITTERS:
        names = [name for name in ("splitter", "test_share", "arguments") if name in content]
        content["own"] = OwnSplit(**{name: content.pop(name) for name in names})
    defaults = {"stratified": False, "shuffle": False, "inner_folds": 0}
    split = Protocol(name="", repeats=1, **{**defaults, **content})
    return split_rows(split, labels.y, *place)[1]
