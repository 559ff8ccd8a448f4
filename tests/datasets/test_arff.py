"""ARFF files are read as Weka reads them."""

import numpy as np
import pytest

from retree.datasets.arff import read_arff
from retree.errors import DataError

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
        (b"REAL", b"string", "line 4: column 'size' is of type string, and only numbers"),
        (b"REAL", b"", "line 4: column 'size' has no type"),
        (b"{b,a}", b"{b,a", 'column "it\'s" has no type'),
        (b"{b,a}", b"{b,a,b}", "declares a level twice; remove one"),
        (b"'it\\'s'", b"size", "two columns called 'size': rename one"),
        (b"1.5,red,a,3", b"1.5,red,a", "line 10 has 3 values, and 4 values are read"),
        (b"1.5,red,a,3", b"{0 1.5}", "line 10 is sparse, and 4 values are read"),
        (b"1.5,red", b"one,red", "line 10: size is to be a number and is 'one'; correct it"),
        (b"1.5,red", b"1.5,pink", "line 10: the colour has 'pink', which the header does not"),
    ],
)
def test_each_fault_is_a_sentence_that_names_the_line(old, new, message):
    with pytest.raises(DataError) as caught:
        read_arff(FILE.replace(old, new, 1), "toy")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
