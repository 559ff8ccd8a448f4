import re

import pytest
import tiny_paper

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.study import composing
from retree_lab.study.available import available
from retree_lab.study.composing import TOUCHED, compose
from retree_lab.study.registry import find_estimator
from retree_lab.yaml_files import read_mapping


@pytest.mark.parametrize("name", available("paper"))
def test_an_override_changes_what_it_says_and_no_more(name):
    apart = compose([f"paper={name}", "item=all"])
    through = compose([f"paper={name}", "item=all", "paper.title=Another"])
    assert (apart.pop(TOUCHED), through.pop(TOUCHED)) == (False, True)
    assert through["paper"].pop("title") == "Another"
    assert apart["paper"].pop("title") != "Another"
    assert repr(apart) == repr(through)


def test_what_else_is_configured_may_look_into_a_paper():
    assert compose(["paper=cmdt", "results=${paper.name}/made"])["results"] == "cmdt/made"


@pytest.fixture
def conf(tmp_path, monkeypatch):
    conf = tiny_paper.write_configuration(tmp_path)
    monkeypatch.setattr(paths, "conf_dir", lambda: conf)
    return conf


@pytest.mark.parametrize("file", ["paper/tiny/paper.yaml", "method/id3.yaml", "protocol/cv10.yaml"])
def test_texts_are_text(conf, file, monkeypatch):
    monkeypatch.setenv("SECRET", "token")
    path = conf / file
    old, new = re.search(r"^( *(?:title|name): ).*$", path.read_text(), re.MULTILINE).group(0, 1)
    path.write_text(path.read_text().replace(old, f"{new}'${{oc.env:SECRET}} ${{results}}'", 1))
    key = next(iter(read_mapping(conf / "method" / "id3.yaml")))
    content = compose(["paper=tiny", f"method={key}", "protocol=cv10"])
    assert "${oc.env:SECRET} ${results}" in repr(content)
    assert "token" not in repr(content)


@pytest.mark.parametrize("text", ["${oc.env:SECRET}", "\\${results}", "\\\\${results}", "\\"])
def test_texts_of_a_preset_are_text(conf, text, monkeypatch):
    monkeypatch.setenv("SECRET", "token")
    (conf / "paper" / "tiny" / "quickstart.yaml").write_text(f"paper:\n  title: '{text}'\n")
    assert compose(["preset=quickstart_tiny"])["paper"]["title"] == text


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ("method.k=1,2", "method.k needs one value; sweep over several with -m"),
        ("paper.items.table9.caption=A", "key of paper.items: 'table9'"),
        ("paper.title.x=A", "paper.title has no parts"),
        ("data.x=1", "key of data: 'x'"),
    ],
)
def test_an_override_that_cannot_be_is_refused_at_once(override, named):
    with pytest.raises(RetreeError, match=named):
        compose([override])


def test_an_override_changes_a_value_in_a_list():
    content = compose(["paper=structure_purity", "paper.errata.0.reason=why"])["paper"]
    assert content["errata"][0]["reason"] == "why"
    assert len(content["errata"][0]) > 1


def test_a_preset_may_change_a_paper(conf):
    (conf / "paper" / "tiny" / "quickstart.yaml").write_text("paper:\n  doi: 10.1/2\n")
    content = read_mapping(conf / "paper" / "tiny" / "paper.yaml")
    assert compose(["preset=quickstart_tiny"])["paper"] == {
        "name": "tiny",
        **content,
        "doi": "10.1/2",
    }


@pytest.mark.parametrize(
    "overrides",
    [
        ["item=[a,1,true,null,1.50]", "datasets=[sonar,bupa]"],
        ["results='it\\'s a place'", "store=/a b/c.sqlite", "committed=null"],
        ["results=C:\\\\a", "item=all", "++store="],
        ["data.sources=[mirror]", "data.offline=true", "method.k=2"],
        ["preset=quickstart_cmdt", "results=r", "item=null"],
        ["data={offline: true}"],
    ],
)
def test_values_are_those_that_hydra_gives(overrides, monkeypatch):
    found = [compose(overrides), compose(overrides)]
    monkeypatch.setattr(composing, "_split", lambda overrides: (overrides, []))
    assert [compose(overrides)] * 2 == found


def test_a_class_of_a_package_may_be_named_with_a_colon_as_metrics_are():
    named = [find_estimator(f"sklearn.ensemble{sign}RandomForestClassifier") for sign in ".:"]
    assert named[0] == named[1]
    with pytest.raises(RetreeError, match="name in sklearn"):
        find_estimator("sklearn.ensemble:Forest")
