"""What computed cells: each process describes itself, and code other than ours is refused."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from retree.errors import RetreeError
from retree_lab.experiments.storing.outcome import Outcome
from retree_lab.provenance import environment
from retree_lab.study.own_sources import folder_hash

# The process that the rest is of: it is for messages, and is not stored.
NODE = "node"
VERSIONS = ("python", "numpy", "scipy", "scikit-learn", "pandas")
Facts = Mapping[str, Any]


def describe_process(folders: Iterable[Path]) -> Facts:
    """Return code, versions and processor of this process, and a hash of the files in `folders`."""
    own = " ".join(folder_hash(folder) for folder in sorted(folders))
    return {**_environment(), **({"study_code": own} if own else {}), NODE: platform.node()}


@cache
def _environment() -> Facts:
    return environment()


class CodeCheck:
    """Compares the processes that compute cells with this one.

    `folders`: by the key of a cell, the folders of a study's own Python files that it needs.
    `tell`: called with a sentence on each process that has other versions.
    """

    def __init__(self, folders: Mapping[str, frozenset[Path]], tell: Callable[[str], None]) -> None:
        self._folders, self._tell = folders, tell
        self._ours = {some: describe_process(some) for some in {*folders.values()}}
        self._told = set[str]()

    def admit(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return `outcomes` with what computed them; raise a RetreeError if it ran other code."""
        admitted = []
        for outcome in outcomes:
            ours = self._ours[self._folders[outcome.key]]
            # A process that died says nothing; an earlier retree does not know how to.
            theirs = outcome.by or (ours if outcome.error else {})
            _refuse_other_code(theirs, ours)
            self._tell_versions(theirs, ours)
            facts = {name: value for name, value in theirs.items() if name != NODE}
            admitted.append(replace(outcome, by=facts))
        return admitted

    def _tell_versions(self, theirs: Facts, ours: Facts) -> None:
        other = [
            f"{name} {theirs.get(name)} instead of {ours.get(name)}"
            for name in VERSIONS
            if theirs.get(name) != ours.get(name)
        ]
        text = f"A worker on {theirs.get(NODE)} computes with {', '.join(other)}."
        if other and text not in self._told:
            self._told.add(text)
            self._tell(f"{text} Last bits may differ; the provenance of its cells says so.")


def _refuse_other_code(theirs: Facts, ours: Facts) -> None:
    finished = "What was finished before is stored"
    where = theirs.get(NODE, "another machine")
    if theirs.get("code") != ours["code"]:
        there, here = (f"{some.get('retree')}, code {some.get('code')}" for some in (theirs, ours))
        raise RetreeError(
            f"A worker on {where} runs another retree ({there}) than this process "
            f"({here}), so none of its cells is stored: install the same there, and start the "
            f"worker anew. {finished}."
        )
    if theirs.get("study_code") == ours.get("study_code"):
        return
    if theirs.get(NODE) == ours[NODE]:
        raise RetreeError(
            f"The study's Python files were edited during the run. {finished}; run again to "
            "compute the rest with the files as they are now."
        )
    raise RetreeError(
        f"A worker on {where} has other Python files of the study than this process, or "
        f"none: copy the study there, to the same place. {finished}."
    )
