"""Hydra's composition of one experiment; nothing else in retree asks Hydra for anything."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from retree import paths
from retree.errors import RetreeError, unknown_name
from retree.study.folders import DATASETS, PAPER, opened, study_folder, study_names
from retree.study.methods import method_content, method_keys
from retree.yaml_files import read_mapping

FILES = ("protocol", "execution", "preset")
GROUPS = ("paper", "method", "dataset", *FILES)
LISTS = {"datasets": "dataset", "methods": "method"}


def available(group: str) -> list[str]:
    """Return the names that the configuration group `group` (``paper``, ``method``, …) offers."""
    if group == "paper":
        return study_names()
    if group == "method":
        return sorted({key for study in (None, *opened()) for key in method_keys(study)})
    folders = [paths.conf_dir() / group]
    folders += [study / DATASETS for study in opened()] if group == "dataset" else []
    return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})


def compose(overrides: Iterable[str] = ()) -> DictConfig:
    """Return the configuration with Hydra's `overrides`.

    Raises
    ------
    UnknownNameError
        If a name that `overrides` give does not exist.
    RetreeError
        If an override cannot be read, or would have no effect.
    """
    texts = list(overrides)
    parsed = parse(texts)
    for override in parsed:
        _check_form(override)
        _check_names(override)
    _register(parsed)
    try:
        with initialize(version_base="1.3", config_path=None):
            return hydra_compose("config", [_appending(o) for o in parsed])
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, parsed) from error


def expand(overrides: Sequence[str]) -> list[list[str]]:
    """Return the overrides of every experiment of a sweep over comma-separated values."""
    parsed = parse(overrides)
    for override in parsed:
        _check_form(override)
        _check_names(override)
    choices = [
        [f"{o.get_key_element()}={value}" for value in o.sweep_string_iterator()]
        if o.is_discrete_sweep()
        else [str(o.input_line)]
        for o in parsed
    ]
    return [list(texts) for texts in itertools.product(*choices)]


def parse(texts: Sequence[str]) -> list[Override]:
    """Return Hydra's reading of `texts`.

    Raises
    ------
    RetreeError
        If one cannot be read.
    """
    try:
        return OverridesParser.create().parse_overrides(list(texts))
    except HydraException as error:
        raise RetreeError(f"Cannot read the override: {error}") from error


def quoted(value: object) -> str:
    """Return a value as Hydra reads it back, whatever characters it has."""
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _register(overrides: Sequence[Override]) -> None:
    """Tell Hydra of the papers, methods, protocols, … that `overrides` or the defaults name.

    Hydra copies whatever it knows, slowly, so it gets no others.
    """
    config = read_mapping(paths.conf_dir() / "config.yaml")
    chosen = {
        (o.key_or_group, n) for o in overrides if o.key_or_group in GROUPS for n in _values(o)
    }
    presets = {name: _node("preset", name) for group, name in chosen if group == "preset"}
    for content in (config, *presets.values()):
        entries = (e for e in content.get("defaults", ()) if isinstance(e, dict))
        pairs = (pair for entry in entries for pair in entry.items())
        chosen |= {(group.split("/")[-1], name) for group, name in pairs if name is not None}
    store = ConfigStore.instance().store
    store("config", OmegaConf.create(config))
    for group, name in chosen:
        package = "_global_" if group == "preset" else group
        store(name, OmegaConf.create(_node(group, name)), group, package)


def _node(group: str, name: str) -> dict[str, Any]:
    """Return the content of an option of a group."""
    if group == "paper":
        return {"name": name, **read_mapping(study_folder(name) / PAPER)}
    if group == "method":
        study = next(f for f in (None, *opened()) if name in method_keys(f))
        return method_content(name, study)
    if group == "dataset":
        return {"name": name}
    return read_mapping(paths.conf_dir() / group / f"{name}.yaml")


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


def _check_names(override: Override) -> None:
    group = LISTS.get(override.key_or_group, override.key_or_group)
    if group in GROUPS:
        for name in _values(override):
            if name not in available(group):
                raise unknown_name(group, name, available(group))


def _sweep(override: Override) -> list[Any]:
    if override.is_discrete_sweep():
        return [getattr(value, "text", value) for value in override.sweep_iterator()]
    return [override.value()]


def _values(override: Override) -> Iterator[str]:
    for value in _sweep(override):
        for name in value if isinstance(value, list) else [value]:
            if name is not None:
                yield str(name)


def _appending(override: Override) -> str:
    """Return an override as Hydra is to see it: a method takes parameters that it does not list.

    Whether its estimator has them is checked afterwards.
    """
    text = str(override.input_line)
    plain = override.key_or_group.startswith("method.") and not text.startswith(("+", "~"))
    return f"++{text}" if plain else text


def _explained(error: Exception, overrides: Sequence[Override]) -> RetreeError:
    """Return the error for a key that the configuration does not have, or what Hydra says."""
    groups = [str(o.input_line) for o in overrides if o.key_or_group in GROUPS]
    if len(groups) == len(overrides):
        return RetreeError(f"The configuration cannot be composed: {_sentence(error)}")
    content: Any = OmegaConf.to_container(compose(groups))
    for override in overrides:
        level, *parents = content, *override.key_or_group.split(".")
        for i, name in enumerate(parents):
            if not isinstance(level, dict):
                break
            if name not in level and not str(override.input_line).startswith("+"):
                place = ".".join(parents[:i])
                return unknown_name(f"key of {place}" if place else "key", name, level)
            level = level.get(name)
    return RetreeError(f"The configuration cannot be composed: {_sentence(error)}")


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())
