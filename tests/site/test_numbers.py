"""Tables of rendered Markdown as HTML."""

from __future__ import annotations

import re

import pytest

from retree.site.numbers import Names, legend, with_tables

PAGE = """\
- Ten folds.

## Accuracy

| data set | New [1] | Old |
| :-- | --: | --: |
| a_b | [0.80][f1] (0.75) ✗▲ [2] | — (0.70) |
| c | [0.60][f2] (0.61) ✓ | [0.50][f3] \\* |
| **mean** | [0.70][f4] (0.68) (✓) | [0.50][f3] [−1, +1] |

- See [Table 2](table2.md) and [these](folds/c.md#t-old).

[1] It is new.

[f1]: folds/a-b.md#t-new "s = 0.1, 5 folds · difference +0.05, allowed 0.01 · says \\"x\\""
[f2]: folds/c.md#t-new
[f3]: folds/c.md#t-old
[f4]: folds/t_values.md#values-1-new
"""
NAMES = Names({"a_b": "../b.html", "New": "new.html"}, {"a_b": "Drawn.", "Old": "As it was."})


@pytest.fixture
def page():
    return with_tables(PAGE, "Table 1", NAMES)


def cells(html):
    return re.findall(r"<td.*?</td>", html, re.DOTALL)


def test_a_number_has_its_verdict_note_difference_and_folds(page):
    first = cells(page)[0]
    assert 'class="rt-differs" data-difference="+0.05"' in first
    assert "a_b · New\ns = 0.1, 5 folds\ndifference +0.05, allowed 0.01\nsays &quot;x" in first
    assert '<a href="folds/a-b.html#t-new"><span class="rt-number">0.80</span>' in first
    assert '<span class="rt-marks">✗▲</span><span class="rt-published">(0.75)</span> [2]' in first


def test_what_is_not_compared_has_no_verdict(page):
    blank, starred = cells(page)[1], cells(page)[3]
    assert blank == (
        '<td><span class="rt-number">—</span><span class="rt-published">(0.70)</span></td>'
    )
    assert '<span class="rt-marks">*</span>' in starred
    assert "rt-" not in starred.partition("<a")[0]


def test_means_and_counts_stand_in_the_footer(page):
    body, _, foot = page.partition("<tfoot>")
    assert "mean" not in body
    assert foot.startswith('<tr><th scope="row"><strong>mean</strong></th><td class="rt-weak">')
    assert '<a href="folds/c.html#t-old">0.50</a> [−1, +1]</td>' in foot
    assert '<th scope="row">agree</th><td>2 of 3</td><td></td>' in foot


def test_heads_lead_to_pages_and_have_remarks(page):
    assert '<a href="../b.html" data-tip="Drawn.">a_<wbr>b</a>' in page
    assert '<a href="new.html">New</a> [1]</th>' in page
    assert '<abbr tabindex="0" data-tip="As it was.">Old</abbr>' in page
    assert 'aria-label="Table 1, Accuracy"' in page


def test_words_lead_to_pages_too():
    rows = (
        "| item | method | reproduced |\n| :-- | :-- | --: |\n| T | New | [1.0](folds/x.md#n) |\n"
    )
    html = with_tables(rows, "Outside", NAMES)
    assert '<td class="rt-text"><a href="new.html">New</a></td>' in html
    assert '<a href="folds/x.html#n"><span class="rt-number">1.0</span></a></td>' in html


def test_what_is_no_table_stays_markdown(page):
    assert "- See [Table 2](table2.md)" in page
    assert '<a href="folds/c.html#t-old">these</a>' in page
    assert "[f1]" not in page


def test_tables_without_numbers_stay_unless_every_one_is_asked_for():
    words = "| a | b |\n| :-- | :-- |\n| `x` | y\\|z |\n"
    assert with_tables(words, "", Names()).strip() == words.strip()
    html = with_tables(words, "", Names(), every=True)
    assert "<code>x</code>" in html
    assert "y|z" in html


def test_the_legend_has_the_signs_that_occur():
    assert re.findall(r"rt-key rt-(\w+)", legend(PAGE)) == ["agrees", "weak", "differs"]
    assert legend("# Words\n") == ""
