"""Protocols as YAML describes them: of a study, or of retree."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

from retree.errors import RetreeError, refuse_unknown, unknown_name
from retree_lab import paths
from retree_lab.experiments.definition.protocol import (
    BOOTSTRAP,
    DATA_SET,
    FILE,
    GROUPS,
    HOLDOUT,
    K_FOLD,
    LEAVE_ONE_OUT,
    OPENML,
    TIME,
    WEKA,
    Protocol,
)
from retree_lab.study.available import STANDS_IN, protocol_content
from retree_lab.study.folders import own_file
from retree_lab.yaml_files import Bounds, located, read_mapping, read_options

_SKLEARN = "sklearn.model_selection."
# By splitter, the keys that it takes beside `_ALWAYS`, and those among them that it needs.
_ALWAYS = ("name", "splitter", "inner_folds", "timed")
_FOLDS = ("folds", "repeats", "seed", "stratified", "shuffle", "replicates")
_TAKES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    K_FOLD: ((*_FOLDS, "published_seed"), ("folds",)),
    WEKA: (_FOLDS, ("folds",)),
    OPENML: (_FOLDS, ("folds",)),
    HOLDOUT: (
        ("test_share", "repeats", "seed", "published_seed", "stratified", "replicates"),
        ("test_share",),
    ),
    LEAVE_ONE_OUT: ((), ()),
    GROUPS: (("folds", "repeats", "seed", "published_seed"), ()),
    TIME: (("folds",), ("folds",)),
    BOOTSTRAP: (("repeats", "seed", "published_seed", "replicates"), ("repeats",)),
    FILE: (("file", "repeats"), ("file",)),
    DATA_SET: ((), ()),
}
_TAKES_SKLEARN = (("arguments", "repeats", "seed", "published_seed"), ())


def default_protocol() -> Protocol:
    """Return the protocol of items that have none of their own, before any override."""
    defaults = read_mapping(paths.conf_dir() / "config.yaml")["defaults"]
    name = next(entry["protocol"] for entry in defaults if "protocol" in entry)
    return read_protocol(protocol_content(name))


def item_protocol(
    default: Protocol, home: Path, named: str | None, replicates: int | None
) -> Protocol:
    """Return the protocol that an item has of its `named`, or the default one."""
    more = {} if replicates is None else {"replicates": replicates}
    if named:
        return read_protocol(protocol_content(named, home) | more)
    if more:
        default = replace(default, **read_options(_Replicates, more, "protocol.").__dict__)
    _check_replicates(default)
    return default


@dataclass(frozen=True)
class _Replicates:
    replicates: Annotated[int, Bounds(1)]


def read_protocol(content: Mapping[str, Any]) -> Protocol:
    """Return the protocol that `content` describes: a file of a study's, or of retree's."""
    content = dict(content)
    file = content.pop(STANDS_IN, None)
    if content.get("splitter") == WEKA:
        content.setdefault("seed", 1)
    protocol = read_options(Protocol, content, "protocol." if file is None else file.stem, file)
    with located(file, ["splitter"] if "splitter" in content else []):
        takes, needs = _find_splitter(protocol.splitter)
    if file is not None:
        _check_own(protocol, content, file, takes, needs)
    if not protocol.is_own and protocol.folds < 1:
        raise RetreeError(f"protocol.folds must be an integer of at least 1, not {protocol.folds}.")
    _check_replicates(protocol)
    if protocol.inner_folds == 1:
        raise RetreeError("protocol.inner_folds must be 0 (no nested selection) or at least 2.")
    if protocol.splitter in (WEKA, OPENML) and not protocol.shuffle:
        raise RetreeError(
            f"Splitter {protocol.splitter} always shuffles: say shuffle: true, or leave it out."
        )
    if protocol.splitter == HOLDOUT:
        how = json.dumps({"stratified": protocol.stratified})
        return replace(protocol, folds=1, arguments=how)
    if protocol.splitter == BOOTSTRAP:
        return replace(protocol, folds=1)
    if file is not None and protocol.file:
        return replace(protocol, file=str(file.parent.parent / protocol.file))
    return protocol


def _check_own(
    protocol: Protocol,
    content: Mapping[str, Any],
    file: Path,
    takes: tuple[str, ...],
    needs: tuple[str, ...],
) -> None:
    """Refuse keys of a study's protocol that have no effect, or that do not go together."""
    for key in content:
        with located(file, [key]):
            if key not in (*_ALWAYS, *takes):
                raise RetreeError(
                    f"{key} has no effect on splitter {protocol.splitter}, which takes "
                    f"{', '.join(takes) or 'nothing else'}; remove it."
                )
            if key == "folds" and protocol.folds < 2:
                raise RetreeError(f"folds must be at least 2, not {protocol.folds}.")
            if key == "test_share" and not 0 < protocol.test_share < 1:
                raise RetreeError(
                    f"test_share must lie between 0 and 1, not {protocol.test_share}."
                )
            if key == "repeats" and protocol.repeats > 1 and not protocol.shuffle:
                raise RetreeError("repeats without shuffle are all the same; remove one.")
            if key == "file":
                own_file(file.parent.parent, protocol.file)
    if lacking := [key for key in needs if key not in content]:
        raise RetreeError(f"{file} lacks {' and '.join(lacking)}: add it.")
    if protocol.splitter.startswith(_SKLEARN):
        with located(file, ["arguments" if "arguments" in content else "splitter"]):
            _check_arguments(protocol)


def _find_splitter(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if name in _TAKES:
        return _TAKES[name]
    from sklearn import model_selection

    cls = name.removeprefix(_SKLEARN)
    # Some names of __all__ exist only after another import.
    splitters = [
        n
        for n, member in vars(model_selection).items()
        if n in model_selection.__all__ and hasattr(member, "split") and not n.startswith("Base")
    ]
    if not name.startswith(_SKLEARN) or cls not in splitters:
        raise unknown_name("splitter", name, [*_TAKES, *(f"{_SKLEARN}{n}" for n in splitters)])
    return _TAKES_SKLEARN


def _check_arguments(protocol: Protocol) -> None:
    """Refuse arguments that a splitter of scikit-learn does not take."""
    cls = getattr(importlib.import_module("sklearn.model_selection"), protocol.splitter[24:])
    valid = [name for name in signature(cls).parameters if name != "random_state"]
    arguments = json.loads(protocol.arguments)
    refuse_unknown(f"argument of {cls.__name__}", valid, *arguments)
    try:
        cls(**arguments)
    except (TypeError, ValueError) as error:
        text = " ".join(str(error).split())
        raise RetreeError(f"{cls.__name__} cannot be made ({text}).") from error


def _check_replicates(protocol: Protocol) -> None:
    split = protocol.folds > 1 or protocol.is_own
    if protocol.replicates > 1 and (protocol.timed or not protocol.shuffle or not split):
        raise RetreeError(
            f"{protocol.name} has only one replicate, since others would shuffle rows into "
            "other folds: say replicates: 1, or choose a protocol that shuffles and is not timed."
        )
