"""Bundled sets held against OpenML and UCI: what the command ``retree data`` says of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from retree.datasets.acquire import bundled_content
from retree.datasets.catalogue import SERVERS, CatalogueEntry
from retree.datasets.source_check import SourceCheck, check_source, recorded
from retree.errors import DataError


@dataclass
class Counts:
    """How many sets of each source agree with the bundled rows, differ, or were not compared."""

    of: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def silent(self) -> int:
        """Comparisons that failed because a source gave nothing."""
        return sum(n for (_, outcome), n in self.of.items() if outcome == "unavailable")

    def sentences(self) -> list[str]:
        """Return one line for each source that was asked."""
        sources = dict.fromkeys(source for source, _ in self.of)
        return [
            f"{source}: "
            + ", ".join(f"{self.of[source, o]} {o}" for o in ("agree", "differ", "unavailable"))
            for source in sources
        ]


def comparable(entry: CatalogueEntry, source: str | None) -> bool:
    """Return whether a set is bundled and `source` (None: any server) is to be compared."""
    servers = set(entry.sources) & set(SERVERS)
    return "bundled" in entry.sources and (source in servers if source else bool(servers))


def fetch(entry: CatalogueEntry, source: str | None, force: bool, counts: Counts) -> str:
    """Compare a bundled set with `source`, or with all servers that offer it; return a line.

    A source that differed before is asked again, since the server may have mended it.
    """
    content = bundled_content(entry)
    parts = [f"{len(content.y)} rows, {content.X.shape[1]} columns"]
    for name in [source] if source else [s for s in SERVERS if s in entry.sources]:
        known = recorded(entry, name)
        again = force or (known is not None and not known.agrees)
        try:
            check = check_source(entry, name, lambda: content[:2], force=again)
        except DataError as error:
            counts.of[name, "unavailable"] += 1
            parts.append(f"{name} unavailable ({str(error).rstrip('.')})")
        else:
            counts.of[name, "agree" if check.agrees else "differ"] += 1
            parts.append(_verdict(check))
    return "; ".join(parts)


def verify(entry: CatalogueEntry, source: str) -> str:
    """Return that `source` has the rows of a bundled set, asking it unless that is recorded.

    Raises
    ------
    DataError
        If the set is not bundled, the source is unavailable, or its content differs; the message
        then lists the first differences.
    """
    if "bundled" not in entry.sources:
        raise DataError(
            "It is not bundled, so there is nothing to compare with; leave out --source."
        )
    if source == "bundled":
        return f"{len(bundled_content(entry).y)} rows verified"
    content = bundled_content(entry)
    check = check_source(entry, source, lambda: content[:2])
    if not check.agrees:
        raise DataError("\n  ".join([_verdict(check), *check.first]))
    return _verdict(check)


def known(entry: CatalogueEntry) -> list[str]:
    """Return what is recorded of the servers of a bundled set."""
    if "bundled" not in entry.sources:
        return []
    found = [recorded(entry, source) for source in SERVERS if source in entry.sources]
    return [_verdict(check) for check in found if check is not None]


def _verdict(check: SourceCheck) -> str:
    if check.agrees:
        return f"{check.source} agrees ({check.date})"
    return f"{check.source} differs: {check.difference} ({check.date})"
