import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from toy_benchmark import CV, WHOLE, make_experiment, make_plan

from retree.errors import RetreeError
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.cart import CartClassifier
from retree.trees.declaring import neutral_values
from retree.trees.pruning.fitting import DEFAULTS
from retree_lab.experiments.definition.method import Method, load_method
from retree_lab.experiments.planning import keys
from retree_lab.experiments.planning.keys import (
    cell_seed,
    configured_text,
    depends_on_seed,
    estimator_text,
    parameters_text,
    protocol_text,
    seed_names,
)
from retree_lab.study.registry import ESTIMATORS

# Taken before keys left out the source code: seeds are not to move with the rule of the keys.
SEEDS = {
    ("north", "grid", 0, 0, 0, -1): 1476865270,
    ("north", "grid", 2, 0, 2, -1): 1687297536,
    ("north", "grid", 4, 1, 1, -1): 38108239,
    ("south", "grid", 0, 0, 0, -1): 1912829920,
    ("south", "grid", 4, 1, 1, -1): 1103441155,
}
SEEDS_OF_WHOLE = {("north", "plain", 1, 0, 0, -1): 1548335165}
SEEDS_OF_METHODS = {
    "oc1": (274490869, 259225666),
    "cmdt": (714179852, 283029149),
    "c45": (1267295590, 54597389),
}


@pytest.mark.parametrize(
    ("experiment", "seeds"),
    [
        (make_experiment(select=["best_test", "nested"]), SEEDS),
        (make_experiment(WHOLE, vary={"depth": [1, 2]}), SEEDS_OF_WHOLE),
    ],
)
def test_seeds_of_cells_are_those_of_old(experiment, seeds):
    found = {
        (c.dataset, c.method, c.point, c.repeat, c.fold, c.inner): c.parts.seed
        for c in make_plan(experiment).cells
    }
    assert {place: found[place] for place in seeds} == seeds


@pytest.mark.parametrize("name", SEEDS_OF_METHODS)
def test_seeds_of_methods_are_those_of_old(name):
    text, protocol = configured_text(load_method(name), {}), protocol_text(CV, -1)
    seeds = tuple(cell_seed("0" * 64, protocol, text, *place) for place in ((1, 2, -1), (0, 0, 1)))
    assert seeds == SEEDS_OF_METHODS[name]


def test_a_default_that_is_written_out_is_the_same_parameter():
    short, long = Method("m", "M", "", "toy"), Method("m", "M", "", "toy", {"depth": 2})
    assert parameters_text(short, {}) == parameters_text(long, {})
    assert parameters_text(short, {"depth": 3}) != parameters_text(long, {})
    assert configured_text(short, {}) != configured_text(long, {})


def test_a_fixed_seed_or_none_is_no_seed_of_the_cell():
    experiment = make_experiment()
    fixed = Method("fixed", "Fixed", "", "toy", {"random_state": 1})
    never = Method("never", "Never", "", "structure_purity")
    item = replace(experiment.items[0], methods=(fixed, never))
    plan = make_plan(replace(experiment, items=(item,)))
    assert {cell.parts.seed for cell in plan.cells} == {None}


def test_only_a_transductive_method_says_so():
    plain, other = (Method("m", "M", "", "c45", transductive=t) for t in (False, True))
    version = ESTIMATORS["c45"].version
    assert estimator_text(plain) == f'{{"name": "c45", "version": {version}}}'
    assert '"transductive": true' in estimator_text(other)


def test_parameters_that_are_not_plain_are_told_apart():
    def text(**params):
        return parameters_text(Method("m", "M", "", "toy", params), {})

    assert text(wait=(1, 2)) == text(wait=[1, 2]) == text(wait=np.array([1, 2]))
    assert text(wait=np.float64(0.5)) == text(wait=0.5)
    assert text(wait=DecisionTreeClassifier()) == text(wait=DecisionTreeClassifier())
    assert text(wait=DecisionTreeClassifier()) != text(wait=DecisionTreeClassifier(max_depth=1))


@pytest.fixture
def moved_c45(monkeypatch):
    """Return a function that gives `C45Classifier` another default."""

    def move():
        init = C45Classifier.__init__
        monkeypatch.setattr(init, "__kwdefaults__", {**init.__kwdefaults__, "min_cases": 3})
        assert C45Classifier().min_cases == 3

    return move


OPEN = ("adaboost_10_pruned", "gsodt", "lsodt_l1")


@pytest.mark.parametrize("key", OPEN)
def test_a_changed_default_of_c45_changes_the_keys_of_what_is_made_of_it(key, moved_c45):
    method = load_method(key)
    before = parameters_text(method, {})
    moved_c45()
    assert '"min_cases": 2' in before
    assert parameters_text(method, {}) == before.replace('"min_cases": 2', '"min_cases": 3')


def test_a_default_of_c45_does_not_concern_a_forest_of_other_trees(moved_c45):
    inner = {"_target_": "id3"}
    method = Method(
        "m", "M", "", "retree.forests.classifiers.BaggingTreesClassifier", {"estimator": inner}
    )
    before = parameters_text(method, {})
    moved_c45()
    assert parameters_text(method, {}) == before
    assert '"pruning": null' in before


def test_a_changed_default_of_a_pruning_changes_the_keys_that_leave_it_open(monkeypatch):
    open_, closed = (
        Method("m", "M", "", "cart", {"pruning": "pessimistic", "pruning_params": params})
        for params in (None, {"z": 2.0, "order": "top_down"})
    )
    before = [parameters_text(method, {}) for method in (open_, closed)]
    monkeypatch.setitem(DEFAULTS, "pessimistic", {"z": 0.5, "order": "top_down"})
    after = [parameters_text(method, {}) for method in (open_, closed)]
    assert after[0] != before[0]
    assert after[1] == before[1]
    assert '"z": 1.0' in before[0]


def test_of_error_based_pruning_c45s_own_parameters_count():
    method = Method("m", "M", "", "c45", {"confidence": 0.1})
    assert '"confidence": 0.1' in parameters_text(method, {})
    assert '"pruning_params": {}' in parameters_text(method, {})


def test_parts_of_a_forest_stand_in_full_as_far_as_it_has_them():
    method = Method("m", "M", "", "thinned_forest", {"ensemble": "adaboost", "weka": "3.6"})
    plain = json.loads(parameters_text(method, {}))
    trees = plain["forest"]["retree.AdaBoostM1Classifier"]["estimator"]["retree.C45Classifier"]
    assert trees["weka"] == "3.6"
    assert plain["thinner"] is None
    thinned = json.loads(parameters_text(method, {"thinning": "ftcg", "passes": 5}))
    assert thinned["thinner"]["retree.ForestThinner"]["passes"] == 5


def test_a_parameter_that_is_not_as_described_is_refused():
    method = Method("m", "M", "", "thinned_forest", {"ensemble": "boosting"})
    with pytest.raises(RetreeError, match="Invalid ensemble 'boosting'"):
        parameters_text(method, {})
    method = Method("m", "M", "", "c45", {"pruning": "no", "pruning_params": 3})
    with pytest.raises(RetreeError, match="pruning_params must be a dict of names and values"):
        parameters_text(method, {})


def test_a_parameter_that_came_later_is_in_no_key_at_the_value_that_changes_nothing(monkeypatch):
    method = Method("m", "M", "", "c45")
    now = [parameters_text(method, point) for point in ({}, {"weka": "3.6"})]
    more = {**neutral_values(C45Classifier), "weka": "3.9", "collapse": 1}
    monkeypatch.setattr(keys, "neutral_values", lambda cls: more)
    then = [parameters_text(method, point) for point in ({}, {"weka": "3.6"})]
    assert "weka" not in then[0]
    assert then[1] == now[1]
    assert '"collapse": true' in parameters_text(method, {})


@pytest.mark.parametrize(
    ("estimator", "params", "names", "depends"),
    [
        ("reptree", {}, (), False),  # Weka's default is 1
        ("retree.C45RulesClassifier", {}, (), False),
        ("c45", {}, ("random_state",), False),
        ("c45", {"pruning": "reduced_error"}, ("random_state",), True),
        ("cart", {"pruning": "cost_complexity"}, ("random_state",), True),
        ("cart", {"pruning": "cost_complexity", "pruning_params": {"alpha": 0.1}},
         ("random_state",), False),
        ("oc1", {}, ("random_state",), True),
        ("thinned_forest", {"ensemble": "adaboost"}, ("random_state",), False),
        ("thinned_forest", {}, ("random_state",), True),
        ("thinned_forest", {"random_state": 1}, (), False),
        ("sklearn.tree.DecisionTreeClassifier", {}, ("random_state",), True),
        ("sklearn.naive_bayes.GaussianNB", {}, (), False),
        ("sklearn.ensemble.BaggingClassifier", {"estimator": {"_target_": "reptree"}},
         ("random_state",), True),
        ("sklearn.pipeline.Pipeline", {"steps": [["tree", {"_target_": "reptree"}]]}, (), False),
    ],
)  # fmt: skip
def test_only_an_open_seed_is_set_in_each_fold(estimator, params, names, depends):
    method = Method("m", "M", "", estimator, params)
    assert seed_names(method, {}) == names
    assert depends_on_seed(method, {}) is depends


def test_a_parameter_of_that_name_of_another_package_stays_in_the_key():
    theirs = Method("m", "M", "", "sklearn.tree.DecisionTreeClassifier")
    assert json.loads(parameters_text(theirs, {}))["class_weight"] is None
    ours = Method("m", "M", "", "cart")
    assert not set(json.loads(parameters_text(ours, {}))) & set(neutral_values(CartClassifier))
    asked = json.loads(parameters_text(ours, {"class_weight": "balanced", "smoothing": 2.0}))
    assert (asked["class_weight"], asked["smoothing"]) == ("balanced", 2.0)


def test_what_came_later_to_some_estimators_stays_in_the_keys_of_the_others():
    later = {"max_leaf_nodes", "min_impurity_decrease", "n_jobs"}
    found = {
        name: later & json.loads(parameters_text(Method("m", "M", "", name), {})).keys()
        for name in ("c45", "cart", "thinned_forest", "id3", "sklearn.tree.DecisionTreeClassifier")
    }
    assert found == {
        "c45": set(),
        "cart": {"min_impurity_decrease"},
        "thinned_forest": set(),
        "id3": set(),
        "sklearn.tree.DecisionTreeClassifier": {"max_leaf_nodes", "min_impurity_decrease"},
    }
    said = parameters_text(Method("m", "M", "", "c45", {"min_impurity_decrease": 0.1}), {})
    assert json.loads(said)["min_impurity_decrease"] == 0.1


def test_no_number_of_threads_stands_in_the_key_of_a_tree_but_where_it_is_given():
    plain, threads = (Method("m", "M", "", "c45", params) for params in ({}, {"n_jobs": 2}))
    forest = Method("m", "M", "", "retree.forests.classifiers.BaggingTreesClassifier")
    assert "n_jobs" not in json.loads(parameters_text(plain, {}))
    assert json.loads(parameters_text(threads, {}))["n_jobs"] == 2
    assert json.loads(parameters_text(forest, {}))["n_jobs"] is None
