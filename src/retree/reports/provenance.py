"""Section of a paper's page on where and with what its cells were computed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.markup import bullets

PLACE = ("commit", "dirty", "platform", "cpu", "started")


def provenance_section(entries: Sequence[tuple[Plan, pd.DataFrame]], store: Store) -> str:
    """Return commit, versions, machine and dates of the runs that computed the done cells.

    Runs of the same commit, versions and machine stand together.
    """
    keys = list(dict.fromkeys(key for _, frame in entries for key in _done(frame)))
    used = {values["run"] for values in store.metrics(keys).values()}
    runs = {number: run for number, run in store.runs().items() if number in used}
    if not runs:
        return ""
    groups: dict[str, list[dict[str, Any]]] = {}
    for run in runs.values():
        facts = {name: value for name, value in run.items() if name != "started"}
        groups.setdefault(json.dumps(facts, sort_keys=True), []).append(run)
    return f"## Runs\n\n{bullets([_sentence(group) for group in groups.values()])}"


def _done(frame: pd.DataFrame) -> list[str]:
    return [str(key) for key in frame.loc[frame["status"] == "done", "key"]]


def _sentence(runs: Sequence[dict[str, Any]]) -> str:
    first, dates = runs[0], sorted(str(run["started"]) for run in runs)
    when = dates[0] if len(dates) == 1 else f"{len(dates)} runs from {dates[0]} to {dates[-1]}"
    commit = f"commit `{str(first['commit'])[:12]}`" if first.get("commit") else "no commit"
    commit += " with uncommitted changes" if first.get("dirty") else ""
    versions = ", ".join(
        f"{name} {value}" for name, value in first.items() if name not in PLACE and value
    )
    machine = ", ".join(str(first[name]) for name in ("platform", "cpu") if first.get(name))
    return f"{when}: {commit}; {versions}; {machine}."
