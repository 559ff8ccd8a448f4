"""The register of all judged numbers."""

import io
import json
import math

import pandas as pd
import pytest

from retree_lab import paths
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import (
    KNOWN_BY,
    RIGHT_ROWS,
    published_numbers,
    read_comparison,
    read_comparisons,
)
from retree_lab.reports.comparison import CSV_COLUMNS
from retree_lab.reports.files import csv_text
from retree_lab.reports.published import Published
from retree_lab.reports.register import COLUMNS, RULES, data_package, read_register
from retree_lab.statistics import Verdict
from retree_lab.study.available import available

RESULTS = paths.project_dir() / "results"
PAPERS = available("paper")


@pytest.fixture(scope="module")
def register():
    return read_register(read_comparisons(RESULTS), map(load_paper, PAPERS))


def test_it_has_every_judged_number_once(register):
    wanted = published_numbers(read_comparisons(RESULTS))
    names = ["paper", "item", "dataset", "method", "metric", "verdict"]
    assert len(register) == len(wanted) > 1500
    assert not register.duplicated(names).any()
    assert set(map(tuple, register[names].values)) == set(map(tuple, wanted[names].values))
    assert list(register.columns) == list(COLUMNS)


def test_rules_are_those_that_judge(register):
    assert set(register["rule"]) <= set(RULES)
    rows = register.groupby("rule")
    assert set(rows.get_group("digit")["verdict"]) <= {Verdict.EQUAL, Verdict.DIFFERS}
    assert set(rows.get_group("misprint")["verdict"]) == {Verdict.EXPLAINED}
    assert set(rows.get_group("none")["verdict"]) == {Verdict.MISSING}
    inside = rows.get_group("interval")
    agrees = inside["published"].between(inside["low"], inside["high"])
    assert (inside["verdict"].isin([Verdict.AGREES, Verdict.WEAK]) == agrees).all()
    assert set(rows.get_group("folds")["verdict"]) <= {Verdict.AGREES, Verdict.DIFFERS}


def test_what_somebody_else_copied_is_second_hand(register):
    known = [Published(load_paper(name)).table().assign(paper=name) for name in PAPERS]
    named = pd.concat(known).query("marker == 'second hand'").rename(columns={"table": "item"})
    names = ["paper", "item", "dataset", "method", "metric"]
    copied = register[register["source"] == "second hand"]
    assert set(map(tuple, copied[names].values)) == set(map(tuple, named[names].values))
    assert set(register["source"]) == {"", "second hand"}
    assert set(copied["paper"]) >= {"breiman1996", "freund_schapire1996", "garcia_herrera2008"}


def test_the_csv_gives_the_same_numbers_back(register):
    text = csv_text(register, quoted=False)
    back = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])
    for name, (kind, _) in COLUMNS.items():
        if kind == "number":
            assert back[name].astype(float).equals(register[name].astype(float)), name
        else:
            assert back[name].fillna("").astype(str).equals(register[name].astype(str)), name


def test_a_data_package_names_the_files_and_their_columns(register):
    content = json.loads(data_package(register, "abc"))
    assert content["commit"] == "abc"
    assert sum(one["rows"] for one in content["resources"]) == 2 * len(register)
    fields = content["resources"][0]["schema"]["fields"]
    assert [field["name"] for field in fields] == list(COLUMNS)


def test_what_a_kind_counts_is_in_the_register(tmp_path):
    """Of all rows, or fold by fold; a kind may have further columns."""
    row = dict.fromkeys(CSV_COLUMNS, "") | {
        **{"dataset": "sonar", "method": "Gini", "metric": "accuracy", "published": "0.7"},
        **{"reproduced": "0.7", "verdict": "equal", "steps": "0"},
    }
    tables = {
        "counts": row | {"correct": "146", "rows": "208", "known_by": "name"},
        "folds": row | {"correct": "30 31 32", "folds_equal": "3"},
        "plain": row,
    }
    folder = tmp_path / "structure_purity"
    folder.mkdir()
    for name, content in tables.items():
        pd.DataFrame([content]).to_csv(folder / f"{name}.csv", index=False)
    pd.DataFrame([{"correct": 1, **row}]).to_csv(folder / "other.csv", index=False)
    assert read_comparison(folder / "other.csv") is None
    cells = read_comparisons(tmp_path).set_index("item")
    assert list(cells.columns[-len(RIGHT_ROWS) - 1 :]) == [*RIGHT_ROWS, KNOWN_BY]
    found = read_register(cells.reset_index(), [load_paper("structure_purity")]).set_index("item")
    assert found["rule"].eq("digit").all()
    assert tuple(found.loc["counts", list(RIGHT_ROWS)]) == (146, 208)
    assert found.loc["folds", "correct"] == 93
    assert math.isnan(found.loc["plain", "correct"])
    # None of these is an item of the paper, so that nothing can be shown of a fold.
    assert found["command"].str.contains("run --report").all()


def test_no_papers_have_no_rows():
    assert read_register(read_comparisons(RESULTS), []).empty
