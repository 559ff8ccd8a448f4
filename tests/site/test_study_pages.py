"""Studies outside of the package have pages of their own in the site."""

import json
import re
import shutil
from pathlib import Path

import pytest

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.cli import main
from retree_lab.site.build import write_sources
from retree_lab.site.paper_pages import write_study_pages

PAPER = {
    "title": "Mine",
    "authors": "A. Author",
    "reference": "Here, 2026",
    "items": {
        "table1": {
            "kind": "metric_table",
            "caption": "Accuracy",
            "metrics": ["accuracy"],
            "protocol": "cv5",
            "datasets": ["iris", "xor"],
            "methods": ["first", "second"],
        }
    },
}
METHODS = {
    "first": {"name": "First", "title": "A tree", "estimator": "c45"},
    "second": {"name": "Second", "title": "A small tree", "base": "first", "min_cases": 9},
}
NUMBER = r"0\.\d{4}</a>"


def study(folder, *overrides, paper=PAPER, methods=METHODS):
    """Make a study, compute and render it."""
    (folder / "methods").mkdir(parents=True, exist_ok=True)
    (folder / "paper.yaml").write_text(json.dumps(paper))
    (folder / "methods" / "all.yaml").write_text(json.dumps(methods))
    arguments = ["run", "--report", "-j", "1", "--study", str(folder), "item=all"]
    assert main([*arguments, *overrides]) == 0
    return folder


@pytest.fixture
def pages_of(tmp_path, sphinx):
    def make(*studies):
        source = tmp_path / "source"
        (source / "extra").mkdir(parents=True)
        write_study_pages(studies, source)
        (source / "index.md").write_text("# All\n\n```{toctree}\nstudies/index\n```\n")
        return sphinx(source) / "studies"

    return make


def test_what_is_committed_is_shown_without_its_data_and_without_network(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("the site asks the network")

    item = PAPER["items"]["table1"] | {"datasets": ["mine", "iris"]}
    own = tmp_path / "own"
    (own / "datasets").mkdir(parents=True)
    rows = [f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(60)]
    (own / "mine.csv").write_text("\n".join(["x,z,Class", *rows]))
    (own / "datasets" / "mine.yaml").write_text("file: mine.csv\ntarget: Class\n")
    study(own, paper=PAPER | {"items": {"table1": item}})
    (own / "mine.csv").unlink()
    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    (page,) = write_study_pages([own], tmp_path / "source")
    (table,) = page.rendered.pages["table1"].blocks[:1]
    assert [row[0] for row in table.rows[:2]] == ["mine", "iris"]
    assert all(cell.text != "—" for row in table.rows[:2] for cell in row[1:])


def test_numbers_of_studies_lead_to_their_folds(tmp_path, pages_of):
    whole = study(tmp_path / "whole")
    mean = '{{ value("table1", "reproduced", dataset="iris", method="First") | fixed(4) }}'
    (whole / "page.md").write_text(f"# In words\n\nThe first tree has {mean} on iris.\n")
    # A part is rendered apart, under another protocol.
    part = study(tmp_path / "part", "datasets=[iris]", "paper.items.table1.protocol=cv10")
    pages = pages_of(whole, part)
    for name, datasets, n_folds in (("whole", ["iris", "xor"], 5), ("part", ["iris"], 10)):
        assert 'href="table1.html"' in (pages / name / "index.html").read_text()
        table = (pages / name / "table1.html").read_text()
        found = re.findall(rf'<a href="folds/(\w+)\.html#([^"]+)">{NUMBER}', table)
        assert [dataset for dataset, _ in found] == [d for d in datasets for _ in METHODS]
        for dataset, place in found:
            folds = (pages / name / "folds" / f"{dataset}.html").read_text()
            command = f"retree show --study {name} table1 {dataset} first"
            assert command in re.sub(r"<[^>]*>", "", folds)
            assert f'<a id="{place}"></a>' in folds
            assert 'href="../table1.html"' in folds
            assert re.search(r'<a href="#computed-0">[0-9a-f]{8}</a>', folds)
            rows = folds.partition(f'<a id="{place}"></a>')[2].partition("<h2>")[2]
            rows = rows.partition("<h2>")[0]
            assert len(re.findall(r'<th scope="row">\d, \d</th>', rows)) == n_folds
    assert 'href="in_words.html"' in (pages / "whole" / "index.html").read_text()
    assert re.search(r"has 0\.\d{4} on iris", (pages / "whole" / "in_words.html").read_text())


def test_a_study_that_is_not_rendered_is_named(tmp_path):
    with pytest.raises(RetreeError, match=r"Nothing of .*mine is rendered: run retree run"):
        write_study_pages([tmp_path / "mine"], tmp_path / "pages")


OWN = """\
from retree import C45Classifier


class Own(C45Classifier):
    \"\"\"A tree of the study.\"\"\"
"""


def test_studies_are_shown_alone_where_there_are_no_papers(tmp_path, sphinx, monkeypatch):
    # The pages of all estimators take long, and are those of any site.
    monkeypatch.setattr("retree.__all__", ["C45Classifier"])
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "estimators.py").write_text(OWN)
    paper = json.loads(json.dumps(PAPER))
    paper["items"]["table1"] |= {"datasets": ["iris"], "methods": ["own", "c45_pruned"]}
    shutil.copy(paths.PAPERS / "structure_purity/regions.py", folder)
    regions = {"kind": "regions.py:DecisionRegions", "datasets": ["xor"], "protocol": "whole"}
    regions |= {
        "methods": ["own", "c45_pruned"],
        "vary": {"max_depth": [1, 2]},
        "caption": "Regions",
    }
    paper["items"]["regions"] = regions
    study(folder, paper=paper, methods={"own": {"estimator": "estimators.py:Own"}})
    source = tmp_path / "source"
    write_sources(tmp_path / "nowhere", source, [folder])
    site = sphinx(source)
    pages = {path.relative_to(site): path.read_text() for path in site.rglob("*.html")}
    assert not [path for path, text in pages.items() if str(tmp_path) in text]
    assert 'href="studies/alone/index.html"' in pages[Path("index.html")]
    assert 'href="table1.html"' in pages[Path("studies/alone/index.html")]
    # The navigation is open at the page alone.
    assert "table1.html" not in pages[Path("index.html")]
    (picture,) = (folder / "results" / "alone").glob("*.svg")
    shown = [path for path, text in pages.items() if f"/{picture.name}" in text]
    assert Path("studies/alone/regions.html") in shown
    folds = pages[Path("studies/alone/folds/iris.html")]
    assert "alone/estimators.py:Own" in folds
    assert "retree show --study alone KEY" in folds
    text = (folder / "results" / "alone" / "table1.md").read_text()
    assert "`retree show --study alone table1 iris own` shows" in text
    assert "(`retree site --study alone`)" in text
    # Of retree's methods the site has those that the study uses.
    assert sorted(path.name for path in pages if path.parts[0] == "methods") == [
        "c45_pruned.html",
        "index.html",
    ]
