from __future__ import annotations

from dataclasses import replace
from html import unescape

from toy_paper import context_of, toy_plan

from retree_lab.reports.comparison import Word
from retree_lab.reports.summary import summarise, summary_lines, write_index

DRAWING = "<svg><title>A &lt; B</title><desc>Two bars</desc></svg>"


def summary_of(experiment, frame, folder):
    picture = folder / "toy" / "figure 1.svg"
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(DRAWING)
    item = experiment.items[0]
    context = context_of(experiment, toy_plan(item), frame)
    return summarise(experiment, [(context, [picture])], folder / "toy" / "README.md")


def test_numbers_that_can_be_compared_are_counted(experiment, frame, tmp_path):
    summary = summary_of(experiment, frame, tmp_path)
    # Of six published numbers one is of a method that is missing, and one is a known misprint.
    verdicts = [c.verdict for c in summary.items[0].comparisons if c.published > 0]
    agree, differ = verdicts.count("agrees"), verdicts.count("differs")
    assert summary.said == f"{agree} of {agree + differ} match"
    assert min(agree, differ) > 0


def test_lines_say_what_agrees_and_fit_a_screen(experiment, frame, tmp_path):
    summary = summary_of(experiment, frame, tmp_path)
    head, *lines = summary_lines([summary])
    assert head.split() == ["paper", "published", "numbers"]
    assert lines == [
        f"{summary.called}  {summary.said}",
        "    Table 2: no fits needed",
    ]
    many = replace(summary, items=summary.items * 20, not_judged="some data sets are lost " * 3)
    assert len(summary_lines([many])) > 3
    assert max(map(len, summary_lines([many]))) <= 80


def test_the_page_shows_pictures_and_tables(experiment, frame, tmp_path):
    summary = summary_of(experiment, frame, tmp_path)
    text = write_index(tmp_path, [summary], ["Cells & more."]).read_text()
    assert '<img src="toy/figure%201.svg" alt="A &lt; B. Two bars">' in text
    assert "Cells &amp; more." in text
    assert all(f"{word.sign} {word}: {word.meaning}." in unescape(text) for word in Word)
    assert text.count("<details>") == len(summary.items)
    item = summary.items[0]
    context = context_of(experiment, toy_plan(experiment.items[0]), frame)
    without_picture = summarise(experiment, [(context, [])], summary.page)
    text = write_index(tmp_path, [without_picture], []).read_text()
    assert "<img" not in text
    for word in Word:
        count = sum(c.word == word for c in item.comparisons)
        assert text.count(f'<td class="rt-{word.style}"') == count
