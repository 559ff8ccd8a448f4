"""Files that are made to take all time or memory are refused by a sentence."""

import random
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from retree.errors import RetreeError
from retree_lab.datasets import own_tables
from retree_lab.datasets.own import load_own

SECONDS = 5.0
HEAD = "@relation r\n@attribute a {}\n@attribute y {{p,q}}\n@data\n"
# Some readers try every way of cutting these at their commas.
UNCLOSED, TRAP = "{" + "a," * 60 + "a b", "{x,'" + "a," * 60 + "a b'}"


@pytest.fixture
def refused(tmp_path):
    """Return in which sentence a file is refused as the data set of a study, and check the time."""
    (tmp_path / "datasets").mkdir()

    def sentence(path):
        file = tmp_path / "datasets" / "mine.yaml"
        file.write_text(f"file: {path.name}\ntarget: y\n")
        began = time.process_time()
        with pytest.raises(RetreeError) as caught:
            load_own(file)
        assert time.process_time() - began < SECONDS
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return sentence


def test_levels_that_are_not_closed_are_refused(tmp_path, refused):
    path = tmp_path / "mine.arff"
    path.write_text(HEAD.format(UNCLOSED) + "v1,p\nv2,q\n")
    assert "line 2: column 'a' has levels without a closing brace" in refused(path)


def test_levels_that_look_like_many_are_read(tmp_path):
    path = tmp_path / "mine.arff"
    path.write_text(HEAD.format(TRAP) + "x,p\n'" + "a," * 60 + "a b',q\n")
    began = time.process_time()
    assert own_tables.read_table(path)["a"].tolist() == ["x", "a," * 60 + "a b"]
    assert time.process_time() - began < SECONDS


def test_empty_lines_take_linear_time(tmp_path):
    path = tmp_path / "mine.arff"
    path.write_text("\n" * 10**6 + HEAD.format("numeric") + "1,p\n2,q\n")
    began = time.process_time()
    assert own_tables.read_table(path).shape == (2, 2)
    assert time.process_time() - began < SECONDS


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A parquet file of 1,003 rows."""
    path = tmp_path_factory.mktemp("whole") / "whole.parquet"
    table = {"a": np.arange(1_003) / 3, "y": pa.array(["p"] * 1_000 + ["q"] * 3)}
    parquet.write_table(pa.table(table), path, store_schema=False, compression="zstd")
    return path


def write_forged(source, path, *pairs):
    """Copy a parquet file with other numbers in its footer."""
    content = source.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    rows, footer = content[: -8 - length], content[-8 - length : -8]
    for old, new in pairs:
        assert varint(old) in footer
        footer = footer.replace(varint(old), varint(new))
    path.write_bytes(rows + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def varint(number):
    """Return a number as Thrift's compact protocol writes it."""
    number, digits = number << 1 ^ number >> 63, []
    while True:
        number, digit = number >> 7, number & 127
        digits.append(digit | 128 * (number > 0))
        if not number:
            return bytes(digits)


def test_a_footer_may_claim_nonsense(tmp_path, whole, refused):
    group = parquet.ParquetFile(whole).metadata.row_group(0)
    path = tmp_path / "mine.parquet"
    write_forged(whole, path, (group.num_rows, -5))
    assert "the data cannot be read" in refused(path)


@pytest.mark.parametrize("kept", [0, 3, 8, 100, 0.5, -9, -1])
def test_a_parquet_file_that_was_cut_is_refused(tmp_path, whole, refused, kept):
    content = whole.read_bytes()
    end = int(kept * len(content)) if isinstance(kept, float) else kept
    path = tmp_path / "mine.parquet"
    path.write_bytes(content[:end])
    assert "the data cannot be read" in refused(path)


def test_the_length_of_a_footer_may_be_forged(tmp_path, whole, refused):
    path = tmp_path / "mine.parquet"
    for length in (2**31 - 1, 2**32 - 1):
        path.write_bytes(whole.read_bytes()[:-8] + length.to_bytes(4, "little") + b"PAR1")
        assert "the data cannot be read" in refused(path)


def test_damaged_bytes_end_in_an_exception(tmp_path):
    source, path = tmp_path / "whole.parquet", tmp_path / "mine.parquet"
    frame = pd.DataFrame({"a": np.arange(500.0), "b": [None, "x"] * 250, "y": ["p", "q"] * 250})
    frame.to_parquet(source)
    content, choose = source.read_bytes(), random.Random(0)
    began, wrong = time.process_time(), 0
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(choose.randint(1, 4)):
            damaged[choose.randrange(4, len(damaged) - 8)] = choose.randrange(256)
        path.write_bytes(damaged)
        try:
            own_tables.read_table(path)
        except Exception:
            # `load_own` makes a sentence of any.
            wrong += 1
    assert wrong > 100
    assert time.process_time() - began < SECONDS
