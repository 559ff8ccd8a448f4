"""Finding the cells behind a number in a table, or the cell of a key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from retree.errors import RetreeError, UnknownNameError, unknown_name
from retree_lab.commands.show import USAGE
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import NESTED as SELECTED
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.keys import KEY_DIGITS
from retree_lab.experiments.storing.exports import export_folders
from retree_lab.experiments.storing.store import Store
from retree_lab.statistics.metrics import METRICS, NESTED, OPTIMISM, nested_name
from retree_lab.study.composing import compose

T = TypeVar("T")


class Place(NamedTuple):
    """The number in a table, or with `key` the cell, that ``retree show`` is asked for."""

    paper: str
    item: str
    dataset: str
    method: str
    key: str | None = None


@dataclass(frozen=True)
class Number:
    """A number in a table."""

    experiment: Experiment  # Its one item has one data set and one method
    key: str | None  # The first digits of the key of the one cell that is asked for

    @property
    def item(self) -> Item:
        """The item that the number stands in, restricted to its data set and method."""
        return self.experiment.items[0]

    @property
    def method(self) -> Method:
        """The method."""
        return self.item.methods[0]

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.item.datasets[0]


def read_place(names: Sequence[str], overrides: Sequence[str]) -> Place:
    """Return the place that the arguments of ``retree show`` name."""
    if len(names) == len(Place._fields) - 1:
        return Place(*names)
    if len(names) == 1 and re.fullmatch(r"[0-9a-f]{8,64}", names[0]):
        return _place_of_key(names[0], overrides)
    raise UnknownNameError(f"Usage: {USAGE}, with a key of 8 to 64 hex digits.")


def find_number(place: Place, overrides: Sequence[str]) -> Number:
    """Return the number at `place`; data set and method may be called as published or by key."""
    paper = place.paper
    experiment = load_experiment(compose([f"paper={paper}", f"item={place.item}", *overrides]))
    if place.item not in experiment.paper.items:
        raise unknown_name(f"item of {paper}", place.item, experiment.paper.items)
    item = experiment.items[0]
    if not item.datasets or not item.methods:
        raise RetreeError(f"{item.name} has no cells behind it: name another item of {paper}.")
    sets = item.datasets_by_label | {name: name for name in item.datasets}
    methods = {m.key: m for m in item.methods} | {m.name: m for m in item.methods}
    kind = f"of {item.name}"
    one = replace(
        item,
        datasets=(_known(f"data set {kind}", place.dataset, sets),),
        methods=(_known(f"method {kind}", place.method, methods),),
    )
    return Number(replace(experiment, items=(one,)), place.key)


def find_metric_name(item: Item, wanted: str | None) -> str:
    """Return the metric called `wanted`, by default the first one of `item`."""
    if wanted is None:
        metric_names = item.kind.metric_names
        return (*metric_names, "accuracy")[0]
    left_out = NESTED, OPTIMISM
    valid = [name for name, m in METRICS.items() if m.column and name not in left_out]
    valid += item.scores
    valid += [nested_name(name) for name in valid] if SELECTED in item.select else []
    if wanted not in valid:
        raise unknown_name(f"metric of {item.name}", wanted, valid)
    return wanted


def _known(kind: str, name: str, valid: Mapping[str, T]) -> T:
    if name not in valid:
        raise unknown_name(kind, name, valid)
    return valid[name]


def _place_of_key(key: str, overrides: Sequence[str]) -> Place:
    config = compose(overrides)
    folders = dict.fromkeys(Path(f) for f in (config["committed"], config["results"]) if f)
    papers = [paper for folder in folders for paper in export_folders(folder)]
    places: dict[str, Place] = {}
    with Store(Path(config["store"]), readonly=True, committed=papers) as store:
        store.take_in()
        for folder, items, dataset, method, whole in store.committed.places(key):
            place = Place(Path(folder).name, items.split()[0], dataset, method, whole)
            places.setdefault(whole, place)
    if len(places) != 1:
        where = " and ".join(map(str, folders))
        what = f"{len(places)} cells have" if places else "no cell has"
        raise UnknownNameError(
            f"In {where} {what} a key that begins with {key}: give its first {KEY_DIGITS} digits, "
            "from the column key of cells.csv.gz."
        )
    return next(iter(places.values()))
