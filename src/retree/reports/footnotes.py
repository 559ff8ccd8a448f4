"""Footnotes of a page or of a table."""

from __future__ import annotations


class Footnotes:
    """Numbered reasons; the same reason has the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, reason: str) -> str:
        """Return `` [n]`` for a reason, "" for no reason."""
        if not reason:
            return ""
        return f" [{self._numbers.setdefault(reason, len(self._numbers) + 1)}]"

    def lines(self) -> list[str]:
        """Return the numbered reasons."""
        return [f"[{n}] {reason}" for reason, n in self._numbers.items()]
