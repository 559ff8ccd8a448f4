"""Write README, the findings and the pages of the papers from their templates; see `page_template`.

The templates are ``conf/site/*.md`` and ``conf/paper/<name>/page.md``. With ``--check`` nothing is
written: the script exits with 1 if a page is not as the results are.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from retree.reports.evidence import Evidence, by_evidence, find_evidence
from retree.reports.page_template import TEMPLATE, fill
from retree.reports.rendered_tables import read_comparisons

ROOT = Path(__file__).parents[1]
# Where the pages are whose templates stand in conf/site.
PAGES = {"README.md": "README.md", "findings.md": "docs/findings.md"}
_WIDTH = 118


def pages(results: Path = ROOT / "results") -> Iterator[tuple[Path, str]]:
    """Yield each page and what it should be."""
    for name, page in PAGES.items():
        template = ROOT / "conf" / "site" / name
        text = fill(template.read_text(), results, source=template, papers=evidence(results))
        yield ROOT / page, wrapped(text)
    template, page = ROOT / "conf" / "site" / "peers.md", ROOT / "docs" / "guide" / "peers.md"
    yield page, fill(template.read_text(), page.parent, page.stem, template)
    for template in sorted((ROOT / "conf" / "paper").glob(f"*/{TEMPLATE}")):
        paper = template.parent.name
        page = ROOT / "docs" / "guide" / "papers" / f"{paper}.md"
        yield page, wrapped(fill(template.read_text(), results, paper, template))


@cache
def evidence(results: Path) -> list[Evidence]:
    """Return the papers in the order of their evidence."""
    comparisons = read_comparisons(results)
    names = [folder.parent.name for folder in results.glob("*/README.md")]
    found = [find_evidence(name, results, comparisons) for name in sorted(names)]
    return by_evidence(found)


def wrapped(text: str) -> str:
    """Return Markdown with its paragraphs and lists wrapped; all else is as it was."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(p if p.startswith("```") else _wrapped_blocks(p) for p in parts)


def _wrapped_blocks(text: str) -> str:
    return "\n\n".join(map(_wrapped_block, text.split("\n\n")))


def _wrapped_block(block: str) -> str:
    if not block.strip() or block.lstrip()[0] in "#|!<" or block != block.strip("\n"):
        return block
    items = re.split(r"\n(?=- )", block)
    indent = "  " if block.startswith("- ") else ""
    return "\n".join(
        textwrap.fill(
            " ".join(item.split()),
            _WIDTH,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )


def main(arguments: list[str]) -> int:
    """Write the pages, or name those that are out of date."""
    moved = [(p, text) for p, text in pages() if not p.exists() or p.read_text() != text]
    for page, text in moved:
        if arguments == ["--check"]:
            print(f"{page.relative_to(ROOT)} is not as the results are: run scripts/pages.py")
        else:
            page.write_text(text)
    return int(bool(moved) and arguments == ["--check"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
