"""Preregistration: a study's cells and its rules of judgement, frozen by hashes before a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from retree.errors import RetreeError
from retree_lab.experiments.planning.keys import canonical
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.status import done_keys
from retree_lab.experiments.storing.store import Store
from retree_lab.plain_files import check_plain, write_atomically
from retree_lab.provenance import now
from retree_lab.study.folders import CLAIMS, own_file
from retree_lab.study.own_sources import source_state
from retree_lab.yaml_files import read_options

FILE = "preregistration.json"


@dataclass(frozen=True, kw_only=True)
class Preregistration:
    """The content of the file."""

    written: str
    stored_before: int  # How many of the study's cells were stored then
    frozen: Mapping[str, str | int | None]  # Hashes of what is frozen, and the number of cells
    seal: str  # Hash of all the rest


def preregister(planned: Planned) -> Path:
    """Freeze a study, and return the file that says so."""
    path = planned.experiment.paper.folder / FILE
    if path.exists():
        raise RetreeError(f"{path} exists already: a study is preregistered once.")
    if planned.datasets.lost:
        raise RetreeError(" ".join(planned.datasets.lost.values()))
    with Store(planned.experiment.store, readonly=True) as store:
        stored = len(done_keys(planned.plans, store))
    content = {"written": now(), "stored_before": stored, "frozen": _frozen(planned)}
    content["seal"] = _hash(canonical(content).encode())
    write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())
    return path


def read_preregistration(folder: Path) -> dict[str, Any] | None:
    """Return the preregistration of the study in a folder, None if there is none."""
    path = folder / FILE
    if not path.exists():
        return None
    check_plain(path, 1)
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
        return asdict(read_options(Preregistration, content, FILE))
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, RetreeError) as error:
        raise RetreeError(f"{path} cannot be read ({error}): restore it.") from error


def find_changed(noted: Mapping[str, Any], planned: Planned) -> list[str]:
    """Return the names of what has changed since it was frozen, sorted."""
    rest = {name: value for name, value in noted.items() if name != "seal"}
    edited = [] if _hash(canonical(rest).encode()) == noted["seal"] else [FILE]
    now_is = _frozen(planned)
    names = {*now_is, *noted["frozen"]}
    moved = [name for name in names if now_is.get(name) != noted["frozen"].get(name)]
    return sorted([*edited, *moved])


def _frozen(planned: Planned) -> dict[str, Any]:
    paper = planned.experiment.paper
    keys = {cell.key for plan in planned.plans for cell in plan.every}
    # Nothing moves a judgement but how the items and the paper are configured.
    items = {
        name: {key: value for key, value in item.items() if key != "caption"}
        for name, item in paper.items.items()
    }
    # Its own Python that counts and judges; that of estimators is part of the cells' keys.
    kinds = {name: _state(paper.folder, str(item.get("kind"))) for name, item in items.items()}
    metrics = {item.name: item.stored_scores for item in planned.experiment.items}
    directions = [dict(paper.smaller_is_better)] if paper.smaller_is_better else []
    claims, published = paper.folder / CLAIMS, paper.published
    return {
        "cells": len(keys),
        "plan": _hash("\n".join(sorted(keys)).encode()),
        "published values": None if published is None else _hash(published.read_bytes()),
        "tolerances": _sealed(dict(paper.how_published), asdict(paper.margins), *directions),
        "not judged": _sealed(paper.not_judged),
        "items": _sealed(items),
        "own kinds and metrics": _sealed(kinds, metrics),
        "names": _sealed(dict(paper.names), {n: dict(m) for n, m in paper.methods.items()}),
        "errata": _sealed([dict(erratum) for erratum in paper.errata]),
        "data sets that are ours": _sealed(paper.our_data, paper.drawn_anew),
        "audit": _sealed(None if paper.audit is None else asdict(paper.audit)),
        "claims": _hash(claims.read_bytes()) if claims.exists() else None,
    }


def _state(folder: Path, kind: str) -> str:
    """Return the state of a study's own kind of table, "" of one of retree's."""
    file, _, name = kind.rpartition(":")
    return source_state(own_file(folder, file), name) if file.endswith(".py") else ""


def _sealed(*values: Any) -> str:
    return _hash(canonical(values).encode())


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
