"""Studies outside of the package have pages of their own in the site."""

import json
import re

import pytest

from retree.cli import main
from retree.errors import RetreeError
from retree.site.study_pages import write_study_pages

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
NUMBER = r'<span class="rt-number">0\.\d{4}</span>'


def study(folder, *overrides):
    """Make a study, compute and render it."""
    (folder / "methods").mkdir(parents=True)
    (folder / "paper.yaml").write_text(json.dumps(PAPER))
    (folder / "methods" / "all.yaml").write_text(json.dumps(METHODS))
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


def test_numbers_of_studies_lead_to_their_folds(tmp_path, pages_of):
    whole = study(tmp_path / "whole")
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
            assert f'<a id="{place}"></a>' in folds
            assert 'href="../table1.html"' in folds
            assert '<a href="#computed-0">0</a>' in folds
            rows = folds.partition(f'<a id="{place}"></a>')[2].partition("<h2>")[2]
            rows = rows.partition("<h2>")[0]
            assert len(re.findall(r'<th scope="row">\d, \d</th>', rows)) == n_folds


def test_a_study_that_is_not_rendered_is_named(tmp_path):
    with pytest.raises(RetreeError, match=r"Nothing of .*mine is rendered: run retree run"):
        write_study_pages([tmp_path / "mine"], tmp_path / "pages")
