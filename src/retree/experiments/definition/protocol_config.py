"""Protocols as they are configured, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.experiments.definition.config_values import check_integer, read_defaults
from retree.experiments.definition.own_splits import OwnSplit
from retree.experiments.definition.protocol import SPLITTERS, Protocol
from retree.study.protocols import protocol_content

# Of a protocol: the least and the most that a run can do.
BOUNDS = (("folds", 1, 10**6), ("repeats", 1, 10**4), ("seed", 0, 2**31), ("inner_folds", 0, 1000))


def default_protocol() -> Protocol:
    """Return the protocol of items that have none of their own, before any override."""
    defaults = read_defaults("", "config")["defaults"]
    name = next(entry["protocol"] for entry in defaults if "protocol" in entry)
    return read_protocol(read_defaults("protocol", name))


def read_protocol(content: Mapping[str, Any]) -> Protocol:
    """Return the protocol that `content` describes."""
    for name in ("stratified", "shuffle", "timed", "test_file"):
        if not isinstance(content.get(name, False), bool):
            raise RetreeError(f"protocol.{name} must be true or false, not {content[name]!r}.")
    own = content.get("own")
    for name, least, most in BOUNDS:
        least = 0 if own and name == "folds" else least
        check_integer(f"protocol.{name}", content[name], least)
        if content[name] > most:
            raise RetreeError(f"protocol.{name} must be at most {most:,}, not {content[name]:,}.")
    _check_replicates(content)
    if content["inner_folds"] == 1:
        raise RetreeError("protocol.inner_folds must be 0 (no nested selection) or at least 2.")
    _check_splitter(content)
    return Protocol(**{**content, "own": OwnSplit(**own) if own else None})


def _check_splitter(protocol: Mapping[str, Any]) -> None:
    splitter = protocol.get("splitter", SPLITTERS[0])
    if splitter not in SPLITTERS:
        raise unknown_name("splitter", str(splitter), SPLITTERS)
    if splitter == "weka" and not protocol["shuffle"]:
        raise RetreeError("Weka always shuffles: say shuffle: true, or leave splitter: weka out.")


def _check_replicates(protocol: Mapping[str, Any]) -> None:
    count = protocol.get("replicates", 1)
    check_integer("protocol.replicates", count, 1)
    split = protocol["folds"] > 1 or protocol.get("own")
    if count > 1 and (protocol.get("timed") or not protocol["shuffle"] or not split):
        raise RetreeError(
            f"{protocol['name']} has no replicates, since they differ by how rows are shuffled "
            "into folds: say replicates: 1, or choose a protocol that shuffles and is not timed."
        )


def item_protocol(
    default: Protocol, home: Path, own: str | None, replicates: int | None
) -> Protocol:
    """Return the protocol that an item has of its `own`, or the default one."""
    content = protocol_content(own, home) if own else asdict(default)
    return read_protocol(content | ({} if replicates is None else {"replicates": replicates}))
