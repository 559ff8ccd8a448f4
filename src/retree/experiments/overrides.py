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
from retree.experiments.config import RESERVED, available, load_method, method_parameters

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
    overrides = _parse(texts)
    for override in overrides:
        _check_form(override)
        _check_group(override)
    papers = _chosen("paper", overrides)
    for override in overrides:
        key = override.key_or_group
        if key == "item":
            _check_names(override, "item", [*_items(papers), "all"])
        if key.startswith("method."):
            _check_parameter(key.split(".")[1], _chosen("method", overrides))


def _parse(texts: Sequence[str]) -> list[Override]:
    try:
        return OverridesParser.create().parse_overrides(list(texts))
    except HydraException as error:
        raise RetreeError(f"Cannot read the override: {error}") from error


def _check_form(override: Override) -> None:
    key = override.key_or_group
    if key.startswith("dataset."):
        raise RetreeError(f"{key} cannot be overridden: edit the data set's file instead.")
    if key not in GROUPS or override.is_delete():
        return
    for value in _sweep(override):
        if value is None or value == "":
            raise RetreeError(f"{key} needs a name; leave it out to have none.")
        if isinstance(value, list):
            raise RetreeError(f"{key} takes one name; to restrict an item say {key}s=[NAME,NAME].")


def _check_group(override: Override) -> None:
    key = override.key_or_group
    if key in GROUPS:
        _check_names(override, key, available(key))
    elif key in LISTS:
        _check_names(override, LISTS[key], available(LISTS[key]))
    elif key == "data.sources":
        _check_names(override, "source", SOURCES)


def _check_names(override: Override, kind: str, valid: Sequence[str]) -> None:
    for name in _values(override):
        if name not in valid:
            raise unknown_name(kind, name, valid)


def _check_parameter(name: str, methods: Sequence[str]) -> None:
    for method in map(load_method, methods):
        valid = [*RESERVED, *method_parameters(method)]
        if method.missing is None and name not in valid:
            raise unknown_name(f"parameter of {method.name}", name, valid)


def _chosen(group: str, overrides: Sequence[Override]) -> list[str]:
    """Return the names that `overrides` choose of `group`, or else a preset or the default."""
    names = [name for o in overrides if o.key_or_group == group for name in _values(o)]
    presets = [name for o in overrides if o.key_or_group == "preset" for name in _values(o)]
    return names or [n for p in presets for n in _of_preset(p, group)] or [_default(group)]


def _of_preset(preset: str, group: str) -> list[str]:
    defaults = OmegaConf.select(_load(f"preset/{preset}.yaml"), "defaults") or ()
    return [d[f"override /{group}"] for d in defaults if f"override /{group}" in d]


def _items(papers: Sequence[str]) -> Iterator[str]:
    for paper in papers:
        yield from OmegaConf.select(_load(f"paper/{paper}.yaml"), "items")


def _default(group: str) -> str:
    defaults = OmegaConf.select(_load("config.yaml"), "defaults")
    return next(d[group] for d in defaults if OmegaConf.is_dict(d) and group in d)


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
