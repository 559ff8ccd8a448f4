"""ARFF files are read as Weka reads them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.errors import DataError
from retree_lab.datasets.arff import read_arff

FILE = b"""% a comment
@RELATION 'two words'

@attribute size REAL
@Attribute "the colour" {red, 'dark blue', '?', green} % levels in this order
@attribute 'it\\'s' {b,a}
@attribute count integer [1,10]
@DATA

1.5,red,a,3
% another one
-0, 'dark blue' , b, ?
?,'?',a,1e3
2\tred\ta,,4
.5,?,b,7
"""


def test_levels_stay_in_the_order_of_the_header_and_without_rows():
    table = read_arff(FILE, "toy")
    assert list(table) == ["size", "the colour", "it's", "count"]
    assert list(table["the colour"].cat.categories) == ["red", "dark blue", "?", "green"]
    assert list(table["it's"].cat.categories) == ["b", "a"]
    assert table["it's"].cat.codes.tolist() == [1, 0, 1, 1, 0]


def test_a_quoted_question_mark_is_a_level_and_a_bare_one_is_missing():
    colours = read_arff(FILE, "toy")["the colour"]
    assert colours.cat.codes.tolist() == [0, 1, 2, 0, -1]


def test_numbers_are_read_as_java_reads_them():
    table = read_arff(FILE, "toy")
    np.testing.assert_array_equal(table["size"], [1.5, 0.0, np.nan, 2.0, 0.5])
    assert not np.signbit(table["size"][1])
    np.testing.assert_array_equal(table["count"], [3, np.nan, 1000, 4, 7])


def test_lines_of_windows_and_a_last_line_without_end():
    assert len(read_arff(FILE.replace(b"\n", b"\r\n").rstrip(), "toy")) == 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"@DATA", b"", "it has no line @data; save it again"),
        (b"REAL", b"relational", "line 4: column 'size' is of type 'relational', and only numbers"),
        (b"REAL", b"date MMM", "line 4: column 'size' is of type 'date MMM', and only numbers"),
        (b"REAL", b"", "line 4: column 'size' has no type"),
        (b"{b,a}", b"{b,a", 'column "it\'s" has levels without a closing brace'),
        (b"{b,a}", b"{b,a,b}", "declares a level twice; remove one"),
        (b"'it\\'s'", b"size", "two columns called 'size': rename one"),
        (b"1.5,red,a,3", b"1.5,red,a", "line 10 has 3 values, and 4 columns are declared"),
        (b"1.5,red,a,3", b"{0 1.5, 4 2}", "line 10 is not a row of indices and values: correct it"),
        (b"1.5,red,a,3", b"{0}", "line 10 is not a row of indices and values: correct it"),
        (b"1.5,red,a,3", b"1.5,red,a,3}", "line 10 is not a row of indices and values: correct it"),
        (b"1.5,red,a,3", b"1.5,red,a,3,{5}", "line 10 has a weight, and weights of rows are not"),
        (b"1.5,red,a,3", b"{0 1.5}, {5}", "line 10 has a weight, and weights of rows are not"),
        (b"1.5,red", b"1_000,red", "line 10: size must be a number, not '1_000'; correct it"),
        (b"1.5,red", b"nan,red", "line 10: size must be a number, not 'nan'; correct it"),
        (b"1.5,red", b"inf,red", "line 10: size must be a number, not 'inf'; correct it"),
        (b"{b,a}", b"{b,\xe9}", "toy, line 6 is not in UTF-8: save it as UTF-8"),
        (b"1.5,red", b"one,red", "line 10: size must be a number, not 'one'; correct it"),
        (b"1.5,red", b"1.5,pink", "line 10: the colour has 'pink', which the header does not"),
    ],
)
def test_each_fault_is_a_sentence_that_names_the_line(old, new, message):
    with pytest.raises(DataError) as caught:
        read_arff(FILE.replace(old, new, 1), "toy")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# Each is read as this by Weka 3.9.7, but for `<null>`, which is of KEEL, and the mark in front.
PLAIN = b"@relation r\n@attribute a numeric\n@attribute y {u,v}\n@data\n1,u\n2,v\n"
SAME = {
    "a comma at the end": (b",u\n2,v", b",u,\n2,v,"),
    "blanks": (b"1,u\n2,v", b"1 u\n 2   v "),
    "tabs": (b"1,u", b"1\tu"),
    "a comment after the relation": (b"@relation r", b"@relation r % 2020"),
    "a comment after a type": (b"numeric", b"numeric % metres"),
    "no blank before the brace": (b"y {", b"y{"),
    "tabs in the header": (b"@attribute ", b"@attribute\t"),
    "a comment in Latin-1": (b"@relation", b"% Universit\xe9\n@relation"),
    "a mark of UTF-8": (b"@relation", b"\xef\xbb\xbf@relation"),
    "a range": (b"numeric", b"integer [1,10]"),
    "a range without blanks": (b"numeric", b"real[0.0,10.0]"),
    "quotes": (b"1,u\n2", b"'1','u'\n\" 2 \""),
    "sparse rows": (b"1,u\n2,v", b"{0 1}\n{0 2, 1 v}"),
    "ends of lines": (b"\n", b"\r"),
}


@pytest.mark.parametrize("what", SAME)
def test_what_weka_reads_is_read(what):
    old, new = SAME[what]
    table = read_arff(PLAIN.replace(old, new), "toy")
    assert table.to_dict("list") == {"a": [1, 2], "y": ["u", "v"]}
    assert table["y"].cat.categories.tolist() == ["u", "v"]


def test_missing_values_of_weka_and_of_keel():
    table = read_arff(PLAIN.replace(b"1,u\n2,v", b"NaN,<null>\n<null>,?\n?,u\n"), "toy")
    assert table["a"].isna().all()
    assert table["y"].cat.codes.tolist() == [-1, -1, 0]
    declared = PLAIN.replace(b"{u,v}", b"{u,<null>}").replace(b"2,v", b"2,<null>")
    assert read_arff(declared, "toy")["y"].cat.codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (b"", b"2020-01-01T12:30:00"),
        (b'"yyyy-MM-dd HH:mm:ss"', b'"2020-01-01 12:30:00"'),
        (b"d.M.yyyy-H-m", b"1.1.2020-12-30"),
    ],
)
def test_dates_are_milliseconds(pattern, value):
    table = read_arff(
        PLAIN.replace(b"numeric", b"date " + pattern)
        .replace(b"1,u", value + b",u")
        .replace(b"2,v", b"?,v"),
        "toy",
    )
    np.testing.assert_array_equal(table["a"], [1_577_881_800_000, np.nan])


def test_a_string_is_a_text():
    table = read_arff(PLAIN.replace(b"numeric", b"string"), "toy")
    assert table["a"].tolist() == ["1", "2"]


def test_only_line_feeds_and_carriage_returns_end_a_line():
    text = "@relation r\n@attribute b {'x\x85z','\u2028'}\n@data\n'x\x85z'\n'\u2028'\n"
    assert read_arff(text.encode(), "toy")["b"].cat.codes.tolist() == [0, 1]


def quoted(text):
    """Return a text as Weka quotes it."""
    inside = (
        text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    )
    return f"'{inside}'"


TEXTS = st.text(st.sampled_from("ab '\"\\,{}%?\n\r\té\x85\u2028"), max_size=5)
LEVELS = st.lists(TEXTS, min_size=1, max_size=5, unique=True)


@given(LEVELS, st.data())
def test_levels_of_any_signs_are_read_as_they_were_written(levels, data):
    codes = data.draw(st.lists(st.integers(-1, len(levels) - 1), min_size=1))
    numbers = data.draw(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
    rows = [(numbers[i % len(numbers)], code) for i, code in enumerate(codes)]
    body = "".join(f"{x!r}, {quoted(levels[k]) if k >= 0 else '?'}\n" for x, k in rows)
    head = f"@attribute x numeric\n@attribute y {{{', '.join(map(quoted, levels))}}}\n"
    table = read_arff(f"{head}@data\n{body}".encode(), "it")
    assert table["y"].cat.categories.tolist() == levels
    assert table["y"].cat.codes.tolist() == codes
    assert table["x"].tolist() == [x for x, _ in rows]
    sparse = "".join(
        f"{{0 {x!r}{f', 1 {quoted(levels[k])}' if k > 0 else ', 1 ?' if k < 0 else ''}}}\n"
        for x, k in rows
    )
    assert read_arff(f"{head}@data\n{sparse}".encode(), "it").equals(table)
