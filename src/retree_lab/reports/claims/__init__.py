"""The claims of a paper: judged, shown on its page, and counted over all papers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.claim_config import (
    Check,
    Claim,
    CountCheck,
)
from retree_lab.experiments.definition.paper_config import papers_by_year
from retree_lab.reports.claims.answers import check_words
from retree_lab.reports.claims.judging import (
    MOST,
    Here,
    Honest,
    InPaper,
    JudgedClaim,
    Replicated,
)
from retree_lab.reports.comparison import CLAIM_WORDS, claim_word
from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Entry,
    Phrase,
    Prose,
    Table,
    TableCell,
    Text,
    ToTest,
    parts_of,
    text_of,
)
from retree_lab.reports.formatting import BLANK, number
from retree_lab.reports.sections import entries_table

_ANSWERS = {True: "yes", False: "no", None: "?"}
# The answers that each column of the table of claims may have, by the column of ``claims.csv``.
COLUMNS: Mapping[str, tuple[str, type[StrEnum]]] = {
    "published": ("in the paper", InPaper),
    "here": ("here", Here),
    "nested": ("with honest selection", Honest),
}


def claims_table(judgements: Sequence[JudgedClaim]) -> pd.DataFrame:
    """Return a row for each claim, as in ``claims.csv``."""
    return pd.DataFrame(list(map(_entries, judgements)))


def claims_document(judgements: Sequence[JudgedClaim], source: Prose) -> Document:
    """Return the page of the claims of a paper, which is cited as `source`."""
    theirs, ours = ([j for j in judgements if j.claim.ours is is_ours] for is_ours in (False, True))
    blocks: list[Block] = [claims_total(judgements)]
    if theirs:
        blocks.append(_claim_table("claim", theirs))
    if ours:
        text = "Our own statements, which the paper does not make and which are not counted above:"
        blocks += [Text(text=text), _claim_table("statement", ours)]
    return Document([], [*blocks, *_checks(judgements)], "Claims", [source])


def claims_total(judgements: Sequence[JudgedClaim]) -> Table:
    """Return how many claims of the paper have each answer; our own statements do not count."""
    return answers_table({"claims of the paper": claims_table(judgements)})


def answers_table(claims: Mapping[str, pd.DataFrame]) -> Table:
    """Return how often each column has each answer, by what the claims are of."""
    counts = {name: count_answers(frame) for name, frame in claims.items()}
    given = [key for key in next(iter(counts.values()), {}) if any(c[key] for c in counts.values())]
    names = {"claims": "all"}
    rows = [[names.get(key, key), *(str(of[key]) for of in counts.values())] for key in given]
    # The answers are words: on a phone each row is a card.
    return Table(["answer", *counts], rows, left=1 + len(counts))


def count_answers(claims: pd.DataFrame) -> dict[str, int]:
    """Return how many of the paper's own claims there are, and with which answers."""
    of_paper = claims[claims["ours"] != "yes"]
    counts = {"claims": len(of_paper)}
    for column, (head, _) in COLUMNS.items():
        said = of_paper[column].map(claim_word)
        counts |= {f"{head}: {word}": int((said == word).sum()) for word in CLAIM_WORDS}
    return counts


def _claim_table(what: str, judgements: Sequence[JudgedClaim]) -> Table:
    with_nested = any(j.nested.numbers for j in judgements)
    with_program = any(j.program is not None for j in judgements)
    paper, here, honest = (head for head, _ in COLUMNS.values())
    rows = []
    for j in judgements:
        row: dict[str, Entry] = {"place": j.claim.place, what: j.claim.text}
        row[paper] = TableCell(_answered(j.in_paper, j.published.numbers))
        row[here] = TableCell(_answered(j.here, *_of_ours(j)))
        if with_nested:
            row[honest] = TableCell(_answered(j.honest, j.nested.numbers))
        if with_program:
            said = _answered(j.program.here, *_of_ours(j.program)) if j.program else BLANK
            row["with the paper's program"] = TableCell(said)
        rows.append(row)
    return entries_table(rows, left=4 + with_nested + with_program)


def _answered(word: str, *details: Prose) -> Prose:
    """Return an answer and what it rests on."""
    given = [detail for detail in details if detail]
    details = tuple(part for detail in given for part in ("; ", *parts_of(detail)))[1:]
    if not word:
        return details or BLANK
    return (Phrase(claim_word(word), strong=True), *((": ", *details) if details else ()))


def _of_ours(judgement: JudgedClaim) -> Iterator[Prose]:
    """Yield what the answer of the reproduced numbers rests on."""
    claim = judgement.claim
    if claim.unchecked is not None:
        yield claim.unchecked
    elif claim.test is not None:
        name = Phrase(claim.test.partition("::")[2], ToTest(claim.test), code=True)
        yield name, f": {claim.tolerance}; {_digits(claim)}"
    else:
        yield judgement.reproduced.numbers
    if judgement.not_judged:
        yield judgement.not_judged
    if judgement.replicated is not None and claim.check is not None:
        yield from _of_replicates(claim.check, judgement.replicated)
    if claim.other_reason and judgement.here in (Here.YES, Here.DIRECTION):
        yield f"its cause is open: {claim.other_reason}"
    if judgement.n_ours and judgement.here not in (Here.OPEN, Here.SILENT):
        of = f"{judgement.n_ours} of {judgement.n_datasets} data sets"
        yield f"{of} are not the paper's, which are not known"


def _of_replicates(check: Check, replicated: Replicated) -> Iterator[str]:
    """Yield what one replicate gives, and in how many the claim holds."""
    printed = replicated.printed
    if replicated.prediction is not None:
        ends = " to ".join(
            quantity_text(check, replicated, value) for value in expected(check, replicated)
        )
        of_paper = quantity_text(check, replicated, printed.value)
        yield f"one replicate gives {ends}, the paper {of_paper}"
    if replicated.directions is not None:
        few = isinstance(check, CountCheck) and check.at_least is None
        side = "on less than half of the data sets" if few else "on most data sets"
        yield f"{side} in {sum(replicated.directions)} of {replicated.total} replicates"
    elif replicated.prediction is None or not printed.is_count:
        yield f"holds in {replicated.count} of {replicated.total} replicates"
    if replicated.n_varied < replicated.n_datasets:
        yield f"{replicated.n_varied} of {replicated.n_datasets} data sets vary"


def expected(check: Check, replicated: Replicated) -> tuple[float, float]:
    """Return the 95 % interval of a claim's number in one replicate, which has a prediction."""
    assert replicated.prediction is not None
    low, high = replicated.prediction.interval(replicated.printed.rounding)
    if replicated.printed.is_count:
        return max(0, math.ceil(low)), min(len(check.datasets), math.floor(high))
    return low, high


def quantity_text(check: Check, replicated: Replicated, value: float) -> str:
    """Return a claim's number: a count, a ratio or a difference."""
    if replicated.printed.is_count:
        return f"{value:.0f}"
    return (
        f"× {value:.2f}" if replicated.printed.is_ratio else number(check.metric, value, sign=True)
    )


def _digits(claim: Claim) -> str:
    """Return whether a test reaches what the paper publishes, to its last digit."""
    if claim.to_published_digits is None:
        return "no figure is published"
    if claim.to_published_digits:
        return "equal to the published figures, to their last digit"
    return "not equal to the published figures to their last digit"


def how_checked(claim: Claim) -> tuple[str | Phrase, ...]:
    """Describe in words how a claim is checked."""
    if claim.unchecked is not None:
        return (f"not checked: {claim.unchecked}",)
    if claim.check is not None:
        return (check_words(claim.check),)
    assert claim.test is not None
    contrary = ", which shows the contrary" if claim.refuted else ""
    test = Phrase(claim.test, ToTest(claim.test), code=True)
    return "by the test ", test, f"{contrary}; tolerance: {claim.tolerance}; {_digits(claim)}"


def _checks(judgements: Sequence[JudgedClaim]) -> list[Block]:
    """Return the checks behind the claims."""
    sentences: list[Prose] = []
    for judgement in judgements:
        *first, last = how_checked(judgement.claim)
        assert isinstance(last, str)
        sentences.append((f"{judgement.claim.name}: ", *first, f"{last.rstrip('.')}."))
    notes = [
        "“In the paper” says whether the published numbers show the claim, known errors included. "
        "“Here” says whether our numbers show it, reproduced as published and averaged over any "
        "replicates. “With honest selection” says whether they do with parameters chosen inside "
        "the training folds; a count on the claimed side that misses the claimed number is "
        "direction only. A claim that depends on a missing or unreadable number has no answer, "
        "and one about the published tables alone has none “here”.",
    ]
    if any(j.program is not None for j in judgements):
        notes.append(
            "“With the paper's program” is like “here”, but with the programs that the paper ran "
            "instead of the algorithms as they are written."
        )
    if any(j.in_paper == InPaper.NOT_SHOWN or j.claim.our_choice for j in judgements):
        notes.append(
            "Where the paper gives no number, as for “far lower”, the threshold after “here” is "
            "ours. If the published numbers do not reach it, the tables neither show the claim nor "
            "contradict it: not checkable."
        )
    if any(j.replicated for j in judgements):
        notes += [
            "A replicate is the whole protocol run again with other folds. Data sets that were run "
            "once keep the numbers of that run in all replicates. A count, a difference or a ratio "
            "is judged like any other number: by the 95 % prediction interval of one replicate.",
            f"“Here” is yes if at least {MOST:.0%} of the replicates have the direction that the "
            "claim says and the paper's number lies inside the interval; if it lies outside, it is "
            "direction only. If fewer have the direction, it is not checkable if the number lies "
            "inside, and otherwise no. “On 18 of 21 data sets” has the direction “on most”; a "
            "count below half has no direction, and its number decides. Without a published number "
            f"the direction decides: yes if at least {MOST:.0%} of the replicates have it, no if "
            f"at most {1 - MOST:.0%} have it, otherwise not checkable.",
        ]
    return [Text("How they are checked"), Bullets(sentences), Bullets(notes)]


def _entries(judgement: JudgedClaim) -> dict[str, object]:
    claim, replicated = judgement.claim, judgement.replicated
    digits = claim.to_published_digits
    low = high = printed = math.nan
    if replicated is not None and replicated.prediction is not None:
        (low, high), printed = replicated.prediction.interval(), replicated.printed.value
    directions = None if replicated is None else replicated.directions
    program = judgement.program
    by = "test" if claim.test is not None else "numbers" if claim.check is not None else ""
    return {
        "claim": claim.name,
        "place": claim.place,
        "text": claim.text,
        "check": text_of(how_checked(claim)),
        "published": str(judgement.in_paper),
        "published_numbers": judgement.published.numbers,
        "here": str(judgement.here),
        "here_numbers": judgement.reproduced.numbers,
        "by": by,
        "ours": "yes" if claim.ours else "",
        "printed": printed,
        "low": low,
        "high": high,
        "directed": "" if directions is None else sum(directions),
        "held": "" if replicated is None else replicated.count,
        "replicates": "" if replicated is None else replicated.total,
        "varied_datasets": "" if replicated is None else replicated.n_varied,
        "nested": str(judgement.honest),
        "nested_numbers": judgement.nested.numbers,
        "program": "" if program is None else str(program.here),
        "program_numbers": "" if program is None else program.reproduced.numbers,
        "to_published_digits": "" if digits is None else _ANSWERS[digits],
    }


TOTAL = "all papers"


def all_claims(results: Path) -> pd.DataFrame:
    """Return the rows of the papers' ``claims.csv``, after a column ``paper``, as text."""
    tables = []
    paths = (results / name / "claims.csv" for name in papers_by_year())
    for path in filter(Path.is_file, paths):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if lacking := [name for name in ("claim", "by", "ours", *COLUMNS) if name not in table]:
            raise RetreeError(
                f"{path} lacks {' and '.join(lacking)}; write it again by `retree report`."
            )
        for column, (head, words) in COLUMNS.items():
            if unknown := sorted(set(table[column]) - set(words)):
                raise RetreeError(
                    f"Claims of {path} have the answer {', '.join(unknown)} in the column {head}, "
                    "which does not exist; write them again by `retree report`."
                )
        table.insert(0, "paper", path.parent.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["paper"])


def claims_overview(results: Path) -> pd.DataFrame:
    """Return how many claims of each paper, our own statements left out, have which answers.

    Returns a row for each paper that has claims, by name, and one for all of them (`TOTAL`);
    columns as from `count_answers`, those without any left out. Empty without claims.
    """
    claims = all_claims(results)
    if claims.empty:
        return pd.DataFrame(columns=["claims"], dtype=int)
    by_paper = {
        str(paper): count_answers(of_paper)
        for paper, of_paper in claims.groupby("paper", sort=False)
    }
    counts = pd.DataFrame.from_dict({**by_paper, TOTAL: count_answers(claims)}, orient="index")
    return counts.loc[:, counts.loc[TOTAL] > 0]
