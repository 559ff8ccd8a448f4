"""Studies as a stranger may write them: data, code and published values that cannot be used."""

import shutil

import pytest

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.cli import main
from retree_lab.commands.check import check

PAPER, METHODS, WINE = "paper.yaml", "methods/mine.yaml", "datasets/wine.yaml"
CODE, CLAIMS, PUBLISHED = "estimators.py", "claims.yaml", "published.csv"
HEAD = "table,dataset,method,metric,value,std,marker\n"
VALUE = "table1,wine,Stump,accuracy,0.9,,\n"
OWN_KIND = """\
from dataclasses import dataclass
from retree_lab.reports.kinds import FrameKind


@dataclass(frozen=True, kw_only=True)
class Mine(FrameKind):
    metrics: tuple[str, ...]

    def compare(self, context):
        raise ValueError("oh no")
"""


def table(text):
    return {WINE: "file: mine.csv\ntarget: c\n", "mine.csv": text}


def function(body):
    code = f"def mine():\n    {body}\n"
    return {WINE: "function: data.py:mine\n", "data.py": code}


WRITTEN = [
    (table("a,c\n"), "wine.yaml: the table has no rows"),
    (table("c\n" + "x\ny\n" * 9), "wine.yaml: the table has no columns besides the target"),
    (table("a,c\n" + "1,x\n2,x\n" * 9), "the target has only one class, x"),
    (table("a,c\n1,x\n2,y\n"), "paper.yaml, line 8: wine cannot be split by cv5"),
    ({WINE: "sklearn: load_wine\ndrop: [wine]\n"}, "line 2: Unknown column to drop 'wine'"),
    ({WINE: "sklearn: load_wine\ndrop: wine\n"}, "drop of wine must be a list, not 'wine'"),
    ({WINE: "openml: forty\ntarget: c\n"}, "openml of wine must be an integer, not 'forty'"),
    (function("raise RuntimeError('oh\\nno')"), "wine.yaml: the data cannot be read (oh no)"),
    (function("return [[1.0], [2.0]], ['a']"), "2 rows of features and 1 targets"),
    ({"data.lock": "not json"}, "data.lock cannot be read"),
    ({"data.lock": "[]"}, "data.lock was not written by retree"),
    ({PUBLISHED: ""}, "published.csv is empty"),
    (
        {PUBLISHED: (HEAD + VALUE).replace("Stump", "Stümp").encode("latin1")},
        "line 2 is not in UTF-8",
    ),
    (
        {PUBLISHED: HEAD + VALUE + "a,b\n"},
        "published.csv, line 3: there are 2 fields, but 7 in the",
    ),
    ({PUBLISHED: HEAD.replace(",", ";")}, "may be separated by ';': put ',' between fields."),
    ({PUBLISHED: HEAD + VALUE + VALUE}, "published.csv, line 3: this value appears twice"),
    ({PUBLISHED: HEAD + VALUE.replace("0.9,", "0.9,big")}, "line 2: the std 'big' is not a number"),
    ({PUBLISHED: HEAD + VALUE.replace("0.9", "nan")}, "line 2: the value 'nan' is not a number"),
    ({CLAIMS: "a: 1\n"}, "claims.yaml: claims are a list"),
]
REPLACED = [
    (CODE, "class Stump(", "class Stump((", "estimators.py, line 7: SyntaxError"),
    (CODE, "from sklearn.base", "import nonesuch\nfrom sklearn.base", "line 3: ModuleNotFound"),
    (CODE, "from sklearn.base", "1 / 0\nfrom sklearn.base", "line 3: ZeroDivisionError"),
    (CODE, "self.tree_.predict(X)", "self.tree_.predict(X)[:3]", "of shape (3,)"),
    (CODE, "self.tree_.predict(X)", "self.tree_.predict_proba(X)", "of shape (60, 2)"),
    (CODE, "self.tree_.predict(X)", "['a'] * len(X)", "stump must predict classes"),
    (METHODS, "py:Stump", "py:Stump\n  version: 1.5", "line 18: version of stump must be an"),
    (METHODS, "n_estimators: 20", "tune: [max_depth]", "line 8: Unknown grid parameter"),
    (
        CLAIMS,
        "metric: accuracy",
        "metric: acuracy",
        "claims.yaml, line 5: Claim forest-beats-stump: Unk",
    ),
    (
        PAPER,
        "items:",
        "grid: {max_depth: 3}\nitems:",
        "line 7: max_depth of grid of paper.yaml must be a list",
    ),
    (PAPER, "items:", "names: {foo: bar}\nitems:", "line 7: Unknown method or data set 'foo'"),
    (PAPER, "title: My study", "title: [a, b]", "line 2: title of paper.yaml must be a text"),
    (PAPER, "[accuracy, roc_auc_ovr]", "[]", "line 14: metrics of table1 is empty"),
    (PAPER, "    datasets: [iris, wine]\n", "", "line 8: table1 has nothing to compute"),
    (PAPER, "    metrics: [accuracy, roc_auc_ovr]\n", "", "line 8: table1 (metric_table) lacks"),
    (
        PAPER,
        "[accuracy, roc_auc_ovr]",
        "[accuracy, r2]",
        "The target of iris is a class, so r2 is undefined",
    ),
    (PAPER, "roc_auc_ovr", "f1", "line 8: f1 is undefined for the 3 classes of iris (Target is"),
    (METHODS, "ensemble.RandomForestClassifier", "model_selection.GridSearchCV", "parameters."),
    (PAPER, "roc_auc_ovr", "estimators.py:mine", "Unknown name in"),
    (PAPER, "[iris, wine]", "[iris, 5]", "Unknown data set '5'"),
    (
        PAPER,
        "items:",
        "errata: [{table: tabel1, reason: A slip.}]\nitems:",
        "Unknown table 'tabel1'",
    ),
    (PAPER, "items:", "errata: [{tabel: table1, reason: A slip.}]\nitems:", "Unknown key 'tabel'"),
    (
        PAPER,
        "items:",
        "errata: [{table: table1}]\nitems:",
        "line 7: {'table': 'table1'} lacks reason",
    ),
    (
        PAPER,
        "items:",
        "errata: [{reason: A slip.}]\nitems:",
        "names table, dataset, method or metric",
    ),
    (
        PAPER,
        "items:",
        "causes: [{cause: luck, numbers: [{items: [table1]}], evidence: None.}]\nitems:",
        "line 7: Unknown cause of an entry of causes of paper.yaml: 'luck'",
    ),
    (
        PAPER,
        "items:",
        "causes:\n- cause: open\n  numbers: [{items: [tabel1]}]\n  evidence: None.\nitems:",
        "line 9: Unknown item of published numbers: 'tabel1'",
    ),
    (PAPER, "items:", "errata: A slip.\nitems:", "line 7: errata of paper.yaml must be a list"),
]


def complaint(study):
    with pytest.raises(RetreeError) as refused:
        list(check(study))
    text = str(refused.value)
    assert "\n" not in text
    assert str(study) in text
    return text


@pytest.mark.parametrize(("files", "message"), WRITTEN)
def test_what_cannot_be_used_is_named(study, files, message):
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else content.encode()
        (study / name).write_bytes(raw)
    assert message in complaint(study)


@pytest.mark.parametrize(("file", "old", "new", "message"), REPLACED)
def test_a_mistake_is_named(study, file, old, new, message):
    text = (study / file).read_text()
    assert old in text
    (study / file).write_text(text.replace(old, new, 1))
    assert message in complaint(study)


def rewrite(study, file, *pairs):
    text = (study / file).read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (study / file).write_text(text)


@pytest.mark.parametrize("name", ["a/b", "my table", "-x", ".x", "con", "COM1"])
def test_an_item_needs_a_name_for_files(study, name):
    rewrite(study, PAPER, ("  table1:", f"  {name}:"))
    rewrite(study, CLAIMS, ("table1", name))
    assert f"line 8: '{name}' is used in file names" in complaint(study)


@pytest.mark.parametrize("name", ["<b>x", "=1+1", "-x", "..", "nul", "a,b"])
@pytest.mark.parametrize("folder", ["datasets", "protocols"])
def test_a_file_of_a_study_needs_such_a_name(study, folder, name):
    (study / folder).mkdir(exist_ok=True)
    (study / folder / f"{name}.yaml").write_text("sklearn: load_wine\n")
    assert f"{name}.yaml: '{name}' is used in file names" in complaint(study)


@pytest.mark.parametrize("name", ["-x", "a.b", "x y", "aux"])
def test_a_method_needs_such_a_name(study, name):
    text = (study / METHODS).read_text()
    (study / METHODS).write_text(f"{text}\n{name}: {{base: forest, name: Other}}\n")
    assert f"mine.yaml, line {text.count(chr(10)) + 2}: '{name}' is used in" in complaint(study)


@pytest.mark.parametrize("kind", ["3", "[a]", "true", "1.5", "{a: 1}"])
def test_a_kind_is_a_text(study, kind):
    rewrite(study, PAPER, ("kind: metric_table", f"kind: {kind}"))
    assert "line 8: kind of table1 must be a text, not" in complaint(study)


def test_no_accuracy_of_numbers(study):
    (study / WINE).write_text("sklearn: load_diabetes\ntask: regression\n")
    rewrite(study, PAPER, ("[iris, wine]", "[wine]"), ("[c45_pruned, forest, small_", "[small_"))
    rewrite(study, PAPER, ("baseline: c45_pruned", "baseline: small_forest"), (", stump]", "]"))
    rewrite(study, METHODS, ("ForestClassifier", "ForestRegressor"))
    (study / CLAIMS).unlink()
    assert "The target of wine is a number, so accuracy is undefined" in complaint(study)


def test_a_run_refuses_a_metric_that_the_target_does_not_have(study, capsys):
    rewrite(study, PAPER, ("[accuracy, roc_auc_ovr]", "[accuracy, r2]"))
    assert main(["run", "--study", str(study), "item=all"]) == 2
    assert "The target of iris is a class, so r2 is undefined" in capsys.readouterr().err


def test_a_report_of_nothing_is_not_restored(study, capsys):
    assert main(["report", "--study", str(study), "item=all"]) == 0
    assert main(["plan", "--study", str(study), "item=all"]) == 0
    assert "restored" not in capsys.readouterr().out


def test_numbers_as_names_and_marks_of_other_editors_are_no_mistakes(study):
    rewrite(study, METHODS, ("stump:", "5:"))
    rewrite(study, PAPER, ("small_forest, stump]", "small_forest, 5]"))
    rewrite(study, CLAIMS, ("[stump]", "[5]"))
    for name in (PAPER, METHODS, WINE, CODE, CLAIMS):
        (study / name).write_bytes((study / name).read_bytes().replace(b"\n", b"\r\n"))
    (study / PAPER).write_bytes(b"\xef\xbb\xbf" + (study / PAPER).read_bytes())
    assert "Methods fitted and scored: 4" in list(check(study))


def test_methods_whose_seeds_retree_chooses_are_named(study):
    rewrite(study, METHODS, ("  n_estimators: 20", "  n_estimators: 20\n  random_state: 3"))
    assert not any("random_state" in line for line in check(study))
    rewrite(study, METHODS, ("  random_state: 3\n", ""))
    line = next(line for line in check(study) if "random_state" in line)
    assert line.endswith("since they set none: forest, small_forest")


def test_a_kind_that_raises_is_named_when_it_is_rendered(study, capsys):
    (study / "kinds.py").write_text(OWN_KIND)
    (study / CLAIMS).unlink()
    rewrite(study, PAPER, ("metric_table", "kinds.py:Mine"), ("    baseline: c45_pruned", ""))
    assert main(["report", "--study", str(study), "item=all"]) == 1
    assert capsys.readouterr().err.endswith("kinds.py, line 10: ValueError: oh no; correct it.\n")
    assert not list(study.glob("results/my_study/*"))


@pytest.mark.parametrize("make", ["file", "nothing"])
def test_a_study_that_is_no_folder(tmp_path, capsys, make):
    path = tmp_path / "mine"
    if make == "file":
        path.write_text("")
    assert main(["run", "--study", str(path), "item=all"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"{path} holds no paper.yaml: name the folder of a study, or make one with "
    )
    assert said.endswith("studies.md.\n")


def test_a_file_that_exits_is_a_sentence(tmp_path):
    folder = tmp_path / "leaving"
    shutil.copytree(paths.conf_dir() / "template", folder)
    (folder / CODE).write_text("import sys\n\nsys.exit(3)\n")
    with pytest.raises(RetreeError, match="line 3: SystemExit: 3; correct it"):
        list(check(folder))
