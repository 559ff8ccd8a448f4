"""A csv is read as it was written, whatever is in its cells."""

import csv
import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.errors import DataError
from retree_lab.plain_files import read_csv, read_records

TEXTS = st.text(st.sampled_from('ab ",;\n\r\té\x85\u2028'), max_size=6)
ROWS = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n)))


def written(rows, quoting, separator, end):
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=quoting, delimiter=separator, lineterminator=end)
    writer.writerows(rows)
    return file.getvalue()


@given(ROWS, st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n", "\r"]))
def test_all_cells_in_quotes_are_read_as_they_are(rows, separator, end):
    text = written(rows, csv.QUOTE_ALL, separator, end)
    found = [cells for _, cells in read_records(text, "it", separator)]
    assert found == rows


@given(ROWS)
def test_cells_without_quotes_lose_blanks_around_them(rows):
    # The writer puts no quotes around a lone carriage return.
    rows = [[cell.replace("\r", "") for cell in row] for row in rows]
    text = written(rows, csv.QUOTE_MINIMAL, ",", "\n")
    found = [cells for _, cells in read_records(text, "it")]
    quoted = [[any(c in cell for c in '",\n') for cell in row] for row in rows]
    expected = [
        [cell if whole else cell.strip() for cell, whole in zip(*pair, strict=True)]
        for pair in zip(rows, quoted, strict=True)
    ]
    # A writer puts quotes around an empty cell that is alone; one of blanks is a blank line.
    assert found == [
        new for new, row in zip(expected, rows, strict=True) if new != [""] or row == [""]
    ]


@given(ROWS)
def test_rows_know_their_lines(rows):
    rows = [[cell.replace("\r", "\n") for cell in row] for row in rows]
    text = written(rows, csv.QUOTE_ALL, ",", "\n")
    line, expected = 1, []
    for row in rows:
        expected.append(line)
        line += 1 + sum(len(cell.split("\n")) - 1 for cell in row)
    assert [line for line, _ in read_records(text, "it")] == expected


def test_a_row_of_another_width_is_refused_by_its_line():
    text = 'a,b\n"1\n2",3\n\n4,5,6\n'
    with pytest.raises(DataError) as refused:
        read_csv(text.encode(), "mine.csv")
    message = "mine.csv, line 5: there are 3 fields, but 2 in the header; correct it."
    assert str(refused.value) == message


def test_a_row_that_ends_with_a_comma_among_others_is_refused():
    with pytest.raises(DataError, match=r"line 3: there are 3 fields, but 2 in the header"):
        read_csv(b"a,b\n1,2\n3,4,\n", "mine.csv")


def test_an_empty_last_column_with_a_name_stays():
    assert read_csv(b"a,b\n1,\n2,\n", "it").rows == [["1", ""], ["2", ""]]


@pytest.mark.parametrize("text", ['a\n"b', 'a\n"b"c\n', 'a,"b\nc\n' + "d\n" * 10])
def test_a_quote_that_is_not_closed_names_its_line(text):
    line = 1 if text.startswith("a,") else 2
    with pytest.raises(DataError, match=f"it, line {line}: a quote is never closed, or text"):
        read_csv(text.encode(), "it")


@pytest.mark.parametrize("text", ['"' + "a" * 10**6, '"' + '""' * 10**6 + "a", " " * 10**6 + '"'])
def test_long_cells_take_linear_time(text):
    began = time.process_time()
    with pytest.raises(DataError):
        read_csv(text.encode(), "it")
    assert time.process_time() - began < 5
