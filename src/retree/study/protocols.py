"""The protocols of a study: a file each in its folder ``protocols``, beside those of retree."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from inspect import signature
from pathlib import Path
from typing import Any

from retree import paths
from retree.errors import RetreeError, unknown_name
from retree.options import read_options
from retree.study.folders import opened
from retree.study.modules import own_file
from retree.yaml_files import line_of, located, read_mapping

FOLDER = "protocols"
K_FOLD, WEKA = "k_fold", "weka"
_SKLEARN = "sklearn.model_selection."
# By splitter, the keys that it takes beside `_ALWAYS`, and those among them that it needs.
_ALWAYS = ("splitter", "inner_folds", "timed")
_TAKES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    K_FOLD: (("folds", "repeats", "seed", "stratified", "shuffle", "replicates"), ("folds",)),
    WEKA: (("folds", "repeats", "seed", "stratified", "replicates"), ("folds",)),
    "holdout": (("test_share", "repeats", "seed", "stratified", "replicates"), ("test_share",)),
    "leave_one_out": ((), ()),
    "groups": (("folds", "repeats", "seed"), ()),
    "time": (("folds",), ("folds",)),
    "bootstrap": (("repeats", "seed", "replicates"), ("repeats",)),
    "file": (("file", "repeats"), ("file",)),
}
_TAKES_SKLEARN = (("arguments", "repeats", "seed"), ())


@dataclass(frozen=True, kw_only=True)
class OwnProtocol:
    """What the file of a protocol says."""

    # ``k_fold``, ``weka``, ``holdout``, ``leave_one_out``, ``groups``, ``time``, ``bootstrap``,
    # ``file``, or a class of ``sklearn.model_selection`` by its dotted name.
    splitter: str = K_FOLD
    folds: int = 0  # Repeat r has the seed ``seed`` + r
    repeats: int = 1
    seed: int = 0
    # Whether folds have the shares of the classes, and whether rows are shuffled first.
    stratified: bool = True
    shuffle: bool = True
    inner_folds: int = 3  # Folds of each training set that parameters are chosen on
    replicates: int = 1  # How often all of it is run, each time with other seeds
    # Whether cells run one after the other, so that their times can be compared.
    timed: bool = False
    test_share: float = 0.0  # Share of the rows that a hold-out tests on
    # A csv in the study: a line for each row of the data set after a header, a column for each
    # repeat; an entry is the number of the fold, from 0 on, in which the row is tested on.
    # ``{dataset}`` in its name stands for that of a data set.
    file: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)  # Those of scikit-learn's class


def protocol_content(name: str, study: Path | None = None) -> dict[str, Any]:
    """Return the protocol called `name`, of a study or of retree, as a `Protocol` takes it.

    Without `study` it is looked for in all that are open.
    """
    folders = [study] if study is not None else opened()
    files = (folder / FOLDER / f"{name}.yaml" for folder in folders)
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return read_mapping(paths.conf_dir() / "protocol" / f"{name}.yaml")
    return {"name": name, **_read(file)}


def _read(file: Path) -> dict[str, Any]:
    content = read_mapping(file)
    names = [f.name for f in fields(OwnProtocol)]
    for key in content:
        if key not in names:
            error = unknown_name("key", str(key), names)
            raise type(error)(f"{file}, line {line_of(file, [str(key)])}: {error}")
    with located(file, []):
        about = read_options(OwnProtocol, content, file.stem)
    with located(file, ["splitter"] if "splitter" in content else []):
        takes, needs = _find_splitter(about.splitter)
    for key in content:
        if key not in (*_ALWAYS, *takes):
            line = line_of(file, [key])
            raise RetreeError(
                f"{file}, line {line}: {key} has no effect on splitter {about.splitter}, which "
                f"takes {', '.join(takes) or 'nothing else'}; remove it."
            )
    if lacking := [key for key in needs if key not in content]:
        raise RetreeError(f"{file} lacks {' and '.join(lacking)}: add it.")
    _check(about, content, file)
    return _as_protocol(about, content, file)


def _find_splitter(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if name in _TAKES:
        return _TAKES[name]
    from sklearn import model_selection

    cls = name.removeprefix(_SKLEARN)
    # Some names of __all__ exist only after another import.
    known = [
        n
        for n, found in vars(model_selection).items()
        if n in model_selection.__all__ and hasattr(found, "split") and not n.startswith("Base")
    ]
    if not name.startswith(_SKLEARN) or cls not in known:
        raise unknown_name("splitter", name, [*_TAKES, *(f"{_SKLEARN}{n}" for n in known)])
    return _TAKES_SKLEARN


def _check(about: OwnProtocol, content: Mapping[str, Any], file: Path) -> None:
    def refuse(key: str, why: str) -> RetreeError:
        return RetreeError(f"{file}, line {line_of(file, [key])}: {why}.")

    if "folds" in content and about.folds < 2:
        raise refuse("folds", f"folds must be at least 2, not {about.folds}")
    if "test_share" in content and not 0 < about.test_share < 1:
        raise refuse("test_share", f"test_share must lie between 0 and 1, not {about.test_share}")
    if about.repeats > 1 and not about.shuffle:
        raise refuse("repeats", "repeats without shuffle are all the same; remove one")
    if about.file:
        with located(file, ["file"]):
            own_file(file.parent.parent, about.file)
    if about.splitter.startswith(_SKLEARN):
        cls = getattr(importlib.import_module("sklearn.model_selection"), about.splitter[24:])
        valid = [name for name in signature(cls).parameters if name != "random_state"]
        for name in about.arguments:
            if name not in valid:
                error = unknown_name(f"argument of {cls.__name__}", name, valid)
                raise type(error)(f"{file}, line {line_of(file, ['arguments'])}: {error}")
        try:
            cls(**about.arguments)
        except (TypeError, ValueError) as error:
            text = " ".join(str(error).split())
            where = "arguments" if "arguments" in content else "splitter"
            raise refuse(where, f"{cls.__name__} cannot be made ({text})") from error


def _as_protocol(about: OwnProtocol, content: Mapping[str, Any], file: Path) -> dict[str, Any]:
    keys = ("folds", "repeats", "seed", "stratified", "shuffle", "inner_folds", "replicates")
    found = {key: getattr(about, key) for key in (*keys, "timed")}
    if about.splitter == K_FOLD:
        return found
    if about.splitter == WEKA:
        return found | {"splitter": WEKA, "seed": content.get("seed", 1)}
    arguments = dict(about.arguments)
    if about.splitter == "holdout":
        arguments = {"stratified": about.stratified}
    own = {
        "splitter": about.splitter,
        "test_share": float(about.test_share),
        "arguments": json.dumps(arguments, sort_keys=True),
        "file": str(file.parent.parent / about.file) if about.file else "",
    }
    if about.splitter in ("holdout", "bootstrap"):
        found["folds"] = 1
    return found | {"own": own}
