"""Hydra's composition of one experiment from files and overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from retree import paths
from retree.errors import RetreeError, unknown_name
from retree.study.available import GROUPS, PRESET, available, method_home, quickstart_file
from retree.study.folders import PAPER, study_folder
from retree.study.methods import method_content
from retree.study.overrides import appending, check_form, check_names, override_values, parse
from retree.study.protocols import protocol_content
from retree.yaml_files import read_mapping

# What Hydra reads for its own command line, which retree does not have; reading it takes long.
UNUSED = (
    *("output", "launcher", "sweeper", "help", "hydra_help", "hydra_logging", "job_logging"),
    "env",
)
# Contents of files by group and name; the group of config.yaml is None.
Nodes = dict[tuple[str | None, str], dict[str, Any]]


def compose(overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Return the configuration with Hydra's `overrides`, as plain values."""
    texts = list(overrides)
    parsed = parse(texts)
    for override in parsed:
        check_form(override)
        check_names(override)
    nodes = _nodes(parsed)
    apart = {} if _needs_papers(nodes, parsed) else _take_papers(nodes)
    task = _Task(tuple(map(appending, parsed)), repr(nodes), nodes)
    try:
        # What looks things up may find something else next time.
        content = deepcopy(_remembered(task)) if apart else _composed(task)
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, parsed) from error
    _check_keys(content, nodes)
    if apart and "paper" in content:
        content["paper"] = apart[content["paper"]["name"]]
    return content


def _nodes(overrides: Sequence[Override]) -> Nodes:
    """Return the content of ``config.yaml``, and of all that it, `overrides` or a preset names."""
    config = read_mapping(paths.conf_dir() / "config.yaml")
    chosen = {
        (o.key_or_group, n)
        for o in overrides
        if o.key_or_group in GROUPS
        for n in override_values(o)
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
    if group == "protocol":
        return protocol_content(name)
    if group == "preset":
        paper = name.removeprefix(PRESET)
        return {"defaults": [{"override /paper": paper}], **read_mapping(quickstart_file(paper))}
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
