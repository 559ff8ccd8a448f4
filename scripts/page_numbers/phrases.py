"""Phrases of a text whose numbers are computed: finding them, comparing them, writing them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_WORDS = (
    *("none", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_DIGITS = r"[+−-]?\d+(?:,\d{3})*(?:\.\d+)?"
_NUMBER = rf"(?:{_DIGITS}|\b(?i:{'|'.join(_WORDS)})\b)"
_FIELD = re.compile("«([^«»]*)»")
# What has digits and is no result: names of places in a paper, of programs and of data sets, years,
# levels of tests, bars of README, worked examples (which run), and all code and addresses.
_NO_RESULTS = re.compile(
    r"^## A worked example.*?(?=^## )|```.*?```|`[^`]*`|\]\([^)]*\)|^#[^\n]*|[█░]+ \d+ %"
    r"|\b(?:Tables?|Figures?|Examples?|Algorithms?|sections?|seed|Python|Weka)"
    r" \d[\d.]*(?:(?:[–,-]| and | to )\s?\d[\d.]*)*\+?"
    r"|\b(?:19|20)\d\d\b|\b95\s%|\b97\.5\s%|\b5\s%|\b0\s%|\b1\.96\b|\b4-fold\b"
    r"|\b[A-Za-z]+[._-]?\d[\w.]*",
    re.S | re.M,
)


def _pattern(phrase: str) -> re.Pattern[str]:
    literals = [r"\s+".join(map(re.escape, part.split(" "))) for part in _FIELD.split(phrase)[::2]]
    return re.compile(rf"({_NUMBER})".join(literals))


def _match(text: str, phrase: str) -> re.Match[str] | None:
    """Return where a phrase occurs, None unless it does so once."""
    found = list(_pattern(phrase).finditer(text))
    return found[0] if len(found) == 1 else None


def _as_there(value: str, there: str) -> str:
    """Return a number as a word where the text has a word, and it is one."""
    if not there[-1].isalpha() or not value.isdigit() or int(value) >= len(_WORDS):
        return value
    word = _WORDS[int(value)]
    return word.capitalize() if there[0].isupper() else word


def different(text: str, phrases: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each phrase that is not in a text, or has other numbers there."""
    for phrase in phrases:
        match, values = _match(text, phrase), _FIELD.findall(phrase)
        if match is None:
            yield f"not found once: {phrase!r}"
        elif [_as_there(*pair) for pair in zip(values, match.groups(), strict=True)] != list(
            match.groups()
        ):
            there = " ".join(match.group().split())
            yield f"{there!r} should be {phrase!r}; run scripts/page_numbers --write"


def written(text: str, phrases: Sequence[str]) -> str:
    """Return a text with the numbers of the phrases."""
    for phrase in phrases:
        if (match := _match(text, phrase)) is None:
            continue
        for i, value in reversed(list(enumerate(_FIELD.findall(phrase), 1))):
            start, end = match.span(i)
            text = text[:start] + _as_there(value, match[i]) + text[end:]
    return text


def unexplained(text: str, phrases: Sequence[str]) -> Iterator[str]:
    """Yield the surroundings of each number in digits that no phrase has, and that may be one."""
    blank = list(text)
    spans = [match.span(i + 1) for phrase in phrases if (match := _match(text, phrase))
             for i in range(len(match.groups()))]  # fmt: skip
    spans += [match.span() for match in _NO_RESULTS.finditer(text)]
    for start, end in spans:
        blank[start:end] = " " * (end - start)
    for match in re.finditer(r"\d[\d.,]*", "".join(blank)):
        yield " ".join(text[max(0, match.start() - 30) : match.end() + 20].split())
