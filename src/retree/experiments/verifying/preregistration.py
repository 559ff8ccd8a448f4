"""What a study is going to compute and how it will be judged, frozen by hashes before a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retree.datasets.files import write_atomically
from retree.errors import RetreeError
from retree.experiments.planning.keys import canonical
from retree.experiments.storing.pending import done_keys
from retree.experiments.storing.planned import Planned
from retree.experiments.storing.store import Store
from retree.provenance import now
from retree.study.folders import CLAIMS

FILE = "preregistration.json"
# What an item says of how its numbers are judged.
JUDGED_BY = ("tolerance", "published_protocol", "metrics", "select", "baseline")


def preregister(planned: Planned) -> Path:
    """Freeze a study, and return the file that says so."""
    path = planned.experiment.paper.folder / FILE
    if path.exists():
        raise RetreeError(f"{path} is there already: a study is preregistered once.")
    if planned.datasets.lost:
        raise RetreeError(" ".join(planned.datasets.lost.values()))
    with Store(planned.experiment.store, readonly=True) as store:
        stored = len(done_keys(planned.plans, store))
    content = {"written": now(), "stored_before": stored, "frozen": _frozen(planned)}
    content["seal"] = _hash(canonical(content).encode())
    write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())
    return path


def read_preregistration(folder: Path) -> dict[str, Any] | None:
    """Return what is frozen of the study in a folder, None if nothing is."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        content = dict(json.loads(path.read_text(encoding="utf-8")))
        return content | {"frozen": dict(content["frozen"]), "seal": str(content["seal"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RetreeError(f"{path} cannot be read ({error}): restore it.") from error


def find_tampered(known: Mapping[str, Any], planned: Planned) -> list[str]:
    """Return what is not as it was frozen, sorted."""
    rest = {name: value for name, value in known.items() if name != "seal"}
    edited = [] if _hash(canonical(rest).encode()) == known["seal"] else [FILE]
    now_is = _frozen(planned)
    names = {*now_is, *known["frozen"]}
    moved = [name for name in names if now_is.get(name) != known["frozen"].get(name)]
    return sorted([*edited, *moved])


def _frozen(planned: Planned) -> dict[str, Any]:
    paper = planned.experiment.paper
    keys = {cell.key for plan in planned.plans for cell in plan.every}
    judged = {
        name: {key: item[key] for key in JUDGED_BY if key in item}
        for name, item in paper.items.items()
    }
    claims, published = paper.folder / CLAIMS, paper.published
    return {
        "cells": len(keys),
        "plan": _hash("\n".join(sorted(keys)).encode()),
        "published values": None if published is None else _hash(published.read_bytes()),
        "tolerances": _hash(canonical([dict(paper.how_published), judged]).encode()),
        "claims": _hash(claims.read_bytes()) if claims.exists() else None,
    }


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
