import pytest
import tiny_paper

from retree import paths
from retree.study.available import available
from retree.study.composing import compose
from retree.yaml_files import read_mapping


@pytest.mark.parametrize("name", available("paper"))
def test_a_paper_is_the_same_whether_hydra_sees_its_content_or_not(name):
    apart = compose([f"paper={name}", "item=all"])
    through = compose([f"paper={name}", "item=all", "paper.title=seen by Hydra"])
    assert through["paper"].pop("title") == "seen by Hydra"
    assert apart["paper"].pop("title") != "seen by Hydra"
    assert repr(apart) == repr(through)


def test_what_else_is_configured_may_look_into_a_paper():
    assert compose(["paper=cmdt", "results=${paper.name}/made"])["results"] == "cmdt/made"


@pytest.fixture
def conf(tmp_path, monkeypatch):
    conf = tiny_paper.write_configuration(tmp_path)
    monkeypatch.setattr(paths, "conf_dir", lambda: conf)
    return conf


def test_interpolations_in_a_paper_are_resolved(conf):
    file = conf / "paper" / "tiny" / "paper.yaml"
    file.write_text(file.read_text().replace("caption: Regions", "caption: '${paper.title}'"))
    assert compose(["paper=tiny"])["paper"]["items"]["figure1"]["caption"] == "Tiny"


def test_a_preset_may_change_a_paper(conf):
    (conf / "paper" / "tiny" / "quickstart.yaml").write_text("paper:\n  doi: 10.1/2\n")
    content = read_mapping(conf / "paper" / "tiny" / "paper.yaml")
    assert compose(["preset=quickstart_tiny"])["paper"] == {
        "name": "tiny",
        **content,
        "doi": "10.1/2",
    }
