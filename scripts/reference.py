"""Every key of a study, written from the records that read them into docs/guide/studies.md.

What a key means is said by the comments at the fields of the records.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from retree_lab.datasets.own import OwnData
from retree_lab.experiments.definition.claim_config import CHECKS, Check, Claim
from retree_lab.experiments.definition.definitions import AuditPlan, CauseEntry, Numbers, OddSizes
from retree_lab.experiments.definition.item import KINDS, SharedOptions, find_kind
from retree_lab.experiments.definition.protocol import Protocol

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "studies.md"
HEADING = "## Every key\n"
INTRODUCTION = """\
`make generated` writes these tables from the source code. A key without a default is required.
"""
# What no file says: a protocol knows it of a data set, or of retree; a claim, of its paper.
FILLED_IN = {Protocol: {"name", "machine", "content", "test_file"}, Claim: {"check"}}
LABELS = {"labels"}
WORDS = {"metrics": "Metrics, as above", "title": "Its title", "note": "A note for readers"}


def reference() -> str:
    """Return the page with today's tables at its end."""
    before = PAGE.read_text(encoding="utf-8").partition(f"\n{HEADING}")[0]
    lines = [
        _table("An item of any kind", SharedOptions),
        *(_table(f"An item of kind `{name}`", find_kind(name)) for name in KINDS),
        _table("A data set", OwnData),
        _table("A protocol", Protocol),
        _table("A claim", Claim),
        _table("A check of any kind", Check),
        *(_table(f"A check of kind `{name}`", kind, Check) for name, kind in CHECKS.items()),
        _table("`audit`", AuditPlan),
        _table("An entry of `odd` in `audit`", OddSizes),
        _table("An entry of `causes`", CauseEntry),
        _table("An entry of `numbers` in `causes`", Numbers),
    ]
    return "\n".join([before, HEADING, INTRODUCTION, *filter(None, lines)])


def _table(title: str, cls: type[Any], base: type[Any] = object) -> str:
    """Return a table of the keys of a record that its `base` does not have, "" if it has none."""
    comment_of = {
        n: text for each in reversed(cls.__mro__) for n, text in comments(each).items() if text
    }
    words = WORDS | comment_of
    left_out = LABELS | FILLED_IN.get(cls, set()) | {*getattr(base, "__dataclass_fields__", ())}
    rows = [
        f"| `{field.name}` | {_default(field)} | {words.get(field.name, '')} |"
        for field in fields(cls)
        if field.name not in left_out
    ]
    if not rows:
        return ""
    return "\n".join(
        [f"{title}:", "", "| key | default | what it means |", "| :-- | :-- | :-- |", *rows, ""]
    )


def comments(cls: type[Any]) -> dict[str, str]:
    """Return what the comments above and behind the fields of a class say."""
    if not hasattr(cls, "__dataclass_fields__"):
        return {}
    source = textwrap.dedent(inspect.getsource(cls))
    lines, comments_of = source.splitlines(), {}
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            above = list(_comments_above(lines, node.lineno - 2))
            behind = lines[(node.end_lineno or 0) - 1][node.end_col_offset :].partition("#")[2]
            text = " ".join([*reversed(above), behind.strip()]).strip().replace("``", "`")
            comments_of[node.target.id] = text.replace("|", r"\|")
    return comments_of


def _comments_above(lines: list[str], at: int) -> Iterator[str]:
    while lines[at].strip().startswith("#"):
        yield lines[at].strip("# ")
        at -= 1


def _default(field: Field[Any]) -> str:
    if field.default is MISSING and field.default_factory is MISSING:
        return ""
    value = field.default if field.default_factory is MISSING else field.default_factory()
    words = {True: "true", False: "false"} if isinstance(value, bool) else {}
    text = words.get(value, value) if isinstance(value, str | int | float) else value
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else text
    return f"`{text}`" if text not in ("", None, {}) else "none"


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page and what it should say."""
    yield PAGE, reference()


if __name__ == "__main__":
    from generated import main

    sys.exit(main([*sys.argv[1:], "reference"]))
