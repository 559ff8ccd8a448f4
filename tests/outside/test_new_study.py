"""``retree init --from``: a table as it was printed becomes a study that can be run."""

import pandas as pd
import pytest

from retree_lab.cli import main

WIDE = """\
| data set | rows | C4.5 | boosted C4.5 | 1R | Mystery |
| :-- | --: | --: | --: | --: | --: |
| Iris | 150 | 5.90 | 5.0 ± 1.2 | 6.0 | 9.1 |
| labor | 57 | 22.6 | 13.1 | 20 | 12.0 |
| Letter | 20000 | 13.8 | 3.3 | | 12.5 |
| Mean | | 14.1 | 7.1 | 13 | 11.2 |
"""
LATEX = r"""
\begin{tabular}{lrrrr}
data set & rows & C4.5 & boosted C4.5 & 1R & Mystery \\ \hline
Iris & 150 & 5.90 & $5.0 \pm 1.2$ & 6.0 & 9.1 \\
labor & 57 & 22.6 & 13.1 & 20 & 12.0 \\
Letter & 20000 & 13.8 & \textbf{3.3} & & 12.5 \\
Mean & & 14.1 & 7.1 & 13 & 11.2 \\
\end{tabular}
"""
LONG = """\
table,dataset,method,metric,value,std
table1,Iris,C4.5,error_pct,5.90,
table1,Iris,boosted C4.5,error_pct,5.0,1.2
table1,Iris,1R,error_pct,6.0,
table1,Iris,Mystery,error_pct,9.1,
table1,labor,C4.5,error_pct,22.6,
table1,labor,boosted C4.5,error_pct,13.1,
table1,labor,1R,error_pct,20,
table1,labor,Mystery,error_pct,12.0,
table1,Letter,C4.5,error_pct,13.8,
table1,Letter,boosted C4.5,error_pct,3.3,
table1,Letter,Mystery,error_pct,12.5,
"""
PLACE = ["table", "dataset", "method", "metric"]


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rows_of(folder):
    table = pd.read_csv(f"{folder}/published.csv", dtype=str, keep_default_na=False)
    return table.sort_values(PLACE).to_dict("records")


@pytest.mark.parametrize(
    ("text", "options"),
    [(WIDE, ["--metric", "error"]), (LATEX, ["--metric", "error"]), (LONG, [])],
)
def test_each_form_gives_the_same_study(tmp_path, capsys, text, options):
    (tmp_path / "table.txt").write_text(text)
    (tmp_path / "long.csv").write_text(LONG)
    words = ["init", "copied", "--from", "table.txt", "--protocol", "cv5", *options]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "Data sets: Iris (iris), labor (openml-4)\n" in said
    assert "Methods: C4.5 (c45_pruned), 1R (one_r)\n" in said
    assert "Methods of 100 trees, see methods/table.yaml: boosted C4.5\n" in said
    assert (
        "until datasets/NAME.yaml describes it and missing in paper.yaml no longer lists it: Letter"
        in said
    )
    assert "methods/table.yaml: Mystery\n" in said
    assert main(["init", "long", "--from", "long.csv"]) == 0
    # Every number with its digits, those of what is not known too.
    assert rows_of("copied") == rows_of("long")
    values = {(r["dataset"], r["method"]): (r["value"], r["std"]) for r in rows_of("copied")}
    assert len(values) == 11
    assert values["Iris", "C4.5"] == ("5.90", "")
    assert values["Iris", "boosted C4.5"] == ("5.0", "1.2")


def test_a_copied_table_is_checked_run_and_judged(tmp_path, capsys):
    (tmp_path / "table.md").write_text(WIDE)
    assert main(["init", "mine", "--from", "table.md", "--metric", "error"]) == 0
    assert main(["check", "mine"]) == 0
    said = capsys.readouterr().out
    assert "Letter stays blank: This data set of 20,000 rows does not come with retree." in said
    assert "mystery stays blank: No method of this name comes with retree." in said
    assert "Published values matched to the tables: 11" in said
    assert "not judged in table1" in said
    paper = tmp_path / "mine" / "paper.yaml"
    paper.write_text(paper.read_text().replace("unknown", "same"))
    assert (
        main(["run", "--report", "-j", "1", "--study", "mine", "item=all", "methods=[one_r]"]) == 0
    )
    table = pd.read_csv("mine/results/local/mine/table1.csv").set_index("dataset")
    assert table["reproduced"].notna().to_dict() == {"Iris": True, "labor": True, "Letter": False}
    assert set(table["verdict"].iloc[:2]) <= {"agrees", "weak", "edge", "differs"}
    assert table["published"].dropna().to_dict() == {"Iris": 6.0, "labor": 20.0}
    page = (tmp_path / "mine/results/local/mine/table1.md").read_text()
    assert page.startswith(
        "# Table 1: Error in %\n\nAuthors not named: mine. No reference given.\n"
    )


def test_a_column_of_an_unknown_metric_is_named_with_it(tmp_path, capsys):
    rows = "table,dataset,method,metric,value\n1,iris,C4.5,gmean,0.9\n1,iris,C4.5,accuracy,0.95\n"
    (tmp_path / "table.csv").write_text(rows)
    assert main(["init", "mine", "--from", "table.csv"]) == 0
    assert "Left out, since gmean is not a metric of retree: C4.5\n" in capsys.readouterr().out
    assert [row["metric"] for row in rows_of("mine")] == ["accuracy"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("no table", [], "This is not a table"),
        ("data,A\niris,1200\nlabor,3000\n", [], "No column looks like accuracies"),
        ("data,A\niris,94\nlabor,80\n", ["--protocol", "cv55"], "Unknown protocol 'cv55'"),
    ],
)
def test_what_cannot_be_copied_writes_nothing(tmp_path, capsys, text, options, message):
    (tmp_path / "table.csv").write_text(text)
    assert main(["init", "mine", "--from", "table.csv", *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("said", ["accuracy", "error"])
@pytest.mark.parametrize("full", [1, 100])
def test_the_numbers_show_their_unit(tmp_path, said, full):
    cells = {name: share * full for name, share in (("Iris", 0.94), ("labor", 0.81))}
    rows = "".join(f"{name},{value:g}\n" for name, value in cells.items())
    (tmp_path / "table.csv").write_text(f"data set,C4.5\n{rows}")
    assert main(["init", "mine", "--from", "table.csv", "--metric", said]) == 0
    assert {row["metric"] for row in rows_of("mine")} == {said if full == 1 else f"{said}_pct"}
