"""Which estimators are verified.

`retree verify` notes the fingerprint of each estimator whose cells came out as stored; where
today's differs, its results are unverified.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from retree.errors import RetreeError
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.exports import CELLS, PROVENANCE, REPLICATES
from retree_lab.experiments.verifying.fingerprint import Fingerprint, fingerprint
from retree_lab.plain_files import write_atomically
from retree_lab.provenance import now, provenance
from retree_lab.study.registry import find_estimator

FILE = "verified.json"
# The checksums of what was verified, as sha256sum writes and checks them.
SUMS = "verified.sha256"


@dataclass(frozen=True)
class Verified:
    """A note that cells of an estimator came out as stored."""

    fingerprint: Fingerprint  # With these sources and libraries
    version: int | str  # The estimator's version
    date: str  # When, from what commit, and on what processor
    commit: str | None
    machine: str | None
    cells: int  # How many cells were compared
    papers: list[str]
    # What the libraries chose on the processor; older notes do not say it.
    kernels: str | None = None


def read_verified(path: Path) -> dict[str, Verified]:
    """Return the notes in the file at `path` by estimator; {} if there is no file."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text())
        return {
            name: Verified(**{**entry, "fingerprint": Fingerprint(**entry["fingerprint"])})
            for name, entry in content.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RetreeError(
            f"{path} cannot be read ({error}): restore it with git checkout, or delete it and run "
            "retree verify."
        ) from error


def note_verified(compared: Mapping[str, int], papers: Iterable[str], path: Path) -> None:
    """Note in the file at `path` that cells came out as stored."""
    run = provenance()
    commit = f"{run['commit']}{' with uncommitted changes' if run['dirty'] else ''}"
    entries = read_verified(path)
    for name, count in compared.items():
        entries[name] = Verified(
            fingerprint=fingerprint(name),
            version=find_estimator(name).version,
            date=now()[:10],
            commit=None if run["commit"] is None else commit,
            machine=run["cpu"],
            cells=count,
            papers=sorted(papers),
            kernels=", ".join(filter(None, (run["blas"], run["simd"]))) or None,
        )
    content = {name: asdict(entry) for name, entry in sorted(entries.items())}
    write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def unverified(estimators: Iterable[str], committed: Path | None) -> list[str]:
    """Return a sentence for each of `estimators` whose results are not known to come out today.

    `committed`: the folder of the committed results. Where it has no file ``verified.json``, no
    results are known, and there is nothing to say.
    """
    notes = {} if committed is None else read_verified(committed / FILE)
    sentences = (_unverified(name, notes.get(name)) for name in sorted(set(estimators)))
    return [sentence for sentence in sentences if notes and sentence]


def unverified_plans(plans: Iterable[Plan], committed: Path | None) -> list[str]:
    """Return these sentences for the estimators of `plans`."""
    methods = [method for plan in plans for method in plan.item.methods]
    return unverified((str(m.estimator) for m in methods if m.missing is None), committed)


def _unverified(name: str, note: Verified | None) -> str:
    """Return why the results of an estimator are unverified, "" if they are verified."""
    if note is None:
        return f"{name}: never verified"
    version = find_estimator(name).version
    moved = [f"version {note.version} -> {version}"] if version != note.version else []
    moved += [text] if (text := fingerprint(name).difference(note.fingerprint)) else []
    return f"{name}: unverified since {note.date} ({', '.join(moved)})" if moved else ""


def note_exports(papers: Iterable[str], committed: Path) -> None:
    """Note the checksums of the papers' committed cells, and of the notes on estimators."""
    sums = _sums(committed) | {FILE: ""}
    for paper in papers:
        sums |= dict.fromkeys((f"{paper}/{name}" for name in (CELLS, REPLICATES, PROVENANCE)), "")
    checksums = {name: old or _checksum(committed / name) for name, old in sorted(sums.items())}
    lines = (f"{checksum}  {name}\n" for name, checksum in checksums.items() if checksum)
    write_atomically(committed / SUMS, "".join(lines).encode())


def unverified_exports(paper: str, committed: Path) -> list[str]:
    """Return a sentence for each file of a paper's cells that is not the one that was verified.

    `paper`: "" asks for what is noted of estimators. Where nothing was ever noted, there is nothing
    to say.
    """
    names = [f"{paper}/{name}" for name in (CELLS, REPLICATES, PROVENANCE)] if paper else [FILE]
    sums = _sums(committed)
    fix = f"retree verify paper={paper}" if paper else "restore it, or run retree verify"
    return [
        f"{committed / name} is not the file that was verified: {fix}."
        for name in names
        if sums and sums.get(name, "") != _checksum(committed / name)
    ]


def _sums(committed: Path) -> dict[str, str]:
    """Return the noted checksums by file, in the folder of committed results."""
    path = committed / SUMS
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = (line.partition("  ") for line in lines)
    return {name: checksum for checksum, _, name in pairs}


def _checksum(path: Path) -> str:
    """Return the checksum of a file, "" if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
