"""Hydra's composition of one experiment; nothing else in retree asks Hydra for anything."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from retree import paths
from retree.errors import RetreeError, unknown_name
from retree.study.archive_index import archived_sets
from retree.study.folders import DATASETS, PAPER, opened, study_folder, study_names
from retree.study.methods import method_content, method_keys
from retree.yaml_files import list_yaml, read_mapping

FILES = ("protocol", "execution", "preset")
GROUPS = ("paper", "method", "dataset", *FILES)
LISTS = {"datasets": "dataset", "methods": "method"}
# What Hydra reads for its own command line, which retree does not have; reading it takes long.
UNUSED = (
    *("output", "launcher", "sweeper", "help", "hydra_help", "hydra_logging", "job_logging"),
    "env",
)

# Contents of files by group and name; the group of config.yaml is None.
Nodes = dict[tuple[str | None, str], dict[str, Any]]


def available(group: str) -> list[str]:
    """Return the names that the configuration group `group` (``paper``, ``method``, …) offers."""
    if group == "paper":
        return study_names()
    if group == "method":
        return sorted({key for study in _studies() for key in method_keys(study)})
    folders = [paths.conf_dir() / group]
    folders += [study / DATASETS for study in opened()] if group == "dataset" else []
    others = archived_sets() if group == "dataset" else ()
    return sorted({path.stem for folder in folders for path in list_yaml(folder)} | {*others})


def _studies() -> list[Path | None]:
    """Return where methods may stand: retree's own, opened studies, papers."""
    return [None, *opened(), *map(study_folder, study_names())]


def method_home(key: str) -> Path | None:
    """Return the study or paper that has a method of its own called `key`, None if none has."""
    return next((study for study in _studies() if key in method_keys(study)), None)


def compose(overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Return the configuration with Hydra's `overrides`, as plain values.

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
    nodes = _nodes(parsed)
    apart = {} if _needs_papers(nodes, parsed) else _take_papers(nodes)
    task = _Task(tuple(map(_appending, parsed)), repr(nodes), nodes)
    try:
        # What looks things up may find something else next time.
        content = deepcopy(_remembered(task)) if apart else _composed(task)
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, parsed) from error
    _check_keys(content, nodes)
    if apart and "paper" in content:
        content["paper"] = apart[content["paper"]["name"]]
    return content


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


def _nodes(overrides: Sequence[Override]) -> Nodes:
    """Return the content of ``config.yaml``, and of all that it, `overrides` or a preset names."""
    config = read_mapping(paths.conf_dir() / "config.yaml")
    chosen = {
        (o.key_or_group, n) for o in overrides if o.key_or_group in GROUPS for n in _values(o)
    }
    presets = {name: _node("preset", name) for group, name in chosen if group == "preset"}
    for content in (config, *presets.values()):
        entries = (e for e in content.get("defaults", ()) if isinstance(e, dict))
        pairs = (pair for entry in entries for pair in entry.items())
        chosen |= {(group.split("/")[-1], name) for group, name in pairs if name is not None}
    config["defaults"] += [{f"override hydra/{name}": None} for name in UNUSED]
    return {(None, "config"): config, **{(g, name): _node(g, name) for g, name in chosen}}


def _needs_papers(nodes: Nodes, overrides: Sequence[Override]) -> bool:
    """Tell whether anything may change the content of a paper, or look into it."""
    if any(o.key_or_group.startswith("paper.") or "${" in str(o.input_line) for o in overrides):
        return True
    roots = (content for (group, _), content in nodes.items() if group in (None, "preset"))
    return any("paper" in content for content in roots) or not all(map(_is_plain, nodes.values()))


def _take_papers(nodes: Nodes) -> dict[str, dict[str, Any]]:
    """Reduce the papers among `nodes` to their names, and return their contents by name.

    Hydra copies whatever it is given many times, and a paper is long.
    """
    apart = {name: content for (group, name), content in nodes.items() if group == "paper"}
    nodes.update({("paper", name): {"name": name} for name in apart})
    return apart


def _is_plain(value: Any) -> bool:
    """Tell whether OmegaConf would return a value unchanged."""
    if isinstance(value, dict):
        keys = all(isinstance(key, str | int | float) for key in value)
        return keys and all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, str):
        return "${" not in value
    return value is None or isinstance(value, int | float)


@dataclass(frozen=True)
class _Task:
    """What Hydra is to compose: overrides, and contents of files with their text for comparison."""

    overrides: tuple[str, ...]
    text: str
    nodes: Nodes = field(compare=False)


def _composed(task: _Task) -> dict[str, Any]:
    """Let Hydra compose, and forget: it copies all that it knows every time."""
    store = ConfigStore.instance()
    for (group, name), content in task.nodes.items():
        package = "_global_" if group == "preset" else group
        store.store(name, OmegaConf.create(content), group, package)
    try:
        with initialize(version_base="1.3", config_path=None):
            config = hydra_compose("config", list(task.overrides))
    finally:
        for group, name in task.nodes:
            store.repo.pop(group or f"{name}.yaml", None)
    found: dict[str, Any] = OmegaConf.to_container(config, resolve=True)  # type: ignore[assignment]
    return found


_remembered = lru_cache(maxsize=128)(_composed)


def _node(group: str, name: str) -> dict[str, Any]:
    """Return the content of an option of a group."""
    if group == "paper":
        return {"name": name, **read_mapping(study_folder(name) / PAPER)}
    if group == "method":
        return method_content(name, method_home(name))
    if group == "dataset":
        return {"name": name}
    return read_mapping(paths.conf_dir() / group / f"{name}.yaml")


def _check_keys(content: Mapping[str, Any], nodes: Nodes) -> None:
    """Refuse keys that an override has added and that nothing reads."""
    known: dict[str, Any] = dict.fromkeys((*nodes[None, "config"], *GROUPS))
    # A key that any file of the group has may be added to another.
    for group in ("protocol", "execution"):
        known[group] = {key: None for name in available(group) for key in _node(group, name)}
    for key, value in content.items():
        if key not in known:
            raise unknown_name("key", key, known)
        for name in value if known[key] is not None else ():
            if name not in known[key]:
                raise unknown_name(f"key of {key}", name, known[key])


def _check_form(override: Override) -> None:
    key = override.key_or_group
    if key.partition(".")[0].partition("/")[0] == "hydra":
        raise RetreeError(f"{key} is of Hydra's own command line, which retree does not have.")
    if override.is_delete() and not key.startswith(("paper.", "method.")):
        raise RetreeError(f"{key} cannot be removed: leave out ~{key}.")
    if key.startswith("dataset."):
        raise RetreeError(f"{key} cannot be overridden: edit the data set's file instead.")
    if key not in GROUPS:
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
    content: Any = compose(groups)
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
