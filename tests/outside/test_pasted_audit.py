"""The audit of pasted tables: planted errors are found, and correct tables have few alarms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from retree.errors import RetreeError
from retree_lab import cli, paths
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.outside.audit import audit
from retree_lab.outside.reading import read_tables
from retree_lab.study.available import paper_sets

SETS = {"iris": 150, "sonar": 208, "glass": 214, "zoo": 101, "vote": 435, "heart-c": 303}
# What no correct table breaks; the others are matters of chance.
CERTAIN = ("mean", "rank", "best", "share", "granularity", "parity", "integers", "leaves")


def table_of(seed=0, methods=("A", "B"), bold=False):
    """Right rows of a pooled 10-fold cross-validation in per cent, by data set and method."""
    rng = np.random.default_rng(seed)
    return {
        name: [round(100 * rng.binomial(rows, 0.8) / rows, 2) for _ in methods]
        for name, rows in SETS.items()
    }


def text_of(cells, methods=("A", "B"), extra=""):
    lines = [",".join(["dataset", *methods])]
    lines += [",".join([name, *(f"{v:.2f}" for v in row)]) for name, row in cells.items()]
    return "\n".join(lines) + "\n" + extra


def findings(text, folds=10, repeats=1, sizes=SETS):
    found = audit(read_tables(text)[0], folds, repeats, sizes)
    return {r.rule: [f.numbers for f in r.findings] for r in found.rulings if r.findings}


def test_a_table_of_right_rows_is_sound():
    for seed in range(20):
        assert not set(findings(text_of(table_of(seed)))) & set(CERTAIN)


def test_a_mean_that_no_count_gives_is_found():
    cells = table_of()
    cells["iris"][0] = 94.13
    (text,) = findings(text_of(cells))["granularity"]
    assert text.startswith("94.13")


def test_a_wrong_average_is_found():
    cells = table_of()
    means = np.mean(list(cells.values()), axis=0)
    assert "mean" not in findings(text_of(cells, extra=f"Average,{means[0]:.2f},{means[1]:.2f}\n"))
    wrong = findings(text_of(cells, extra=f"Average,{means[0] + 0.5:.2f},{means[1]:.2f}\n"))
    assert wrong["mean"][0].startswith("Not the means of the numbers above: A ")


def test_a_wrong_average_rank_is_found():
    cells = {name: [90.0, 80.0] for name in SETS} | {"zoo": [80.2, 80.2]}
    assert "rank" not in findings(text_of(cells, extra="average rank,1.17,2\n"))
    assert "rank" not in findings(text_of(cells, extra="average rank,1.08,1.92\n"))
    (text,) = findings(text_of(cells, extra="average rank,1.4,1.9\n"))["rank"]
    assert text == "The average rank of A is 1.4, but the table gives 1 to 1.167."


def test_a_bold_number_that_is_not_the_best_is_found():
    lines = ["| set | A | B |", "|--|--|--|"]
    lines += [f"| {name} | **90.{i}** | 80.{i} |" for i, name in enumerate(SETS)]
    assert "best" not in findings("\n".join(lines))
    lines[-1] = "| heart-c | **79.1** | 80.1 |"
    assert findings("\n".join(lines))["best"] == ["79.1 is bold, but not the best on heart-c."]


def test_impossible_shares_are_found():
    cells = table_of()
    cells["zoo"][1] = 100.5
    assert findings(text_of(cells))["share"] == ["100.5 is not between 0 and 100."]
    lines = text_of(table_of()).splitlines()
    lines[1] = "iris,98.00 ± 25,90.00"
    assert "98 ± 25" in findings("\n".join(lines))["share"][0]


def test_columns_that_repeat_each_other_are_found():
    cells = {k: [*row, row[0], round(100 - row[1], 2)] for k, row in table_of().items()}
    found = findings(text_of(cells, ("A", "B", "C", "D error")))
    assert len(found["columns"]) == 2
    assert "A and C have the same 6 numbers." in found["columns"]
    # The numbers of a repeated column are not found once more one by one.
    assert "repeat" not in found


def test_the_numbers_tell_the_cross_validation():
    text = text_of(table_of(methods=tuple("ABCDEF")), tuple("ABCDEF"))
    found = audit(read_tables(text)[0], None, 1, SETS)
    assert found.inferred
    assert found.plan is not None
    rng = np.random.default_rng(0)
    means = {name: list(rng.uniform(60, 90, 6)) for name in SETS}
    assert audit(read_tables(text_of(means, tuple("ABCDEF")))[0], None, 1, SETS).plan is None


def test_mixed_units_are_refused():
    with pytest.raises(
        RetreeError, match=r"mixes units: 0\.94 looks like a share of 1, and 71 like a"
    ):
        audit(read_tables("d,acc\na,0.94\nb,.93\nc,71\nd,96\n")[0], None, 1, {})


def test_command(tmp_path, capsys):
    file = tmp_path / "table.csv"
    file.write_text(text_of(table_of()), encoding="utf-8")
    assert cli.main(["audit", str(file), "--folds", "10"]) == 0
    assert "Cross-validation with 10 folds." in capsys.readouterr().out
    file.write_text(text_of(table_of() | {"iris": [94.13, 90.0]}), encoding="utf-8")
    assert cli.main(["audit", str(file), "--folds", "10", "--rows", "iris=150"]) == 1
    assert "iris: A\n" in capsys.readouterr().out
    for wrong, words in (
        (["--folds", "1"], "--folds must be at least 2"),
        (["--rows", "iris"], "must be like --rows iris=150"),
        (["--rows", "irsi=150"], "no data set 'irsi'"),
    ):
        assert cli.main(["audit", str(file), *wrong]) == 2
        assert words in capsys.readouterr().err
    assert cli.main(["audit", str(tmp_path / "none.csv")]) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("iris,94.67\nzoo,105.0\nsonar,70.1\n", ["105 is not between 0 and 100."]),
        ("iris,94.67\nzoo,-4\nsonar,70.1\n", ["-4 is not between 0 and 100."]),
        ("iris,0.9467\nzoo,1.05\nsonar,0.701\n", ["1.05 is not between 0 and 1."]),
    ],
)
def test_one_impossible_number_does_not_make_a_column_something_else(text, found):
    assert findings("data set,J48\n" + text)["share"] == found


def test_a_column_of_sizes_is_no_accuracy():
    assert not findings("data set,J48\niris,5\nzoo,130\nsonar,20\nvote,212\nglass,40\n")


def run(tmp_path, capsys, text, *words, command="audit"):
    file = tmp_path / "table.csv"
    file.write_text(text, encoding="utf-8")
    code = cli.main([command, str(file), *words])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_where_nothing_is_judged_that_is_said_with_a_code_of_its_own(tmp_path, capsys):
    text = "data set,J48\niris,-4\nzoo,105\n"
    code, said = run(tmp_path, capsys, text, "--folds", "10")
    assert code == 3
    assert "Nothing was judged" in said
    assert "Nothing impossible" not in said
    code, said = run(tmp_path, capsys, text, "--metric", "accuracy")
    assert code == 1
    assert "105 is not between 0 and 100" in said
    assert "read as accuracies in %" in said


LONG = """\
paper,table,dataset,method,metric,value
p,table6,iris,C4.5,auc,0.936
p,table6,iris,C4.5,rank,2
p,table2,iris,C4.5,error_pct,5.33
p,table2,zoo,C4.5,error_pct,104
p,table2,sonar,C4.5,error_pct,20.1
"""


def test_a_long_table_is_judged_by_table_and_metric(tmp_path, capsys):
    code, said = run(tmp_path, capsys, LONG)
    assert code == 1
    assert said.count("Nothing was judged") == 2
    assert "table2, error_pct" in said
    assert "104 is not between 0 and 100" in said


@pytest.mark.parametrize("command", ["audit", "identify"])
@pytest.mark.parametrize("shape", [(2001, 1), (3, 201)])
def test_a_table_without_end_is_refused_in_a_sentence(tmp_path, capsys, command, shape):
    head = ",".join(["set", *(f"m{i}" for i in range(shape[1]))])
    lines = [",".join([f"d{i}", *["90.1"] * shape[1]]) for i in range(shape[0])]
    code, said = run(tmp_path, capsys, "\n".join([head, *lines]), command=command)
    assert code == 2
    assert "at most 2,000 and 200 are read" in said


def own_tables():
    """Yield the tables of committed results by 5 or 10 folds, these folds, and their rows."""
    for file in sorted((paths.project_dir() / "results").glob("*/*.csv")):
        rows = pd.read_csv(file)
        sizes = {
            module.label(name): module.file_rows(name)[-1]
            for name, module in paper_sets().items()
            if name.startswith(f"{file.parent.name}-") and module.file_rows(name)
        }
        if not {"dataset", "method", "metric", "reproduced", "n_folds", "n_replicates"} <= set(
            rows
        ):
            continue
        rows = rows[(rows["n_replicates"] == 1) & rows["reproduced"].notna()]
        for metric, cells in rows[rows["dataset"] != "MEAN"].groupby("metric"):
            known = {"accuracy": 4, "accuracy_pct": 2, "error_pct": 2, "leaves": 2, "nodes": 2}
            twice = cells.duplicated(["dataset", "method"]).any()
            if str(metric) not in known or len(cells) < 4 or twice:
                continue
            runs, digits = int(cells["n_folds"].iloc[0]), known[str(metric)]
            if runs % 5:
                continue
            words = {"error_pct": " error", "leaves": " leaves", "nodes": " nodes"}
            lines = ["dataset,method,value,std"]
            for row in cells.itertuples():
                name = f"{row.method}{words.get(str(metric), '')}"
                value, std = f"{row.reproduced:.{digits}f}", f"{row.reproduced_std:.{digits}f}"
                lines.append(f'{row.dataset},"{name}",{value},{std if std != "nan" else ""}')
            entry = load_paper(file.parent.name).items.get(file.stem, {})
            by_five = str(entry.get("protocol", "")).startswith("cv5") or runs % 10
            yield "\n".join(lines), 5 if by_five else 10, runs, sizes


@pytest.mark.slow
def test_no_certain_rule_finds_anything_in_correct_tables():
    judged = 0
    for text, folds, runs, sizes in own_tables():
        for ruling in audit(read_tables(text)[0], folds, max(1, runs // folds), sizes).rulings:
            if ruling.rule in CERTAIN:
                judged += ruling.judged
                assert not ruling.findings, ruling
    assert judged > 1000
