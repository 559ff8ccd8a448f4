"""The data sets that an experiment needs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retree.errors import AwayError, DataError
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import count_replicates

if TYPE_CHECKING:
    from retree_lab.datasets import Dataset


@dataclass(frozen=True)
class Datasets:
    """Data sets by name."""

    loaded: Mapping[str, Dataset]
    lost: Mapping[str, str]  # Why others are not there
    # Why others of the paper are not available, as it says itself
    missing: Mapping[str, str] = field(default_factory=dict)
    # Where each replicate draws its data: what the second and later replicates drew.
    draws: Mapping[str, Sequence[Dataset]] = field(default_factory=dict)
    # Names in `lost` that are available elsewhere, and are not refused.
    away: frozenset[str] = frozenset()

    @property
    def every(self) -> list[Dataset]:
        """All that were loaded, with all draws."""
        return [*self.loaded.values(), *itertools.chain(*self.draws.values())]

    def find(self, name: str, sha256: str) -> Dataset:
        """Return a data set, or the draw of it, by the hash of its content."""
        draws = (draw for draw in self.draws.get(name, ()) if draw.sha256 == sha256)
        return next(draws, self.loaded[name])


def load_datasets(experiment: Experiment) -> Datasets:
    """Load every data set that the experiment's items need, as far as they are available."""
    from retree_lab.datasets import load_dataset, load_draw

    loaded, lost, away = {}, {}, set[str]()
    missing = experiment.paper.missing
    for name in dict.fromkeys(name for item in experiment.items for name in item.datasets):
        if name in missing:
            continue
        try:
            loaded[name] = load_dataset(name, sources=experiment.sources)
        except DataError as error:
            lost[name] = str(error)
            away.update([name] if isinstance(error, AwayError) else [])
    most = {
        name: max(
            count_replicates(item, name) for item in experiment.items if name in item.datasets
        )
        for name in experiment.paper.drawn_anew
        if name in loaded
    }
    draws = {name: [load_draw(name, i) for i in range(1, count)] for name, count in most.items()}
    return Datasets(loaded, lost, missing, draws, frozenset(away))
