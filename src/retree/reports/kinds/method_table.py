"""Tables that describe methods in words (kind ``method_table``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from retree.experiments.definition.method import Method
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.kind import Kind

Record = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class MethodTable(Kind[list[Record]]):
    """A row for each method: its name, facts about it, and whether it runs here."""

    chooses = False

    # The heading of a column for each fact that methods have under ``about``. What the paper gives
    # instead of a fact, or of the name, is there as ``published_<fact>``.
    facts: Mapping[str, str]

    def compare(self, context: Context) -> list[Record]:
        """Return the facts by method."""
        return [self._record(method, context.item.methods) for method in context.item.methods]

    def tables(self, rows: list[Record]) -> Mapping[str, pd.DataFrame]:
        """Return the facts."""
        return {"": pd.DataFrame(rows)}

    def document(self, context: Context, rows: list[Record]) -> Document:
        """Return the table, and the known misprints."""
        header = ["method", *self.facts.values(), "runs here"]
        lines = []
        for method, row in zip(context.item.methods, rows, strict=True):
            texts = [_with_published(row, name) for name in ("method", *self.facts)]
            lines.append([*texts, TableCell(row["runs"], method.missing or "")])
        sentences = ["Where the paper says something else, that is in brackets."]
        for fact in self.facts:
            names = [r["method"] for r in rows if r.get(_published(fact), r[fact]) != r[fact]]
            if names:
                sentences.append(f"The published {fact} is wrong for {' and '.join(names)}.")
        table = Table(header, lines, left=len(header))
        return Document([], [table, Bullets(sentences)])

    def _record(self, method: Method, methods: Sequence[Method]) -> Record:
        about = method.about
        record = {
            "method": method.name,
            "published_name": str(about.get("published_name", method.name)),
        }
        for fact in self.facts:
            record[fact] = str(about.get(fact, ""))
            if any(_published(fact) in m.about for m in methods):
                record[_published(fact)] = str(about.get(_published(fact), record[fact]))
        record["runs"] = "yes" if method.missing is None else "no"
        return record


def _published(fact: str) -> str:
    return "published_name" if fact == "method" else f"published_{fact}"


def _with_published(record: Record, fact: str) -> Entry:
    right, published = record[fact], record.get(_published(fact), record[fact])
    return right if right == published else f"{right} (published: {published})"
