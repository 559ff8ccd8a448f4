"""Where and with what cells were computed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import canonical
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.exports import PROVENANCE
from retree_lab.experiments.storing.results import StoredCells
from retree_lab.experiments.storing.store import UNKNOWN_RUN
from retree_lab.reports.document import Block, Bullets, Phrase, Text
from retree_lab.reports.files import folder, write
from retree_lab.reports.references import ToCommit
from retree_lab.reports.sections import grouped

PLACE = ("commit", "dirty", "platform", "cpu", "cores", "started")
# What the last bits of a number may depend on.
PLATFORM = ("platform", "cpu", "python", "numpy", "scipy", "scikit-learn", "pandas")


def provenance_section(
    entries: Sequence[tuple[Plan, pd.DataFrame]], stored: StoredCells
) -> list[Block]:
    """Return commit, versions, machine and dates of the runs that computed the done cells.

    Runs of the same commit, versions and machine stand together.
    """
    runs = number_runs((frame for _, frame in entries), stored)[0]
    return [Text("Runs"), Bullets(run_sentences(runs))] if runs else []


def run_sentences(runs: Iterable[dict[str, Any]]) -> list[tuple[str | Phrase, ...]]:
    """Return commit, versions, machine and dates of runs; those of one state share a sentence."""

    def state(run: dict[str, Any]) -> str:
        return json.dumps({k: v for k, v in run.items() if k != "started"}, sort_keys=True)

    return [_sentence(group) for group in grouped(runs, state).values()]


def provenance_content(
    entries: Sequence[tuple[Plan, pd.DataFrame]], stored: StoredCells
) -> dict[str, Any]:
    """Return the content of ``provenance.json``.

    It holds ``runs``, what is known about each run that computed a stored cell, and ``data``, the
    sha256 of each data set that cells are planned on. Of a study's own metrics ``metrics`` has what
    their scores are stored by.
    """
    data = {cell.dataset: cell.parts.data for plan, _ in entries for cell in plan.cells}
    content = {"runs": number_runs((frame for _, frame in entries), stored)[0], "data": data}
    own = {name: by for name, by in metric_states(entries).items() if name != by}
    return content | ({"metrics": own} if own else {})


def metric_states(entries: Sequence[tuple[Plan, pd.DataFrame]]) -> dict[str, str]:
    """Return what the further metrics of items are stored by, by their names."""
    return {name: by for plan, _ in entries for name, by in plan.item.stored_scores.items()}


def write_provenance(experiment: Experiment, content: Mapping[str, Any]) -> Path:
    """Write ``provenance.json`` to the paper's folder and return its path."""
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    return write(folder(experiment) / PROVENANCE, text + "\n")


def platforms(provenance: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """Return the platforms of the runs in the content of a ``provenance.json``.

    A platform is operating system, processor and versions, in the order of `PLATFORM`.
    """
    return {tuple(str(run.get(name)) for name in PLATFORM) for run in provenance.get("runs") or ()}


def number_runs(
    frames: Iterable[pd.DataFrame], stored: StoredCells
) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """Return the runs that computed the stored cells of `frames`, and their places by number.

    They stand in the order of their start, whatever their numbers in the store are.
    """
    keys = list(dict.fromkeys(key for frame in frames for key in frame["key"].tolist()))
    used = {values.run for values in stored.metrics(keys).values()}
    known = stored.runs()
    runs = {number: known.get(number, UNKNOWN_RUN) for number in sorted(used)}
    texts = {number: (str(run["started"]), canonical(run)) for number, run in runs.items()}
    ordered = sorted(set(texts.values()))
    places = {number: ordered.index(text) for number, text in texts.items()}
    return [json.loads(text) for _, text in ordered], places


def machine_sentence(frame: pd.DataFrame, stored: StoredCells) -> str:
    """Return on what machines and days the done cells of `frame` were computed, "" without any."""
    machines = grouped(number_runs([frame], stored)[0], _machine)
    days = {name: [str(run["started"])[:10] for run in runs] for name, runs in machines.items()}
    parts = [f"{machine} ({_range(dates)})" for machine, dates in days.items()]
    return f"Measured on {'; '.join(parts)}." if parts else ""


def _sentence(runs: Sequence[dict[str, Any]]) -> tuple[str | Phrase, ...]:
    first, dates = runs[0], [str(run["started"]) for run in runs]
    when = dates[0] if len(dates) == 1 else f"{len(dates)} runs from {min(dates)} to {max(dates)}"
    versions = ", ".join(
        f"{name} {value}" for name, value in first.items() if name not in PLACE and value
    )
    after = " with uncommitted changes" if first.get("dirty") else ""
    after += f"; {versions}; {_machine(first)}."
    if not (commit := str(first.get("commit") or "")):
        return (f"{when}: no commit{after}",)
    return (f"{when}: commit ", Phrase(commit[:12], ToCommit(commit), code=True), after)


def _machine(run: dict[str, Any]) -> str:
    return ", ".join(str(run[name]) for name in ("platform", "cpu") if run.get(name))


def _range(dates: Sequence[str]) -> str:
    first, last = min(dates), max(dates)
    return first if first == last else f"{first} to {last}"
