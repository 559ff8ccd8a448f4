"""One document as csv, Markdown and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest
from toy_paper import cells as rows_of
from toy_paper import context_of, frame_of, make_item, toy_plan

from retree_lab import reports
from retree_lab.experiments.definition.item import read_kind
from retree_lab.reports.document import (
    MEAN_CELL,
    Bullets,
    Document,
    Phrase,
    Table,
    TableCell,
    Text,
    ToFile,
)
from retree_lab.reports.html import HtmlWriter
from retree_lab.reports.kinds import Kind

ROOT = Path(__file__).parents[2]
EMPTY = frame_of(rows_of("xor", "base", [0.5])).iloc[:0]
TABLE = Table(
    ["data set", TableCell("New", "too slow")],
    [["a_b", TableCell("1 *", "a | b")], ["c", TableCell("2", "too slow")], [MEAN_CELL, "1.5"]],
    title="Numbers",
)
DOCUMENT = Document(
    ["How it was run."],
    [TABLE, Bullets(["* is a star"]), Text("More", "Words."), Table(["x"], [["y"]])],
)


@dataclass(frozen=True, kw_only=True)
class Shown(Kind[pd.DataFrame]):
    """A kind that shows what it is told."""

    def compare(self, context):
        return pd.DataFrame({"a": [1.5], "b": [None]})

    def tables(self, rows):
        return {"": rows, "_more": rows}

    def document(self, context, rows):
        return DOCUMENT


@pytest.fixture
def files(experiment):
    item = make_item("table9", f"{__name__}:Shown", (), (), {}, caption="Shown & told")
    paths = reports.write_item(context_of(experiment, toy_plan(item), EMPTY), tex=True)
    return {path.name: path.read_text() for path in paths}


def test_every_file_is_there(files):
    assert set(files) == {"table9.csv", "table9_more.csv", "table9.md", "table9.tex"}
    assert files["table9.csv"] == "a,b\n1.5,\n"


def test_markdown_has_footnotes_of_the_whole_page(files):
    assert files["table9.md"] == (
        "# Table 9: Shown & told\n\nA. Author: Toys. Journal 1, 2000.\n\n- How it was run.\n\n"
        "## Numbers\n\n| data set | New [1] |\n| :-- | --: |\n"
        "| a_b | 1 \\* [2] |\n| c | 2 [1] |\n| **mean** | 1.5 |\n\n- \\* is a star\n\n"
        "## More\n\nWords.\n\n| x |\n| :-- |\n| y |\n\n[1] too slow  \n[2] a | b\n"
    )


def test_latex_has_each_table_with_what_is_said_below_it(files):
    tex = files["table9.tex"]
    assert r"\caption{Shown \& told: Numbers}" in tex
    assert r"\label{tab:table9-1}" in tex
    assert r"a\_b & 1 * [2] \\" in tex
    assert r"\textbf{mean} & 1.5 \\" in tex
    assert tex.index("* is a star") < tex.index("[1] too slow") < tex.index("[2] a | b")
    assert r"\caption{Shown \& told: More}" in tex
    assert tex.count("* is a star") == tex.count(r"\begin{table}") == 2


def test_latex_is_written_on_request_and_does_not_grow_old(experiment):
    item = make_item("table9", f"{__name__}:Shown", (), (), {})
    context = context_of(experiment, toy_plan(item), EMPTY)
    assert {path.suffix for path in reports.write_item(context)} == {".csv", ".md"}
    (file,) = (path for path in reports.write_item(context, tex=True) if path.suffix == ".tex")
    file.write_text("of other numbers")
    assert file in reports.write_item(context)
    assert "of other numbers" not in file.read_text()


def test_what_has_no_table_has_no_latex(experiment, monkeypatch):
    page = replace(DOCUMENT, blocks=[Text("More", "Words.")])
    monkeypatch.setattr(Shown, "document", lambda *_: page)
    item = make_item("table9", f"{__name__}:Shown", (), (), {})
    paths = reports.write_item(context_of(experiment, toy_plan(item), EMPTY), tex=True)
    assert {path.suffix for path in paths} == {".csv", ".md"}


def test_the_recipe_for_a_kind_is_rendered(experiment, frame, tmp_path):
    recipe = (ROOT / "docs" / "contributing" / "kind.md").read_text()
    (tmp_path / "kinds.py").write_text(recipe.partition("```python\n")[2].partition("```")[0])
    table = experiment.items[0]
    kind, _ = read_kind("kinds.py:BestMethods", {"metrics": ["accuracy"]}, "table2", tmp_path)
    item = replace(table, kind=kind, name="best")
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame))
    texts = {path.suffix: path.read_text() for path in paths}
    assert set(texts) == {".csv", ".md"}
    assert "| waveform1_R | New+Base |" in texts[".md"]
    assert "| xor | Base |" in texts[".md"]


def test_sentences_in_html_have_no_markup_of_markdown():
    text = ("Checked by `test_a < b`; all rows are in ", Phrase("cells.csv.gz", ToFile("c")), ".")
    (section,) = HtmlWriter().sections(Document([text], [Text(text=text), Bullets([text])]))
    shown = "Checked by <code>test_a &lt; b</code>; all rows are in cells.csv.gz."
    assert section.content.count(shown) == 3
    assert "`" not in section.content
