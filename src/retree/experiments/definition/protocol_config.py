"""Protocols as they are configured, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.experiments.definition.config_values import read_defaults
from retree.experiments.definition.protocol import SPLITTERS, Protocol
from retree.options import read_options
from retree.study.protocols import protocol_content


def default_protocol() -> Protocol:
    """Return the protocol of items that have none of their own, before any override."""
    defaults = read_defaults("", "config")["defaults"]
    name = next(entry["protocol"] for entry in defaults if "protocol" in entry)
    return read_protocol(read_defaults("protocol", name))


def read_protocol(content: Mapping[str, Any]) -> Protocol:
    """Return the protocol that `content` describes."""
    protocol = read_options(Protocol, content, "protocol.")
    if protocol.own is None and protocol.folds < 1:
        raise RetreeError(f"protocol.folds must be an integer of at least 1, not {protocol.folds}.")
    _check_replicates(content)
    if protocol.inner_folds == 1:
        raise RetreeError("protocol.inner_folds must be 0 (no nested selection) or at least 2.")
    _check_splitter(content)
    return protocol


def _check_splitter(protocol: Mapping[str, Any]) -> None:
    splitter = protocol.get("splitter", SPLITTERS[0])
    if splitter not in SPLITTERS:
        raise unknown_name("splitter", str(splitter), SPLITTERS)
    if splitter == "weka" and not protocol["shuffle"]:
        raise RetreeError("Weka always shuffles: say shuffle: true, or leave splitter: weka out.")


def _check_replicates(protocol: Mapping[str, Any]) -> None:
    count = protocol.get("replicates", 1)
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
