"""The index of results: how many rows each learner gets right on each data set by each protocol."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.errors import RetreeError, unknown_name
from retree_lab import paths
from retree_lab.plain_files import write_atomically
from retree_lab.study.catalogue import find_known, plain_name


@dataclass(frozen=True)
class Index:
    """Accuracies by data set, learner and protocol.

    Shapes: `accuracy`, `std` (n_datasets, n_learners, n_protocols).
    `keys`: by which `load_dataset` finds each data set, "" for one of the user's.
    `rows`: of each data set, shape (n_datasets,). `accuracy`: shares of right rows, NaN where none
    was computed. `std`: their sample deviation over the folds, NaN where rows are counted together.
    `folds`: of each protocol, shape (n_protocols,).
    """

    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    protocols: tuple[str, ...]
    keys: tuple[str, ...]
    folds: NDArray[np.int64]
    rows: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    std: NDArray[np.float64]
    aliases: Mapping[str, str] = field(default_factory=dict)  # Other names of its data sets
    # By data set, learner and protocol a hash of what its numbers depend on
    made: Mapping[str, str] = field(default_factory=dict)

    def place(self, name: str) -> int:
        """Return which data set is called `name`.

        Raises
        ------
        UnknownNameError
            If none is; it names the nearest.
        """
        at = {plain_name(key): i for i, key in enumerate(self.keys) if key}
        names = {plain_name(dataset): i for i, dataset in enumerate(self.datasets)}
        at |= {plain_name(new): names[plain_name(old)] for new, old in self.aliases.items()} | names
        asked = (name, getattr(find_known(name), "key", name))
        place = next((at[key] for each in asked if (key := plain_name(each)) in at), None)
        if place is None:
            raise unknown_name("data set", name, [*self.datasets, *self.aliases])
        return place

    def with_data(self, name: str, other: Index) -> Index:
        """Return the index with the one data set of `other`, called `name`, in place of its own."""
        kept = [i for i, n in enumerate(self.datasets) if plain_name(n) != plain_name(name)]
        arrays: dict[str, Any] = {
            key: np.concatenate([getattr(self, key)[kept], getattr(other, key)]) for key in _ARRAYS
        }
        names = (*(self.datasets[i] for i in kept), name)
        keys = (*(self.keys[i] for i in kept), *other.keys)
        return replace(self, datasets=names, keys=keys, **arrays)

    def save(self, file: Path) -> None:
        """Write the index, compressed."""
        content = io.BytesIO()
        keys = (*_TEXTS, "folds", *_ARRAYS)
        arrays: dict[str, Any] = {key: np.array(getattr(self, key)) for key in keys}
        for key in _MAPPINGS:
            arrays[key] = np.array([*getattr(self, key).items()] or np.empty((0, 2), "U1"))
        np.savez_compressed(content, **arrays)
        write_atomically(file, content.getvalue())


_TEXTS = ("datasets", "learners", "protocols", "keys")
_MAPPINGS = ("aliases", "made")
_ARRAYS = ("rows", "accuracy", "std")


def index_file() -> Path:
    """Return the file of the committed index."""
    return paths.project_dir() / "data" / "index.npz"


@cache
def read_index() -> Index:
    """Return the committed index."""
    try:
        with np.load(index_file(), allow_pickle=False) as content:
            arrays: dict[str, Any] = {key: content[key] for key in content.files}
            texts = {key: tuple(arrays[key].tolist()) for key in _TEXTS}
            numbers = {key: arrays[key] for key in ("folds", *_ARRAYS)}
            mappings = {key: dict(arrays[key].tolist()) for key in _MAPPINGS}
            return Index(**texts, **numbers, **mappings)  # type: ignore[arg-type]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RetreeError(
            f"{index_file()} cannot be read ({error}): make index computes it."
        ) from error
