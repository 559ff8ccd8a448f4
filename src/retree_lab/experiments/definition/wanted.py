"""The names that an experiment asks for, refused where they do not exist.

All of this is read from configuration files, so that a slip is said before the rest of the
laboratory, and the libraries that it computes with, are imported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from retree.errors import RetreeError, refuse_unknown, unknown_name
from retree_lab.study.available import available
from retree_lab.study.catalogue import SERVERS, SOURCES, dataset_keys


def check_wanted(content: Mapping[str, Any]) -> None:
    """Refuse items, data sets, methods and sources of composed `content` that do not exist.

    What is wrong with the file of the paper itself is said where it is read.
    """
    paper = content["paper"]
    items, missing = (paper.get(key) or {} for key in ("items", "missing"))
    if not isinstance(items, Mapping) or not isinstance(missing, Collection):
        return
    named = (content.get("dataset") or {}).get("name")
    single = key_list(named, missing)[:1]
    if item_names(content["item"], items, paper["name"]):
        wanted = key_list(content["datasets"], missing) or single
        check_known([n for n in wanted if n not in missing], name_list(content["methods"]))
    elif single:
        check_known(single, [])
    source_names(content["data"])


def name_list(value: Any) -> list[str]:
    """Return the names that are configured: none, one or several."""
    return [] if value is None else [value] if isinstance(value, str) else [str(v) for v in value]


def key_list(value: Any, missing: Collection[str]) -> list[str]:
    """Return the keys of the data sets that are named; of a missing one, its name."""
    names = name_list(value)
    keys = dataset_keys(name for name in names if name not in missing)
    return [keys.get(name, name) for name in names]


def item_names(value: Any, items: Collection[str], paper: str) -> list[str]:
    """Return the names of the items that are asked for."""
    names = list(items) if value == "all" else name_list(value)
    for name in names:
        if name not in items:
            raise unknown_name(f"item of {paper}", name, [*items, "all"])
    return names


def source_names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sources of data that may be asked."""
    names = name_list(data["sources"])
    refuse_unknown("source", SOURCES, *names)
    if not data["offline"]:
        return tuple(names)
    if not (here := tuple(name for name in names if name not in SERVERS)):
        raise RetreeError(
            f"data.offline leaves nothing of data.sources={names}; add bundled, or go online."
        )
    return here


def check_known(datasets: Iterable[str], methods: Iterable[str]) -> None:
    """Refuse data sets and methods that do not exist."""
    for group, names in (("dataset", datasets), ("method", methods)):
        refuse_unknown(group, available(group), *names)
