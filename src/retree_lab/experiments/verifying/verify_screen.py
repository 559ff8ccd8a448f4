"""What ``retree verify`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from retree_lab.experiments.planning.cell import cells_text
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.planning.splits import inner_words
from retree_lab.experiments.verifying.cell_difference import Grade
from retree_lab.experiments.verifying.fingerprint import fingerprint
from retree_lab.experiments.verifying.verification import Recomputed, Verification
from retree_lab.experiments.verifying.verified import Verified, unverified
from retree_lab.provenance import bits_text, provenance
from retree_lab.screen import print_table, say
from retree_lab.study.registry import STATE, find_estimator

SHOWN = 20


def print_unverified(plans: Iterable[Plan], committed: Path | None, console: Console) -> None:
    """Print which estimators of `plans` are not known to give today what is committed."""
    methods = [method for plan in plans for method in plan.item.methods]
    names = {str(method.estimator) for method in methods if method.missing is None}
    for sentence in unverified(names, committed):
        say(sentence, console)


def print_verification(
    found: Verification, known: Mapping[str, Verified], console: Console
) -> None:
    """Print where cells were made, the first of those that differ, and a grade for all."""
    for made, count in found.made.most_common():
        say(f"Stored: {cells_text(count)} computed on {made}.", console)
    say(f"Here: {bits_text(provenance())}.", console)
    if found.mismatches:
        _print_mismatches(found.mismatches, console)
    for name in sorted(found.compared):
        grades = found.grades(name)
        counts = (f"{grades[grade]:,} {grade}" for grade in Grade if grades[grade])
        say(f"{name}: {cells_text(found.compared[name])}: {'; '.join(counts)}", console)
    for name in found.moved:
        say(advice(name, known.get(name)), console)
    if found.undigested:
        say(
            f"{cells_text(found.undigested)} stored without a digest: accuracy, sizes and, where "
            "they are stored, predictions were compared; the digest is new.",
            console,
        )


def advice(name: str, known: Verified | None) -> str:
    """Return what to do about an estimator whose cells do not come out as stored.

    `known`: when its cells came out as stored for the last time, None if that is not known.
    """
    if known is None:
        why = "it was never verified, so it is not known whether its sources have changed"
        return f"{name}: {why}. If they have, {_how_to_raise(name)}."
    today, since = fingerprint(name), f"it was verified on {known.date}"
    if today.sources != known.fingerprint.sources:
        return (
            f"{name}: its sources have changed since {since}. If results were meant to move, "
            f"{_how_to_raise(name)}; if not, undo the change."
        )
    libraries = today.difference(known.fingerprint)
    moved = f" ({libraries})" if libraries else ""
    then = ", ".join(text for text in (known.machine, known.kernels) if text)
    return (
        f"{name}: its sources are those of the day when {since} on {then or 'another machine'}, so "
        f"its version stays. What differs comes from the processor or the libraries{moved}."
    )


def _how_to_raise(name: str) -> str:
    """Return how the version of an estimator is raised, and where that is said."""
    registered = find_estimator(name)
    if str(registered.version).startswith(STATE):
        return (
            "raise version: of its methods in methods/*.yaml if they have one; else make it "
            "repeatable, by random_state"
        )
    if isinstance(registered.version, str):
        return f"install the version of {registered.version.split()[0]} that the cells come from"
    where = "raise the version that it declares"
    return f"{where} and say in results/CHANGELOG.md what moved"


def _print_mismatches(mismatches: Sequence[Recomputed], console: Console) -> None:
    """Print the first of the cells that differ, those that do in more than the last bits first."""
    ordered = sorted(mismatches, key=lambda m: m.difference.grade != Grade.DIFFERENT)
    head, rows = ["estimator", "method", "data set", "place", "stored", "computed"], []
    for mismatch in ordered[:SHOWN]:
        cell = mismatch.cell
        place = f"repeat {cell.repeat}, fold {cell.fold}{inner_words(cell.inner)}"
        values = (
            ", ".join(f"{name} {value}" for name, value in side.items())
            for side in (mismatch.difference.old, mismatch.difference.new)
        )
        rows.append([mismatch.estimator, cell.method, cell.dataset, place, *values])
    print_table(head, rows, console, left=head)
    if len(ordered) > SHOWN:
        console.print(f"and {len(ordered) - SHOWN} more")
