"""One experiment from files and overrides.

The overrides are written in Hydra's grammar. They choose names of papers, methods, protocols and
executions, and change values of `config.yaml` and of the files that are chosen; texts of files are
texts, whatever they look like.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml
from hydra.core.override_parser.types import Override

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
from retree_lab.study.overrides import apply, check_form, check_names, merged, parse, plain_value
from retree_lab.yaml_files import read_mapping

# Groups whose files are read, after the names are chosen.
READ = ("paper", "method", "protocol", "execution")
TOUCHED = "paper_touched"


def compose(overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Return the configuration with Hydra's `overrides`, as plain values.

    `TOUCHED` tells whether an override or a preset changes what the paper's file says.
    """
    parsed = parse(list(overrides))
    for override in parsed:
        check_form(override)
        check_names(override)
    inside = [o for o in parsed if o.key_or_group.startswith(tuple(f"{group}." for group in READ))]
    content = _with_names([o for o in parsed if o.key_or_group in GROUPS])
    for override in (o for o in parsed if o.key_or_group not in GROUPS and o not in inside):
        _check_key(override, content)
        content = apply(override, content)
        if "${" in str(override.input_line):
            content = _interpolated(override.key_or_group, content)
    touched = len(content["paper"]) > 1 or any(o.key_or_group.startswith("paper.") for o in inside)
    for group in READ:
        name, given = content[group].pop("name"), content[group]
        content[group] = merged(_read(group, name), given)
    for override in inside:
        content = apply(override, content)
    return content | {TOUCHED: touched}


def _with_names(choices: Sequence[Override]) -> dict[str, Any]:
    """Return the values of ``config.yaml`` and of a preset, and the names that are chosen."""
    content = read_mapping(paths.conf_dir() / "config.yaml")
    entries = (entry for entry in content.pop("defaults") if isinstance(entry, dict))
    names = {group: name for entry in entries for group, name in entry.items()}
    chosen = {override.key_or_group: plain_value(override) for override in choices}
    preset = {}
    if "preset" in chosen:
        names["paper"] = str(chosen["preset"]).removeprefix(PRESET)
        preset = read_mapping(quickstart_file(names["paper"]))
    names |= chosen
    content |= {group: names[group] and {"name": str(names[group])} for group in GROUPS}
    return dict(merged(content, preset))


def _interpolated(key: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return `content` with what a value refers to, by ``${…}``, in its place."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    changed = OmegaConf.create(content)
    try:
        value = OmegaConf.select(changed, key)
        if OmegaConf.is_config(value):
            value = OmegaConf.to_container(value, resolve=True)
    except OmegaConfBaseException as error:
        text = " ".join(str(error).split())
        raise RetreeError(f"The configuration cannot be composed: {text}") from error
    *parents, name = key.split(".")
    level = content
    for parent in parents:
        level = level[parent]
    level[name] = value
    return content


def print_composed(contents: Sequence[Mapping[str, Any]], grid: Mapping[str, Any]) -> None:
    """Print what is composed as YAML, a document for each combination of a sweep.

    `grid`: the values of parameters that are swept, which are below ``sweep``.
    """
    swept = {"sweep": {name: list(values) for name, values in grid.items()}} if grid else {}
    plain = [{k: v for k, v in content.items() if k != TOUCHED} | swept for content in contents]
    texts = json.loads(json.dumps(plain, default=str))
    print(yaml.safe_dump_all(texts, sort_keys=False, allow_unicode=True), end="")


def _read(group: str, name: str) -> dict[str, Any]:
    """Return the content of an option of a group."""
    if group == "paper":
        return {"name": name, **read_mapping(study_folder(name) / PAPER)}
    if group == "method":
        return method_content(name, method_home(name))
    if group == "protocol":
        return protocol_content(name)
    return read_mapping(paths.conf_dir() / group / f"{name}.yaml")


def _check_key(override: Override, known: Mapping[str, Any]) -> None:
    """Refuse an override of a key that `known`, the content of ``config.yaml``, does not have."""
    level: Any = known
    parents: list[str] = []
    for name in override.key_or_group.split("@")[0].split("."):
        valid = level if isinstance(level, dict) else {}
        if name not in valid:
            place = ".".join(parents)
            raise unknown_name(f"key of {place}" if place else "key", name, valid)
        level = level[name]
        parents.append(name)
