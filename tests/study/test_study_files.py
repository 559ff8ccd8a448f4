import numpy as np
import pytest

from retree.errors import RetreeError
from retree_lab.datasets.own import read_description
from retree_lab.experiments.definition.method import load_method
from retree_lab.experiments.planning.keys import estimator_text, seed_names
from retree_lab.experiments.storing.outcomes import pack_predictions, unpack_predictions
from retree_lab.study.methods import method_content
from retree_lab.study.registry import make_estimator
from retree_lab.yaml_files import line_of, read_yaml

PIPELINE = """\
scaled:
  estimator: sklearn.pipeline.Pipeline
  steps:
    - [scale, {_target_: sklearn.preprocessing.StandardScaler}]
    - [tree, {_target_: sklearn.tree.DecisionTreeClassifier, max_depth: 3}]
deeper:
  base: scaled
  tree__max_depth: 5
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "methods").mkdir()
    (tmp_path / "methods" / "mine.yaml").write_text(PIPELINE)
    return tmp_path


def test_numbers_and_dates_are_what_they_look_like(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("small: 1e-3\nday: 2020-01-02\n\nlast: {deep: 1}\n")
    assert read_yaml(file) == {"small": 0.001, "day": "2020-01-02", "last": {"deep": 1}}
    assert line_of(file, ["last", "deep"]) == 4


def test_a_key_that_is_there_twice_is_refused(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\na: 2\n")
    with pytest.raises(RetreeError, match=r"a\.yaml, line 2: 'a' appears twice"):
        read_yaml(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: x\x07y\n", "line 2 has the control character U+0007: remove it."),
        (b"a: 1\nb: x\0y\n", "line 2 has a NUL character: save it as a text in UTF-8."),
        ("a: 1\nb: \x80\n".encode("latin1"), "line 2 is not in UTF-8: save it as UTF-8."),
        ("a: 1\n".encode("utf-16"), "line 1 is not in UTF-8: save it as UTF-8."),
    ],
)
def test_what_is_no_text_is_one_sentence(tmp_path, content, message):
    file = tmp_path / "a.yaml"
    file.write_bytes(content)
    with pytest.raises(RetreeError) as refused:
        read_yaml(file)
    assert str(refused.value) == f"{file}, {message}"


def test_long_values_are_cut_in_messages(tmp_path):
    file = tmp_path / "a.yaml"
    long = "x" * 5000
    for text in (
        f"{long}: 1\n{long}: 2\n",
        f"openml: {long}\n",
        f"openml: [{long}]\n",
        f"{long}: 1\n",
    ):
        file.write_text(text)
        with pytest.raises(RetreeError) as refused:
            read_description(file)
        assert len(str(refused.value).replace(str(tmp_path), "")) < 500


def test_a_variant_takes_over_all_but_name_and_about():
    base, variant = method_content("bnm_gini"), method_content("bnm_gini_across")
    assert variant["penalty"] == "across"
    assert variant["title"] == base["title"]
    assert "equation" in base["about"]
    assert "equation" not in variant["about"]


def test_a_pipeline_of_scikit_learn_is_a_method(study):
    method = load_method("deeper", study)
    fitted = make_estimator(method.registered.target, method.params, method.home)
    assert fitted.named_steps["tree"].max_depth == 5
    assert seed_names(method, {}) == ("tree__random_state",)
    assert "sklearn.preprocessing.StandardScaler" in estimator_text(method)


def test_an_unknown_parameter_of_a_step_is_refused(study):
    (study / "methods" / "mine.yaml").write_text(PIPELINE.replace("tree__max", "tree__mux"))
    with pytest.raises(RetreeError, match=r"'tree__mux_depth'\. Did you mean 'tree__max_depth'"):
        load_method("deeper", study)


@pytest.mark.parametrize("values", [np.array([0, 3, 1]), np.array([0.1, -2.5, 1e300])])
def test_predictions_are_packed_exactly(values):
    assert np.array_equal(unpack_predictions(pack_predictions(values)), values)
