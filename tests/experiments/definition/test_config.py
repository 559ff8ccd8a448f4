from dataclasses import replace

import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.experiments.definition import config
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.item_config import paper_items
from retree_lab.experiments.definition.method import load_method
from retree_lab.experiments.planning.grids import grid_points
from retree_lab.study.available import available, method_home
from retree_lab.study.composing import compose
from retree_lab.study.methods import method_content
from retree_lab.study.overrides import parse

SINGLE = ["dataset=sonar"]


@pytest.fixture
def content(monkeypatch):
    """A single experiment as composed; its paper is read once."""
    content = compose(SINGLE)
    paper = config.read_paper(content["paper"])
    monkeypatch.setattr(config, "read_paper", lambda _: paper)
    return content


def test_every_method_is_valid_and_can_be_named(content):
    for key in available("method"):
        (override,) = parse([f"method={key}"])
        assert override.value() == key
        method = load_method(key, method_home(key))
        if method.missing is None:
            given = method_content(key, method_home(key))
            assert load_experiment({**content, "method": given}).method == method


def test_a_method_of_each_file_composes(content):
    methods = [load_method(key, method_home(key)) for key in available("method")]
    keys = {method.file: method.key for method in methods if method.missing is None}
    assert len(keys) > 5
    for key in keys.values():
        composed = compose([f"method={key}", *SINGLE])
        assert load_experiment(composed).method == load_method(key, method_home(key))


def test_method_without_an_estimator_says_why():
    content = compose(["method=gini", *SINGLE])
    kept = {name: content["method"][name] for name in ("key", "file", "name")}
    content["method"] = kept | {"missing": "no formula is published"}
    with pytest.raises(RetreeError, match="Gini cannot be run: no formula is published"):
        load_experiment(content)


def test_method_names_are_unique():
    # Two papers may call a program as they like, and what has no estimator is in one table only.
    methods = [
        (method_home(key), load_method(key, method_home(key))) for key in available("method")
    ]
    names = [(home, method.name) for home, method in methods if method.estimator]
    assert len(set(names)) == len(names)


def test_every_dataset_can_be_named(content):
    for key in available("dataset"):
        (override,) = parse([f"dataset={key}"])
        assert override.value() == key
        assert load_experiment({**content, "dataset": {"name": key}}).dataset == key


@pytest.mark.parametrize("group", ["protocol", "execution"])
def test_every_protocol_and_execution_composes(group):
    for key in available(group):
        experiment = load_experiment(compose([f"{group}={key}", *SINGLE]))
        assert getattr(experiment, group).name == key


@pytest.mark.parametrize("key", available("paper"))
def test_every_item_of_every_paper_is_valid(key):
    experiment = load_experiment(compose([f"paper={key}", "item=all"]))
    assert experiment.items == paper_items(experiment.paper, experiment.protocol)
    assert experiment.paper.published is None or experiment.paper.published.is_file()
    for item in experiment.items:
        assert set(item.datasets) <= {*available("dataset"), *experiment.paper.missing}
        runnable = [method for method in item.methods if method.missing is None]
        assert all(grid_points(method, item, experiment.paper.grid) for method in runnable)


def test_a_paper_may_print_another_name():
    (item,) = load_experiment(compose(["paper=latent_space", "item=table2"])).items
    names = {method.key: method.name for method in item.methods}
    assert names["c45_pruned"] == "C4.5"
    assert load_method("c45_pruned").name != "C4.5"


def test_an_item_may_call_methods_as_they_are():
    overrides = ["paper=forest_thinning", "item=[table1,ranks]"]
    printed, own = (
        {method.key: method.name for method in item.methods}
        for item in load_experiment(compose(overrides)).items
    )
    assert printed["adaboost_pruned"] == "Bagging/pruned"
    assert own["adaboost_pruned"] == "AdaBoost.M1/pruned"


@pytest.mark.parametrize("key", available("preset"))
def test_every_preset_composes(key):
    assert load_experiment(compose([f"preset={key}"])).items


def test_single_method_has_its_own_values_of_the_tuned_parameters():
    experiment = load_experiment(compose(["dataset=sonar", "method.k=5", "method.omega2=0.01"]))
    (item,) = experiment.items
    assert grid_points(item.methods[0], item, experiment.paper.grid) == [{"k": 5, "omega2": 0.01}]


def test_item_can_be_restricted():
    overrides = ["item=table2", "datasets=[bupa,sonar]", "methods=[gini]"]
    (item,) = load_experiment(compose(overrides)).items
    assert item.datasets == ("sonar", "bupa")
    assert [method.key for method in item.methods] == ["gini"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["item=tabel2"], "Unknown item of structure_purity: 'tabel2'. Did you mean 'table2'"),
        (["item=table2", "datasets=[sonnar]"], "Unknown data set 'sonnar'. Did you mean 'sonar'"),
        (["item=table2", "methods=[ginni]"], "Unknown method 'ginni'. Did you mean 'gini'"),
        ([*SINGLE, "data.sources=[mirrow]"], "Unknown source 'mirrow'. Did you mean 'mirror'"),
        ([*SINGLE, "+method.kk=2"], "Unknown parameter of .*: 'kk'. Did you mean 'k'"),
        ([*SINGLE, "method.estimator=structure"], "Unknown estimator 'structure'"),
        (["item=table2", "~paper.grid.omega2"], "Unknown grid parameter .* 'omega2'"),
    ],
)
def test_unknown_names(overrides, message):
    with pytest.raises(UnknownNameError, match=message):
        load_experiment(compose(overrides))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ([], "Say what to run: item=NAME"),
        (["item=figure1", "datasets=[sonar]"], "^figure1 has no data set sonar; it has xor"),
        (["item=table2", "methods=[cmdt]"], "^table2 has no method cmdt; it has "),
        ([*SINGLE, "protocol.folds=two"], "protocol.folds must be an integer of at least"),
        ([*SINGLE, "protocol.inner_folds=1"], "protocol.inner_folds must be 0 .* or at least 2"),
        ([*SINGLE, "protocol.shuffle=3"], "protocol.shuffle must be true or false, not 3"),
        ([*SINGLE, "+protocol.splitter=wecka"], "Unknown splitter 'wecka'. Did you mean 'weka'"),
        ([*SINGLE, "+protocol.splitter=weka", "protocol.shuffle=false"], "weka always shuffles"),
        ([*SINGLE, "execution.jobs=0"], "execution.jobs must be at least 1, or -1"),
        (["item=table2", "+paper.names={j48: C4.5}"], "table2 has two methods with the same name"),
    ],
)
def test_bad_values(overrides, message):
    with pytest.raises(RetreeError, match=message):
        load_experiment(compose(overrides))


def test_paper_items_follow_the_protocol():
    experiment = load_experiment(compose(["item=all"]))
    protocol = replace(experiment.protocol, folds=10)
    items = {item.name: item for item in paper_items(experiment.paper, protocol)}
    assert items["table2"].protocol.folds == 10
    assert items["figure1"].protocol.folds == 1


def test_a_preset_may_choose_the_paper():
    overrides = ["preset=quickstart_latent_space", "item=figure3", "datasets=[pima]"]
    assert load_experiment(compose(overrides)).paper.name == "latent_space"
    with pytest.raises(UnknownNameError, match="Unknown item of latent_space: 'figure2'"):
        load_experiment(compose(["preset=quickstart_latent_space", "item=figure2"]))
