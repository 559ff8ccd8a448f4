"""Tables of documents as HTML."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from retree_lab.reports.comparison import Comparison, Judgement, Word
from retree_lab.reports.document import (
    MEAN_CELL,
    Bullets,
    Document,
    Listing,
    Phrase,
    Table,
    TableCell,
    Text,
    ToAddress,
    ToFolds,
    ToValues,
    number_cell,
)
from retree_lab.reports.html import HtmlWriter, Names
from retree_lab.reports.published import PublishedValue

FOLDS, VALUES = ToFolds("t", "c", "Old", "{}"), ToValues("t", 1, "New")
PLACES = {FOLDS: "folds/c.html#t-old", VALUES: "folds/t_values.html#values-1-new"}
NAMES = Names({"a_b": "../b.html", "New": "new.html"}, {"a_b": "Drawn.", "Old": "As it was."})
THEIRS = PublishedValue(0.75, math.nan)
FIRST = Comparison(
    *("a_b", "New", "accuracy", 0.8, 0.1, THEIRS, 5, "{}"), judgement=Judgement("differs")
)
DIFFERS = replace(
    number_cell(FIRST), to=FOLDS, marks="✗▲", reason="Late.", facts=("s = 0.1", 'says "x"')
)
MATCHES = TableCell("0.60", published="(0.61)", marks="✓", word=Word.MATCH, to=FOLDS)
CLOSE_BY = TableCell("0.70", published="(0.68)", marks="≈", word=Word.CLOSE, to=VALUES)
TABLE = Table(
    ["data set", TableCell("New", "It is new."), "Old"],
    [
        ["a_b", DIFFERS, TableCell("—", published="(0.70)")],
        ["c", MATCHES, TableCell("0.50", marks="*", to=FOLDS)],
        [MEAN_CELL, CLOSE_BY, TableCell("0.50 [−1, +1]", to=FOLDS)],
    ],
    title="Accuracy",
)
WRITER = HtmlWriter(PLACES.get, NAMES)


@pytest.fixture
def page():
    (_, section) = WRITER.sections(Document(["Ten folds."], [TABLE], title="Table 1"))
    assert section.title == "Accuracy"
    return section.content


def cells(html):
    return re.findall(r"<td.*?</td>", html, re.DOTALL)


def test_a_number_has_its_verdict_tooltip_difference_and_folds(page):
    first = cells(page)[0]
    assert 'class="rt-off" data-difference="+0.0500"' in first
    assert "a_b · New\ns = 0.1\nsays &quot;x" in first
    assert '<a href="folds/c.html#t-old"><span class="rt-number">0.8000</span>' in first
    shown = '<i class="rt-marks">✗▲</i><span class="rt-published">(0.7500)</span> [2]</td>'
    assert first.endswith(shown)


def test_what_is_not_compared_has_no_verdict(page):
    blank, starred = cells(page)[1], cells(page)[3]
    assert blank == '<td>—<span class="rt-published">(0.70)</span></td>'
    assert '<i class="rt-marks">*</i>' in starred
    assert "rt-" not in starred.partition("<a")[0]


def test_means_and_counts_stand_in_the_footer(page):
    body, _, foot = page.partition("<tfoot>")
    assert "mean" not in body
    assert foot.startswith('<tr><th scope="row"><strong>mean</strong></th><td class="rt-close">')
    assert '<th scope="row">match</th><td>1 of 3</td><td></td>' in foot


def test_heads_lead_to_pages_and_have_remarks(page):
    assert '<a href="../b.html" data-tip="Drawn.">a_<wbr>b</a>' in page
    assert '<a href="new.html">New</a> [1]</th>' in page
    assert '<abbr tabindex="0" data-tip="As it was.">Old</abbr>' in page
    assert 'aria-label="Table 1, Accuracy"' in page


def test_words_lead_to_pages_too():
    row = ["T", "New", TableCell("1.0", to=FOLDS)]
    html = WRITER.table(Table(["item", "method", "reproduced"], [row], left=2), "Outside")
    assert '<td class="rt-text"><a href="new.html">New</a></td>' in html
    assert '<a href="folds/c.html#t-old">1.0</a></td>' in html
    counted = Table(["data set", TableCell(("(1) ", Phrase("New")))], [["c", "1"]])
    assert '(1) <a href="new.html">New</a></th>' in WRITER.table(counted, "Counted")


def test_texts_are_escaped_and_links_to_scripts_are_words():
    evil = "<b>`x<y`</b>"
    words = Phrase("run", ToAddress("javascript:x()"))
    blocks = [Text(text=evil), Bullets([(evil, words)]), Table(["x"], [[evil]]), Listing("a<b")]
    (section,) = HtmlWriter(lambda to: to.name).sections(Document([], blocks))
    assert section.content.count("&lt;b&gt;<code>x&lt;y</code>&lt;/b&gt;") == 3
    assert "javascript" not in section.content
    assert "<pre>a&lt;b</pre>" in section.content


def test_footnotes_end_the_page_and_places_head_their_sections():
    blocks = [Text("First", places=[FOLDS]), TABLE, Text("Last", "Words.")]
    _, table, last = WRITER.sections(Document([], blocks))
    assert last.content == "<p>Words.</p>\n<p>[1] It is new.</p>\n<p>[2] Late.</p>"
    assert table.places == ()
    first, *_ = WRITER.sections(Document([], [*blocks[:1], Text(text="x"), *blocks[1:]]))
    assert first.places == [FOLDS]


def test_a_share_is_drawn_as_a_bar():
    html = WRITER.table(Table(["x", "y"], [["a", TableCell("71%", share=0.714)]]), "Shares")
    assert '<span style="width:71.4%"></span></span> 71%</td>' in html
