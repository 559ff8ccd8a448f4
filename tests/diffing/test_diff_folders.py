from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from toy_results import ITEMS, WHOLE, edit, part, write_results

from retree.errors import RetreeError
from retree_lab.diffing.result_folders import compare_folders
from retree_lab.diffing.scope import OTHERS, OVERALL, TIMES, UNAVAILABLE, Scope
from retree_lab.diffing.sentences import print_paper, verdict_line
from retree_lab.diffing.tables import ABSENT, GONE, ChangeKind


@pytest.fixture
def old(tmp_path):
    return write_results(tmp_path / "committed")


@pytest.fixture
def new(tmp_path):
    return write_results(tmp_path / "current")


def another_run(folder):
    """Make the cells of a folder those of another run on the same machine."""
    edit(folder / "provenance.json", "today", "tomorrow")


def changes(old, new, scope=WHOLE):
    diff = compare_folders(old, new, scope)
    return [(c.item, c.kind, c.cell, c.column, c.old, c.new) for c in diff.changes]


def said(old, new, scope=WHOLE):
    diff, out = compare_folders(old, new, scope), io.StringIO()
    print_paper(diff, Console(file=out, width=200))
    return out.getvalue() + verdict_line([diff])


def test_the_same_results_are_as_committed(old, new):
    diff = compare_folders(old, new, WHOLE)
    assert diff.same
    assert diff.exact
    assert "Unchanged: 14 rows of toy." in said(old, new)


CASES = {
    "a number": (
        "table2.csv",
        ("accuracy,0.95,0.02", "accuracy,0.9500000001,0.02"),
        (
            "table2",
            ChangeKind.MOVED,
            ("iris", "Tree", "accuracy"),
            "reproduced",
            "0.95",
            "0.9500000001",
        ),
    ),
    "a chosen point": (
        "table2.csv",
        ('""k"": 3', '""k"": 4'),
        (
            "table2",
            ChangeKind.MOVED,
            ("iris", "Forest", "accuracy"),
            "params",
            '{"k": 3}',
            '{"k": 4}',
        ),
    ),
    "a printed number": (
        "table2.csv",
        ("0.95,,,missing", "0.96,,,missing"),
        ("table2", ChangeKind.MOVED, ("zoo", "Forest", "accuracy"), "published", "0.95", "0.96"),
    ),
    "a verdict": (
        "table2.csv",
        ("0.01,agrees", "0.01,differs"),
        (
            "table2",
            ChangeKind.VERDICT,
            ("iris", "Tree", "accuracy"),
            "verdict",
            "agrees",
            "differs",
        ),
    ),
    "a verdict on times": (
        "table4.csv",
        ("0.1,agrees", "0.1,differs"),
        (
            "table4",
            ChangeKind.VERDICT,
            ("iris", "Tree", "train_time_ratio"),
            "verdict",
            "agrees",
            "differs",
        ),
    ),
    "a blank": (
        "table2.csv",
        ("0.95,0.02,0.94,,0.01,agrees,10,{}", ",,0.94,,,missing,0,"),
        ("table2", ChangeKind.BLANK, ("iris", "Tree", "accuracy"), "reproduced", "0.95", ABSENT),
    ),
    "a blank among times": (
        "table4.csv",
        ("12.5,1.5", ","),
        (
            "table4",
            ChangeKind.BLANK,
            ("iris", "Tree", "train_ms_10_trees"),
            "reproduced",
            "12.5",
            ABSENT,
        ),
    ),
    "a lost row": (
        "table2.csv",
        ("iris,Tree,accuracy,0.95,0.02,0.94,,0.01,agrees,10,{}\n", ""),
        ("table2", ChangeKind.BLANK, ("iris", "Tree", "accuracy"), "reproduced", "0.95", GONE),
    ),
    "a new number": (
        "table2.csv",
        ("zoo,Forest,accuracy,,", "zoo,Forest,accuracy,0.96,"),
        ("table2", ChangeKind.NEW, ("zoo", "Forest", "accuracy"), "reproduced", ABSENT, "0.96"),
    ),
    "a claim": (
        "claims.csv",
        ("yes,1 of 2", "no,1 of 2"),
        ("claims", ChangeKind.CLAIM, ("better",), "here", "yes", "no"),
    ),
    "an interpretation": (
        "interpretations.csv",
        ("other,2,9", "other,2,8"),
        ("interpretations", ChangeKind.MOVED, ("Tree", "other"), "points", "9", "8"),
    ),
    "a fold": (
        "cells.csv.gz",
        ("0.9666666667,3", "0.9666666667,4"),
        (
            "cells",
            ChangeKind.MOVED,
            ("table2", "iris", "Tree", "{}", "0", "1", "-1"),
            "depth",
            "3",
            "4",
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_change_is_found_and_named_with_old_and_new(old, new, case):
    file, words, expected = CASES[case]
    edit(new / file, *words)
    assert expected in changes(old, new)
    text = said(old, new)
    assert "Changed" in text
    assert expected[5] in text
    assert all(name in text for name in expected[2] if name not in ("{}", "-1"))


def test_a_file_that_is_not_rendered_any_more_is_holes(old, new):
    (new / "interpretations.csv").unlink()
    found = changes(old, new)
    assert [(c[0], c[1], c[5]) for c in found] == [("interpretations", ChangeKind.BLANK, GONE)] * 2


def test_a_file_that_is_not_committed_is_new_rows(old, new):
    (old / "table2.csv").unlink()
    found = changes(old, new)
    # The row without a number is nothing to miss.
    assert [(c[0], c[1], c[4]) for c in found] == [("table2", ChangeKind.NEW, GONE)] * 3


def test_a_new_item_of_known_folds_is_not_new_folds(old, new):
    edit(new / "cells.csv.gz", "means,zoo", "means ranks,zoo")
    assert not changes(old, new)
    edit(
        new / "cells.csv.gz",
        "-1,done,,0.9111111111,5,6,11,10,ac\n",
        "-1,done,,0.9111111111,5,6,11,10,ac\nranks,zoo,Forest,{},0,0,0,-1,done,,0.5,5,6,11,10,ad\n",
    )
    assert [(c[1], c[2][0]) for c in changes(old, new)] == [(ChangeKind.NEW, "ranks")]
    assert "retree report paper=toy item=all" in said(old, new)


def test_times_of_another_run_are_counted_and_not_compared(old, new):
    another_run(new)
    edit(new / "table4.csv", "12.5,1.5", "99,7")
    edit(new / "table4.csv", "1.2,,1.1", "1.3,,1.1")
    edit(new / "claims.csv", "12.5", "99")
    diff = compare_folders(old, new, WHOLE)
    assert diff.same
    assert "Not compared: 3 times and ratios of times" in said(old, new)


def test_across_platforms_the_last_digits_may_differ(tmp_path, old):
    new = write_results(tmp_path / "elsewhere", cpu="6502")
    edit(new / "table2.csv", "accuracy,0.95,0.02", "accuracy,0.950000001,0.02")
    assert compare_folders(old, new, WHOLE).same
    edit(new / "table2.csv", "accuracy,0.950000001,0.02", "accuracy,0.950000002,0.02")
    assert [c[5] for c in changes(old, new)] == ["0.950000002"]
    assert "to within 1e-09 times the greater of 1 and the committed number" in said(old, new)


def test_without_a_recorded_platform_nothing_is_held_to_be_the_same(old, new):
    (old / "provenance.json").unlink()
    assert not compare_folders(old, new, WHOLE).exact


def test_other_data_are_named(tmp_path):
    old = write_results(tmp_path / "a", iris="1" * 64)
    new = write_results(tmp_path / "b", iris="2" * 64)
    diff = compare_folders(old, new, WHOLE)
    assert not diff.same
    assert diff.data == [
        "iris: these are not the data of the committed results (sha256 222222222222, not "
        "111111111111); fetch the published set."
    ]


def test_data_that_the_committed_results_lack_too_are_no_difference(tmp_path):
    old, new = (write_results(tmp_path / name, iris="1" * 64) for name in "ab")
    lost = {
        "iris": "Data set 'iris' is unavailable.",
        "nowhere": "Data set 'nowhere' is unavailable.",
    }
    assert compare_folders(old, new, WHOLE, lost).data == ["Data set 'iris' is unavailable."]
    assert compare_folders(old, new, WHOLE, {"nowhere": lost["nowhere"]}).same


def test_rows_of_data_that_are_away_may_be_missing_and_are_counted(old, new):
    another_run(new)
    edit(new / "table2.csv", "zoo,Tree,accuracy,0.9111111111", "zoo,Tree,accuracy,")
    edit(new / "cells.csv.gz", "zoo,Tree,{},0,0,0,-1,done,,0.9", "zoo,Tree,{},0,0,0,-1,failed,,")
    edit(new / "cells.csv.gz", ",,111111111,5", ",,,5")
    assert not compare_folders(old, new, WHOLE).same
    away = WHOLE.without({"zoo"}, anew=False)
    diff = compare_folders(old, new, away)
    assert diff.same
    # A row of a table, and a fold of two items.
    assert diff.skipped[UNAVAILABLE] == 2
    edit(new / "means.csv", "0.93055", "0.5")
    assert not compare_folders(old, new, away).same
    assert compare_folders(old, new, WHOLE.without({"zoo"}, anew=True)).same


def test_rows_of_data_that_are_away_are_compared_where_their_folds_are_committed(old, new):
    edit(old / "table2.csv", "zoo,Tree,accuracy,0.9111111111", "zoo,Tree,accuracy,0.9111111112")
    diff = compare_folders(old, new, WHOLE.without({"zoo"}, anew=False))
    assert [change.column for change in diff.changes] == ["reproduced"]


def test_a_part_leaves_out_and_counts_the_rest(old, new):
    for path in (old, new):
        edit(path / "cells.csv.gz", "table2 means,iris,Tree,{},0,0,1", "table2,iris,Tree,{},0,0,1")
    edit(new / "table2.csv", "zoo,Tree,accuracy,0.9111111111", "zoo,Tree,accuracy,0.5")
    edit(new / "means.csv", "0.93055", "0.5")
    edit(new / "interpretations.csv", "other,2,9", "other,1,4")
    edit(new / "claims.csv", "yes,1 of 2", "no,1 of 1")
    edit(new / "cells.csv.gz", "zoo,Tree,{},0,0,0,-1,done,,0.9", "zoo,Tree,{},0,0,0,-1,done,,0.8")
    diff = compare_folders(old, new, part("iris"))
    assert diff.same
    assert {table.name: table.n_rows for table in diff.tables} == {
        "table2": 2,
        "table4": 2,
        "cells": 2,
    }
    # Two rows of zoo and a fold of it; a mean, two interpretations and two claims; two times.
    assert diff.skipped == {OTHERS: 3, OVERALL: 5, TIMES: 2}
    edit(new / "table2.csv", "accuracy,0.97,0.01", "accuracy,0.98,0.01")
    assert [c[5] for c in changes(old, new, part("iris"))] == ["0.98"]


def test_rows_of_a_data_set_with_a_published_name_of_its_own_are_compared(old, new):
    # Tables have the published name, cells the key.
    for path in (old, new):
        for place in ("0,0,0", "0,0,1"):
            row = f"iris,Tree,{{}},{place}"
            edit(path / "cells.csv.gz", row, row.replace("iris", "iris_key"))
    labels, datasets = {"iris_key": "iris"}, ("iris_key", "zoo")
    items = {name: replace(ITEMS[name], labels=labels, datasets=datasets) for name in ITEMS}
    asked = {name: replace(item, datasets=("iris_key",)) for name, item in items.items()}
    scope = Scope(asked, items)
    diff = compare_folders(old, new, scope)
    assert {table.name: table.n_rows for table in diff.tables} == {
        "table2": 2,
        "table4": 2,
        "cells": 2,
    }
    edit(new / "table2.csv", "accuracy,0.97,0.01", "accuracy,0.98,0.01")
    assert [c[5] for c in changes(old, new, scope)] == ["0.98"]


def test_an_item_that_is_not_asked_for_is_left_out(old, new):
    edit(new / "table2.csv", "accuracy,0.95,0.02", "accuracy,0.5,0.02")
    scope = part("iris", "zoo", items=("means",))
    assert compare_folders(old, new, scope).same
    edit(new / "means.csv", "0.93055", "0.5")
    assert [c[0] for c in changes(old, new, scope)] == ["means"]


def test_a_damaged_file_is_one_sentence(old, new):
    (new / "cells.csv.gz").write_bytes(b"no archive")
    with pytest.raises(RetreeError, match=r"cells\.csv\.gz cannot be read .* restore it\.$"):
        compare_folders(old, new, WHOLE)


def test_folds_are_named_in_words(old, new):
    edit(new / "cells.csv.gz", "0.9666666667,3", "0.9666666667,4")
    assert "cells: table2, iris, Tree, repeat 0, fold 1: depth 3 → 4" in said(old, new)


def test_holes_name_the_way_to_fill_them(old, new):
    edit(new / "table2.csv", "0.95,0.02,0.94,,0.01,agrees,10,{}", ",,0.94,,,missing,0,")
    assert "retree run paper=toy item=table2 datasets=[iris]" in said(old, new)


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (("0.94,,0.01,agrees", "0.94,,0.02,agrees"), "difference"),
        (("accuracy (Table 2) of", "accuracy of"), "check"),
        (("12.5,1.5", "12.6,1.5"), "reproduced"),
        (("1.2,,1.1", "1.3,,1.1"), "reproduced"),
    ],
)
def test_of_the_very_cells_every_entry_is_compared_times_included(old, new, words, column):
    file = next(path for path in sorted(old.glob("*.csv")) if words[0] in path.read_text())
    edit(file, *words)
    assert column in [change.column for change in compare_folders(old, new, WHOLE).changes]


def test_a_column_of_a_table_without_rows_is_compared_by_name(old, new):
    (old / "audit.csv").write_text("paper,errata\n")
    (new / "audit.csv").write_text("paper,misprints\n")
    none = "no such column"
    assert [change[3:] for change in changes(old, new)] == [
        ("column", "errata", none),
        ("column", none, "misprints"),
    ]


def test_a_digest_of_another_run_is_compared(old, new):
    another_run(new)
    for path, digest in ((old, "00"), (new, "f1")):
        edit(path / "cells.csv.gz", "n_test,key", "n_test,key,digest")
        edit(path / "cells.csv.gz", "15,aa", f"15,aa,{digest}")
    assert [c.column for c in compare_folders(old, new, WHOLE).changes] == ["digest"]


def test_folds_of_replicates_are_compared(old, new):
    for path in (old, new):
        (path / "replicates.csv.gz").write_bytes((path / "cells.csv.gz").read_bytes())
    edit(new / "replicates.csv.gz", "0.9666666667,3", "0.9666666667,4")
    assert [c.column for c in compare_folders(old, new, WHOLE).changes] == ["depth"]


PAGE = "# Table 2\n\n| zoo | 0.91 |\n| iris | 0.95 |\n"
PAGES = {"table2.md": PAGE, "table2.svg": "<svg>\n<path d='M 0 1'/>\n</svg>\n"}


@pytest.fixture
def pages(old, new):
    for path in (old, new):
        for name, text in PAGES.items():
            (path / name).write_text(text)
    return old, new


def test_pages_and_pictures_are_compared_line_by_line(pages):
    assert compare_folders(*pages, WHOLE).same
    assert "3 pages and pictures are compared byte by byte." in said(*pages)
    edit(pages[0] / "table2.md", "0.95", "0.99")
    edit(pages[0] / "table2.svg", "M 0 1", "M 0 2")
    found = changes(*pages)
    assert [(c[0], c[1]) for c in found] == [(name, ChangeKind.PAGE) for name in PAGES]
    assert "table2.md: line 4: | iris | 0.99 | → | iris | 0.95 |" in said(*pages)


def test_pages_of_another_run_are_not_compared_and_that_is_said(pages):
    edit(pages[0] / "table2.md", "0.95", "0.99")
    another_run(pages[1])
    assert compare_folders(*pages, WHOLE).same
    assert "Pages and pictures are not compared" in said(*pages)


def test_a_page_that_is_not_rendered_any_more_is_named(pages):
    (pages[1] / "table2.md").unlink()
    assert {c[0] for c in changes(*pages)} == {"table2.md"}


def test_what_a_page_says_of_todays_code_is_no_change(pages):
    page = pages[1] / "table2.md"
    page.write_text(PAGE + "## Unverified\n- cart: unverified since 2026-11-27 (sources)\n")
    assert compare_folders(*pages, WHOLE).same


def test_lines_of_data_that_are_away_may_be_missing_but_not_others(pages):
    away = WHOLE.without({"zoo"}, anew=False)
    edit(pages[1] / "table2.md", "| zoo | 0.91 |\n", "")
    diff = compare_folders(*pages, away)
    assert diff.same
    assert diff.skipped[UNAVAILABLE] == 1
    assert not compare_folders(*pages, WHOLE).same
    # Its line may stand at the end, and say so.
    (pages[1] / "table2.md").write_text(PAGE + "| zoo | not available here |\n")
    edit(pages[1] / "table2.md", "| zoo | 0.91 |\n", "")
    assert compare_folders(*pages, away).same
    # What can be rendered without the data has to be the same.
    (pages[1] / "table2.md").write_text(PAGE)
    edit(pages[0] / "table2.md", "0.91", "0.92")
    assert not compare_folders(*pages, away).same
