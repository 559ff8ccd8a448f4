"""Hydra overrides checked by name: a misspelt one is answered with the nearest valid ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, ListConfig, OmegaConf

from retree import paths
from retree.datasets.catalogue import SOURCES
from retree.errors import RetreeError, unknown_name
from retree.experiments.config import available

GROUPS = ("paper", "protocol", "execution", "method", "dataset", "preset")
LISTS = {"datasets": "dataset", "methods": "method"}


def check_overrides(texts: Sequence[str]) -> None:
    """Check the names in Hydra overrides, each value of a sweep included.

    Raises
    ------
    UnknownNameError
        If a paper, item, data set, method, protocol, preset or source does not exist.
    RetreeError
        If an override cannot be read, or would have no effect.
    """
    try:
        overrides = OverridesParser.create().parse_overrides(list(texts))
    except HydraException as error:
        raise RetreeError(f"Cannot read the override: {error}") from error
    papers = [name for o in overrides if o.key_or_group == "paper" for name in _values(o)]
    for override in overrides:
        key = override.key_or_group
        if key.startswith("dataset."):
            raise RetreeError(f"{key} cannot be overridden: edit the data set's file instead.")
        if key in GROUPS and None in _sweep(override) and not override.is_delete():
            raise RetreeError(f"{key} needs a name; leave it out to have none.")
        if key in GROUPS and any(isinstance(value, list) for value in _sweep(override)):
            raise RetreeError(f"{key} takes one name; to restrict an item say {key}s=[NAME,NAME].")
        kind, valid = _valid_names(key, papers)
        for name in _values(override) if valid else ():
            if name not in valid:
                raise unknown_name(kind, name, valid)


def _valid_names(key: str, papers: Sequence[str]) -> tuple[str, list[str]]:
    """Return what the values of the override `key` are called, and which ones there are."""
    if key in GROUPS:
        return key, available(key)
    if key in LISTS:
        return LISTS[key], available(LISTS[key])
    if key == "data.sources":
        return "source", list(SOURCES)
    return "item", [*_items(papers), "all"] if key == "item" else []


def _items(papers: Sequence[str]) -> Iterator[str]:
    for paper in papers or [_default_paper()]:
        yield from OmegaConf.select(_load(f"paper/{paper}.yaml"), "items")


def _default_paper() -> str:
    defaults = OmegaConf.select(_load("config.yaml"), "defaults")
    return next(d["paper"] for d in defaults if OmegaConf.is_dict(d) and "paper" in d)


def _load(path: str) -> DictConfig | ListConfig:
    return OmegaConf.load(paths.conf_dir() / path)


def _sweep(override: Override) -> list[Any]:
    if override.is_discrete_sweep():
        return [getattr(value, "text", value) for value in override.sweep_iterator()]
    return [override.value()]


def _values(override: Override) -> Iterator[str]:
    for value in _sweep(override):
        for name in value if isinstance(value, list) else [value]:
            if name is not None:
                yield str(name)
