"""The claims of a paper as bars: how many replicates show each, or where its number lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retree.reports.claims.claim_tables import COLUMNS, expected, quantity_text
from retree.reports.claims.judging import Honest, JudgedClaim, Replicated
from retree.reports.html_elements import element, link, text
from retree.reports.words import CLAIM_WORDS, claim_word

_PAINTS = {"yes": "rt-match", "no": "rt-off", "direction only": "rt-close"}
_WIDTH = 100


def claim_bars(claims: Sequence[JudgedClaim]) -> str:
    """Return how the paper's own claims are answered, and each of them; "" without any."""
    own = [j for j in claims if not j.claim.ours]
    if not own:
        return ""
    counts = "".join(element("p", line) for line in _counts(own))
    shown = element("summary", f"{len(own)} claims") + element("ul", "".join(map(_claim, own)))
    more = link("claims.html", "The numbers that decide, and how each claim is checked")
    return counts + element("details", shown, class_="rt-claims") + element("p", more)


def _answers(judgement: JudgedClaim) -> dict[str, str]:
    """Return what the columns of the table of claims say of one, without silent ones."""
    words = (judgement.in_paper, judgement.here, Honest.of(judgement.nested.holds))
    heads = (head for head, _ in COLUMNS.values())
    return {head: claim_word(word) for head, word in zip(heads, words, strict=True) if word}


def _counts(claims: Sequence[JudgedClaim]) -> Iterator[str]:
    answers = [_answers(j) for j in claims]
    for head, _ in COLUMNS.values():
        found = {word: sum(own.get(head) == word for own in answers) for word in CLAIM_WORDS}
        keys = [_key(f"{word} {n}", word) for word, n in found.items() if n]
        if keys:
            yield f"{head[0].upper()}{head[1:]}: {' '.join(keys)}"


def _key(words: str, answer: str) -> str:
    return element("span", text(words), class_=f"rt-key {_PAINTS.get(answer, '')}".strip())


def _claim(judgement: JudgedClaim) -> str:
    claim = judgement.claim
    said = f"{text(claim.text)} {element('small', text(claim.place))}"
    keys = " ".join(_key(f"{head}: {word}", word) for head, word in _answers(judgement).items())
    return element("li", said + element("div", keys + _picture(judgement)))


def _picture(judgement: JudgedClaim) -> str:
    """Return where the paper's number lies on our range, or which replicates hold a claim."""
    found, check = judgement.replicated, judgement.claim.check
    if found is None or check is None:
        return ""
    if found.prediction is None:
        held = found.count if found.directions is None else sum(found.directions)
        bar = f'<rect class="rt-in" y="3" width="{_WIDTH * held / found.total:.1f}" height="8"/>'
        return _drawn(bar, f"{held} of {found.total} replicates")
    low, high = expected(check, found)
    shown = [quantity_text(check, found, value) for value in (found.printed.value, low, high)]
    words = f"paper {shown[0]}, one replicate {shown[1]} to {shown[2]}"
    return _drawn(_range(found, low, high), words)


def _range(found: Replicated, low: float, high: float) -> str:
    """Return our range as a bar and the paper's number as a tick, on the data sets or near both."""
    value = found.printed.value
    first, last = min(low, value), max(high, value)
    if found.printed.is_count:
        first, last = 0.0, float(found.n_datasets)
    scale = _WIDTH / (last - first) if last > first else 0.0
    tick, start, end = (scale * (x - first) for x in (value, low, high))
    width = max(end - start, 1)
    band = f'<rect class="rt-in" x="{start:.1f}" y="3" width="{width:.1f}" height="8"/>'
    return f'{band}<path d="M{tick:.1f} 0v14"/>'


def _drawn(content: str, words: str) -> str:
    axis = f'<rect y="6" width="{_WIDTH}" height="2"/>'
    drawing = f'<svg viewBox="-1 0 102 14" aria-hidden="true">{axis}{content}</svg>'
    return f"{drawing} {text(words)}"
