"""Studies outside of the package have pages of their own in the site."""

import re
import shutil

import pytest

from retree.errors import RetreeError
from retree.site.study_pages import write_study_pages

PAGE = """\
# Mine

| item | files |
| :-- | --: |
| Table 1 | [csv](table1.csv) [md](table1.md) |
"""


def study(folder, part=""):
    rendered = folder / "results" / part / folder.name
    rendered.mkdir(parents=True)
    (rendered / "README.md").write_text(PAGE)
    (rendered / "table1.md").write_text("# Table 1: Accuracy\n\n| a |\n| --: |\n| 0.9 |\n")
    (rendered / "table1.csv").write_text("a\n0.9\n")
    return folder


@pytest.mark.parametrize("part", ["", "local"])
def test_a_study_has_pages(tmp_path, sphinx, part):
    source = tmp_path / "source"
    source.mkdir()
    studies = [study(tmp_path / name, part) for name in ("one", "two")]
    write_study_pages(studies, source / "studies")
    (source / "index.md").write_text("# All\n\n```{toctree}\nstudies/index\n```\n")
    (source / "extra").mkdir()
    pages = sphinx(source) / "studies"
    for name in ("one", "two"):
        assert 'href="table1.html"' in (pages / name / "index.html").read_text()
        assert (pages / name / "table1.html").is_file()


def test_a_study_that_is_not_rendered_is_named(tmp_path):
    with pytest.raises(RetreeError, match=r"Nothing of .*mine is rendered: run retree run"):
        write_study_pages([tmp_path / "mine"], tmp_path / "pages")


def test_numbers_of_a_study_lead_to_their_folds(tmp_path, sphinx, tiny_folder):
    source = tmp_path / "source"
    shutil.copytree(tiny_folder / "results" / "tiny", tmp_path / "tiny" / "results" / "tiny")
    source.mkdir()
    write_study_pages([tmp_path / "tiny"], source / "studies")
    (source / "index.md").write_text("# All\n\n```{toctree}\nstudies/index\n```\n")
    (source / "extra").mkdir()
    pages = sphinx(source) / "studies" / "tiny"
    table = (pages / "table1.html").read_text()
    number = r'<span class="rt-number">0\.\d{4}</span>'
    found = re.findall(rf'<a href="folds/(iris|xor)\.html#([^"]+)">{number}', table)
    assert len(found) == 4
    for name, place in found:
        folds = (pages / "folds" / f"{name}.html").read_text()
        assert f'<a id="{place}"></a>' in folds
        assert 'href="../table1.html"' in folds
        assert '<a href="#computed-0">0</a>' in folds
