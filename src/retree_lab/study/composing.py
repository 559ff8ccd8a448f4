"""One experiment from files and overrides.

Hydra composes what `config.yaml` and presets say, and the names of papers, methods, protocols and
executions. What the files of these hold never enters it: overrides as ``method.k=2`` are applied to
the mappings that are read, so that texts of a study are texts.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml
from hydra import compose as hydra_compose
from hydra import initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from retree.errors import RetreeError, unknown_name
from retree_lab import paths
from retree_lab.study.available import (
    GROUPS,
    PRESET,
    method_home,
    protocol_content,
    quickstart_file,
)
from retree_lab.study.folders import PAPER, study_folder
from retree_lab.study.methods import method_content
from retree_lab.study.overrides import (
    apply,
    check_form,
    check_names,
    merged,
    override_values,
    parse,
)
from retree_lab.yaml_files import read_mapping

# What Hydra reads for its own command line, which retree does not have; reading it takes long.
UNUSED = (
    *("output", "launcher", "sweeper", "help", "hydra_help", "hydra_logging", "job_logging"),
    "env",
)
# Groups whose files are read here, after Hydra has chosen the names.
READ = ("paper", "method", "protocol", "execution")
TOUCHED = "paper_touched"
# Contents by group and name; the group of config.yaml is None.
Nodes = dict[tuple[str | None, str], dict[str, Any]]
_KNOWN: dict[str, dict[str, Any]] = {}


def compose(overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Return the configuration with Hydra's `overrides`, as plain values.

    `TOUCHED` tells whether an override or a preset changes what the paper's file says.
    """
    parsed = parse(list(overrides))
    for override in parsed:
        check_form(override)
        check_names(override)
    inside = [o for o in parsed if o.key_or_group.startswith(tuple(f"{group}." for group in READ))]
    named = [o for o in parsed if o not in inside]
    nodes = _nodes(named)
    config = {**nodes[None, "config"], **dict.fromkeys(GROUPS)}
    del config["defaults"]
    for override in named:
        _check_key(override, config)
    chosen, values = _split(named)
    content = _composed([str(o.input_line) for o in chosen], nodes)
    for override in values:
        content = apply(override, content)
    touched = len(content["paper"]) > 1 or any(o.key_or_group.startswith("paper.") for o in inside)
    for group in READ:
        name, given = content[group].pop("name"), content[group]
        content[group] = merged(_node(group, name), given)
    for override in inside:
        content = apply(override, content)
    return content | {TOUCHED: touched}


def print_composed(contents: Sequence[Mapping[str, Any]], grid: Mapping[str, Any]) -> None:
    """Print the composed configuration as YAML, a document for each combination of a sweep.

    `grid`: the values of parameters that are swept, which are below ``sweep``.
    """
    swept = {"sweep": {name: list(values) for name, values in grid.items()}} if grid else {}
    plain = [{k: v for k, v in content.items() if k != TOUCHED} | swept for content in contents]
    texts = json.loads(json.dumps(plain, default=str))
    print(yaml.safe_dump_all(texts, sort_keys=False, allow_unicode=True), end="")


def _split(overrides: Sequence[Override]) -> tuple[list[Override], list[Override]]:
    """Return the overrides that Hydra has to see, and the ones that only give a value.

    Where one refers to another value, Hydra sees all.
    """
    if any("${" in str(o.input_line) for o in overrides):
        return list(overrides), []
    plain = [o for o in overrides if o.key_or_group not in GROUPS and _gives_value(o)]
    return [o for o in overrides if o not in plain], plain


def _gives_value(override: Override) -> bool:
    value = override.value()
    changes = override.is_delete() or override.is_add() or override.is_sweep_override()
    return not changes and not isinstance(value, dict) and value != "???"


def _nodes(overrides: Sequence[Override]) -> Nodes:
    """Return the content of ``config.yaml`` and presets, and the names of all that is chosen."""
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
    nodes: Nodes = {(None, "config"): config}
    nodes |= {(group, name): {"name": name} for group, name in chosen if group != "preset"}
    return nodes | {("preset", name): _as_text(content) for name, content in presets.items()}


def _as_text(value: Any) -> Any:
    """Return a value in which nothing is an interpolation for OmegaConf."""
    if isinstance(value, dict):
        return {key: _as_text(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_text(part) for part in value]
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", value) if isinstance(value, str) else value


def _composed(overrides: Sequence[str], nodes: Nodes) -> dict[str, Any]:
    """Return the configuration that Hydra composes; equal choices are composed once."""
    key = repr((overrides, nodes))
    if "${" in key:
        return _composed_anew(overrides, nodes)
    if key not in _KNOWN:
        _KNOWN[key] = _composed_anew(overrides, nodes)
    return copy.deepcopy(_KNOWN[key])


def _composed_anew(overrides: Sequence[str], nodes: Nodes) -> dict[str, Any]:
    """Let Hydra compose, and forget: it copies all that it knows every time."""
    store = ConfigStore.instance()
    for (group, name), content in nodes.items():
        package = "_global_" if group == "preset" else group
        store.store(name, OmegaConf.create(content), group, package)
    try:
        # A module without configuration: all stands in the store.
        with initialize_config_module(__package__, version_base="1.3"):
            config = hydra_compose("config", list(overrides))
        return OmegaConf.to_container(config, resolve=True)  # type: ignore[return-value]
    except (HydraException, OmegaConfBaseException) as error:
        text = " ".join(str(error).split())
        raise RetreeError(f"The configuration cannot be composed: {text}") from error
    finally:
        for group, name in nodes:
            store.repo.pop(group or f"{name}.yaml", None)


def _node(group: str, name: str) -> dict[str, Any]:
    """Return the content of an option of a group."""
    if group == "paper":
        return {"name": name, **read_mapping(study_folder(name) / PAPER)}
    if group == "method":
        return method_content(name, method_home(name))
    if group == "protocol":
        return protocol_content(name)
    if group == "preset":
        paper = name.removeprefix(PRESET)
        return {"defaults": [{"override /paper": paper}], **read_mapping(quickstart_file(paper))}
    return read_mapping(paths.conf_dir() / group / f"{name}.yaml")


def _check_key(override: Override, content: Mapping[str, Any]) -> None:
    """Refuse an override of a key that `content`, the content of ``config.yaml``, does not have."""
    level: Any = content
    parents: list[str] = []
    for name in override.key_or_group.split("@")[0].split("."):
        valid = level if isinstance(level, dict) else {}
        if name not in valid:
            place = ".".join(parents)
            raise unknown_name(f"key of {place}" if place else "key", name, valid)
        level = level[name]
        parents.append(name)
