"""What a csv of a study becomes, column by column, and what of it is refused."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from retree import plain_files
from retree.datasets import own_tables
from retree.datasets.own import column_lines, load_own
from retree.errors import RetreeError

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


def test_missing_values_and_types_are_found(load):
    X, _ = load()
    assert list(column_lines(X)) == [
        "a: numeric, 2 missing",
        "b: categorical, 2 levels (blue, red), 1 missing",
        "c: numeric, 1 missing",
    ]
    assert X["a"].tolist()[::3] == [1.0, 4.0]


def test_types_are_declared(load):
    X, _ = load(keys="categorical: [c]\nnumeric: [a]\n")
    assert X["c"].cat.categories.tolist() == ["07", "08", "09"]
    assert X["a"].dtype == np.float64


def test_missing_values_are_declared(load):
    X, _ = load("a,y\n1,x\n-9,y\n,x\n", "missing: [-9]\n")
    assert X["a"].isna().tolist() == [False, True, True]
    X, _ = load("a,y\nNA,x\nDE,y\n", "missing: []\n")
    assert X["a"].cat.categories.tolist() == ["DE", "NA"]


def test_only_so_many_columns_are_described():
    X = pd.DataFrame(np.zeros((2, 50)))
    assert list(column_lines(X))[-1] == "and 20 more columns"


REFUSED = [
    ("a,y,y\n1,x,x\n2,y,y\n", "", "two columns called 'y'"),
    ("a,a,y\n1,2,x\n2,3,y\n", "", "two columns called 'a'"),
    ("a,y\n1,x\ninf,y\n", "", "a is infinite in row 2"),
    ("a,y\n1,x\n2,x\n", "", "the target has one class only, x"),
    ("a,y\n1,3\n2,3\n", "task: regression\n", "the target is 3 in every row"),
    ("a,y\n1,x\nsome,y\n", "numeric: [a]\n", "a is to be numeric and has 'some' in row 2"),
    ("a,y\n1,x\n2,?\n", "", "1 rows have no target"),
    ("a,y\n1,1\n2,1e300\n3,2e300\n", "", "the target has 1e+300, and from 9,007,199,254,740,992"),
    ("a,y\n1,0.0\n2,9007199254740993\n", "", "not exact: write the classes as words"),
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
    with pytest.raises(RetreeError, match=f"line 2: {message}.* has no effect on what sklearn"):
        load_own(file)


def test_whole_numbers_of_any_size_are_classes(load):
    _, y = load("a,y\n1,9007199254740993\n2,9007199254740992\n")
    assert y.tolist() == ["9007199254740993", "9007199254740992"]


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
        return own_tables.read_table(path, (), ())

    return done


def test_columns_of_one_value_are_whole(read):
    names = [f"a{i}" for i in range(100)]
    attributes = "".join(f"@attribute {name} numeric\n" for name in names)
    tables = {
        "short.csv": ",".join(names) + "\n" + "1\n" * 100,
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
    head = "@relation r\n@attribute a string\n@attribute y {p,q}\n@data\n"
    (tmp_path / "mine.arff").write_text(head + '"' * 100_000)
    with pytest.raises(RetreeError, match="the data cannot be read") as refused:
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
