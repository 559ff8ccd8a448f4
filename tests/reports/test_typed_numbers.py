"""Numbers in the templates of pages: computed from the results, or listed in ``typed_numbers.txt``.

A count that is typed stays as it is when the results move, and then contradicts a table.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(
    path
    for pattern in ("site/*.md", "paper/*/page.md", "paper/*/verdict.md")
    for path in (ROOT / "conf").glob(pattern)
)
# Code, places and names, in which digits count nothing.
OUTSIDE = (
    r"\{[%{#].*?[%}#]\}|^```.*?^```$|\]\([^)]*\)|<[^>]*>|`[^`]*`|\b(?:19|20)\d\d\b"
    r"|\b\d{4}-\d\d-\d\d\b|\b[A-Za-z]+-\d\b"
    r"|\b(?:Tables?|Figures?|Examples?|Algorithm|[Ss]ections?|eq\.|lines|task|study|seed|Weka|Release|Python)"
    r"\s\d[\d.]*\+?(?:(?:–| and )\d[\d.]*)?|\b[CJ]\d[\d.]*|\bx5\b|\b\d+-fold\b"
)
NUMBER = (
    r"(?<!\w)\d[\d,.]*(?<![,.])|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|thirteen|fourteen|fifteen|twenty|thirty|hundreds?|dozens?|thousands?)\b"
)


def words_of(template: str) -> str:
    """The words of a template on one line, a § in the place of what is computed."""
    return " ".join(re.sub(OUTSIDE, "§", template, flags=re.S | re.M).split())


def typed(words: str) -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(NUMBER, words, flags=re.I)]


def allowed() -> dict[str, list[str]]:
    phrases: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "typed_numbers.txt").read_text().splitlines():
        name, _, phrase = line.partition(": ")
        phrases.setdefault(name, []).append(phrase)
    return phrases


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: "/".join(p.parts[-2:]))
def test_a_typed_number_is_listed(path):
    words, phrases = words_of(path.read_text()), allowed().get("/".join(path.parts[-2:]), [])
    assert [phrase for phrase in phrases if phrase not in words] == []
    spans = [m.span() for phrase in phrases for m in re.finditer(re.escape(phrase), words)]
    bare = [
        words[max(0, low - 30) : high + 30]
        for low, high in typed(words)
        if not any(first <= low and high <= last for first, last in spans)
    ]
    assert bare == []


def test_typed_counts_are_found_and_computed_ones_are_not():
    text = "## Du & Chen 2023\n\nOf {{ n }} numbers, 36 are counts of\nTable 2; two (5 %) are not."
    words = words_of(text)
    assert [words[low:high] for low, high in typed(words)] == ["36", "two", "5"]


def test_a_page_that_types_a_count_again_is_refused():
    """The sentence that said how many counts agree, and meant how many were judged."""
    page = ROOT / "conf" / "site" / "findings.md"
    computed = "{{ shapes.agree }} are counts of rows"
    assert computed in page.read_text()
    words = words_of(page.read_text().replace(computed, "36 are counts of rows"))
    phrases = "\n".join(allowed()["site/findings.md"])
    assert any(words[low:high] == "36" for low, high in typed(words))
    assert "36" not in phrases
