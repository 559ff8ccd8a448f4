"""What a csv of a study becomes, column by column, and what of it is refused."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from retree.errors import RetreeError
from retree_lab import plain_files
from retree_lab.datasets import own_tables
from retree_lab.datasets.own import load_own

ROWS = "1,red,07,x\n?, blue,08,y\nNA,,09,x\n4,red,?,y\n"


@pytest.fixture
def load(tmp_path):
    """Load a csv as the data set of a study."""
    (tmp_path / "datasets").mkdir()

    def loaded(content=f"a,b,c,y\n{ROWS}", keys="", target="y"):
        raw = content.encode() if isinstance(content, str) else content
        (tmp_path / "mine.csv").write_bytes(raw)
        file = tmp_path / "datasets" / "mine.yaml"
        file.write_text(f"file: mine.csv\ntarget: {target}\n{keys}")
        (tmp_path / "data.lock").unlink(missing_ok=True)
        return load_own(file)[:2]

    return loaded


def test_types_are_declared(load):
    X, _ = load(keys="categorical: [c]\nnumeric: [a]\n")
    assert X["c"].cat.categories.tolist() == ["07", "08", "09"]
    assert X["a"].dtype == np.float64


@pytest.mark.parametrize("cell", ["1_000", "nan", "0x10", "１", "1e", "--1", "infinite"])
def test_what_is_no_number_is_a_level(load, cell):
    X, _ = load(f"a,y\n1,x\n{cell},y\n", "missing: []\n")
    assert X["a"].tolist() == ["1", cell]


def test_missing_values_are_declared(load):
    X, _ = load("a,y\n1,x\n-9,y\n,x\n", "missing: [-9]\n")
    assert X["a"].isna().tolist() == [False, True, True]
    X, _ = load("a,b,y\n1,x,x\n-9.0,-9,y\n-9,-9.0,x\n", "missing: [-9]\n")
    assert X["a"].isna().tolist() == X["b"].isna().tolist() == [False, True, True]
    X, _ = load("a,y\n0,x\n1,y\n0.5,x\n", "missing: [0.5]\n")
    assert X["a"].isna().tolist() == [False, False, True]
    X, _ = load("a,y\nNA,x\nDE,y\n", "missing: []\n")
    assert X["a"].cat.categories.tolist() == ["DE", "NA"]


REFUSED = [
    ("a,y,y\n1,x,x\n2,y,y\n", "", "two columns called 'y'"),
    ("a,a,y\n1,2,x\n2,3,y\n", "", "two columns called 'a'"),
    ("a,y\n1,x\ninf,y\n", "", "a is infinite in row 2"),
    ("a,y\n1,x\n2,x\n", "", "the target has only one class, x"),
    ("a,y\n1,3\n2,3\n", "task: regression\n", "the target is 3 in every row"),
    ("a,y\n1,x\nsome,y\n", "numeric: [a]\n", "a must be numeric, but has 'some' in row 2"),
    ("a,y\n1,x\n2,?\n", "missing: ['?']", "1 rows have no target"),
    ("a,y\n1,1\n2,1.5\n3,2\n", "", "the target has fractions; add task: regression"),
    ("a,b,y\n1,2,x\n1,3,4,y\n", "", "mine.csv, line 3: there are 4 fields, but 3 in the header"),
    ("y,a,b\nx,2\ny,3,4\n", "", "mine.csv, line 2: there are 2 fields, but 3 in the header"),
    ("a;y\n1;x\n2;y\n", "", "put ',' between fields, or say separator: ';'"),
    ("a\ty\n1\tx\n", "separator: ;\n", "may be separated by '\\t': put ';' between"),
    (b"a,y\n1,x\n2,\xe9\n", "", "mine.csv, line 3 is not in UTF-8: save it as UTF-8"),
    ("a,y\n1,x\n2,\0y\n", "", "mine.csv, line 3 has a NUL character"),
    ("a,y\n1,x\n2,NA\n", "", "(the empty cell, ?, NA, NaN, nan are read as missing; the key"),
    (",a,y\n1,1,x\n", "", "column 1 has no name: write one into the first line (or say row_names"),
    ("a,b,y\n1,2,x,\n1,2,y,9\n", "", "or say row_names: true if lines begin with row names"),
    ('a,y\n"1,x\n2,y\n', "", "mine.csv, line 2: a quote is never closed"),
    ("", "", "mine.csv is empty"),
    ("a,y\n1,x\n2,y\n", "numeric: [b]\n", "line 3: Unknown numeric column 'b'"),
    ("a,y\n1,x\n2,y\n", "categorical: [b]\n", "line 3: Unknown categorical column 'b'"),
    ("a,y\n1,x\n2,y\n", "categorical: [a]\nnumeric: [a]\n", "a cannot be categorical and numeric"),
    ("a,y\n1,x\n2,y\n", "arguments: {na_values: '?'}\n", "line 3: arguments has no effect"),
]


@pytest.mark.parametrize(("content", "keys", "message"), REFUSED)
def test_what_cannot_be_used_is_one_sentence(load, content, keys, message):
    with pytest.raises(RetreeError) as refused:
        load(content, keys)
    assert message in str(refused.value)
    assert "mine.yaml" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_may_be_too_large(load, monkeypatch):
    monkeypatch.setattr(own_tables, "MOST_MEGABYTES", 0)
    with pytest.raises(RetreeError, match="at most 0 are read"):
        load()


@pytest.mark.parametrize(("keys", "message"), [("target: y", "target"), ("missing: ['?']", "mis")])
def test_keys_that_nothing_reads_are_refused(tmp_path, keys, message):
    (tmp_path / "datasets").mkdir()
    file = tmp_path / "datasets" / "mine.yaml"
    file.write_text(f"sklearn: load_iris\n{keys}\n")
    with pytest.raises(
        RetreeError, match=f"line 2: {message}.* has no effect on data from sklearn"
    ):
        load_own(file)


def test_classes_stay_as_they_are_written(load):
    _, y = load("a,y\n1,9007199254740993\n2,9007199254740992\n")
    assert y.tolist() == ["9007199254740993", "9007199254740992"]
    _, y = load("a,y\n1,01\n2,1\n3,001\n4,1.0\n")
    assert y.tolist() == ["01", "1", "001", "1.0"]


def test_commas_at_the_end_of_all_rows_are_no_column(load):
    for head in ("y,a,b", "y,a,b,"):
        X, y = load(f"{head}\nu,4,7,\nv,5,8,\n")
        assert X.to_numpy().tolist() == [[4, 7], [5, 8]]
        assert y.tolist() == ["u", "v"]


def test_row_names_are_left_out_if_a_key_says_so(load):
    for head in ("a,y", ",a,y"):
        X, y = load(f"{head}\nr1,4,u\nr2,5,v\n", "row_names: true\n")
        assert X.to_dict("list") == {"a": [4, 5]}
        assert y.tolist() == ["u", "v"]


def test_blanks_count_in_quotes_only(load):
    X, y = load('a,b,y\n1 ,"x ",u\n? , x , v\n', "separator: ','\n")
    assert X["a"].isna().tolist() == [False, True]
    assert X["b"].tolist() == ["x ", "x"]
    assert y.tolist() == ["u", "v"]


def test_another_separator_is_named(load):
    X, y = load("a;y\n1;u\n2,5;v\n", "separator: ;\n")
    assert X["a"].tolist() == ["1", "2,5"]
    assert y.tolist() == ["u", "v"]


def test_endings_may_be_capitals(tmp_path, load):
    load()
    (tmp_path / "mine.csv").rename(tmp_path / "MINE.CSV")
    file = tmp_path / "datasets" / "mine.yaml"
    file.write_text("file: MINE.CSV\ntarget: y\nmissing: [x]\n")
    with pytest.raises(RetreeError, match="2 rows have no target"):
        load_own(file)


def test_numbers_that_are_not_exact_are_no_classes(read, tmp_path):
    read("mine.parquet", {"a": [1, 2, 3], "y": [1.0, 1e300, 2e300]})
    (tmp_path / "datasets").mkdir()
    file = tmp_path / "datasets" / "mine.yaml"
    file.write_text("file: mine.parquet\ntarget: y\n")
    with pytest.raises(RetreeError, match="1e\\+300, and from 9,007,199,254,740,992 on"):
        load_own(file)


def test_unpacking_ends(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"0" * 1000))
    assert len(plain_files.read_gz(path, 1000)) == 1000
    path.write_bytes(gzip.compress(b"0" * 1001))
    with pytest.raises(RetreeError, match="larger than 1,000 bytes when unpacked"):
        plain_files.read_gz(path, 1000)


@pytest.fixture
def read(tmp_path):
    """Write a file and read it as the table of a study's data set."""

    def done(name, content):
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content)
        else:
            parquet.write_table(pa.table(content), path)
        return own_tables.read_table(path, missing=(), texts=(), separator=",", row_names=False)

    return done


def test_columns_of_one_value_are_whole(read):
    names = [f"a{i}" for i in range(100)]
    attributes = "".join(f"@attribute {name} numeric\n" for name in names)
    tables = {
        "wide.csv": ",".join(names) + "\n" + (",".join("1" * 100) + "\n") * 100,
        "sparse.arff": f"@relation r\n{attributes}@data\n" + "{}\n" * 100,
        "zeros.parquet": {name: pa.array(np.zeros(100, bool)) for name in names},
    }
    for name, content in tables.items():
        assert read(name, content).shape == (100, 100)


@pytest.mark.parametrize("column", [[[1, 2], [3]], [{"b": 1}, {"b": 2}]])
def test_a_parquet_file_of_records_is_refused(read, column):
    with pytest.raises(RetreeError, match=r"mine\.parquet: a has lists or records"):
        read("mine.parquet", {"a": pa.array(column)})


def test_what_a_parser_complains_of_is_cut(tmp_path):
    (tmp_path / "datasets").mkdir()
    file = tmp_path / "datasets" / "mine.yaml"
    file.write_text("file: mine.arff\ntarget: y\n")
    head = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    (tmp_path / "mine.arff").write_text(f"{head}{'x' * 100_000},p\n")
    with pytest.raises(RetreeError, match="a must be a number, not 'xxx") as refused:
        load_own(file)
    assert len(str(refused.value)) < 1000


def test_texts_of_a_parquet_file_are_as_those_of_a_csv(load, read, tmp_path):
    X, y = load("a,b,y\n1,red,p\n,blue,q\n3,,p\n")
    frame = pd.DataFrame({"a": [1, None, 3], "b": ["red", "blue", None], "y": ["p", "q", "p"]})
    frame.to_parquet(tmp_path / "mine.parquet")
    file = tmp_path / "datasets" / "mine.yaml"
    file.write_text("file: mine.parquet\ntarget: y\n")
    same, labels, _ = load_own(file)
    pd.testing.assert_frame_equal(X, same)
    pd.testing.assert_series_equal(y, labels)


DAYS = ["1970-01-02", None, "2020-02-29"]
SINCE_1970 = [86_400_000.0, np.nan, 1_582_934_400_000.0]


@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_dates_of_a_parquet_file_are_numbers(read, zone):
    days = pd.to_datetime(pd.Series(DAYS))
    days = days if zone is None else days.dt.tz_localize("UTC").dt.tz_convert(zone)
    table = read("mine.parquet", {"a": pa.array(days)})
    np.testing.assert_array_equal(own_tables.typed_feature(table["a"]), SINCE_1970)


def test_dates_of_a_csv_are_numbers_if_it_says_numeric(load):
    X, _ = load("a,y\n1970-01-02,no\n,yes\n2020-02-29,yes\n", "numeric: [a]")
    np.testing.assert_array_equal(X["a"], SINCE_1970)
    with pytest.raises(RetreeError, match=r"has '29/2/2020' in row 1: .* dates are read as 2020"):
        load("a,y\n29/2/2020,no\n2020-02-29,yes\n", "numeric: [a]")
