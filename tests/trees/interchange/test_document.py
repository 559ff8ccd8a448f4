"""Documents: what is read predicts the same, what is damaged is refused with a sentence."""

import copy
import json
import warnings
from dataclasses import fields

import jsonschema
import numpy as np
import pandas as pd
import pytest
from exported_models import (
    CLASSES,
    assert_same_bits,
    examples,
    fitted,
    forest_models,
    mixed_data,
    regression_model,
    rows,
    tree_model,
    tree_models,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import ALL
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import get_tags

import retree
from retree.forests import AdaBoostM1Classifier
from retree.forests.forest import Forest
from retree.trees.interchange.document import check_document, schema
from retree.trees.tree import Tree

VALIDATOR = jsonschema.Draft202012Validator(schema())
X, Y = load_iris(return_X_y=True)
MIXED = mixed_data()


def trees_and_forests():
    """Return the classes of the package that grow trees."""
    made = (getattr(retree, name) for name in retree.__all__)
    made = [cls for cls in made if hasattr(cls, "to_dict")]
    return [cls for cls in made if cls is not retree.FittedForestClassifier]


def again(model):
    """Return a model that was written and read."""
    text = model.to_json()
    VALIDATOR.validate(json.loads(text))
    found = retree.from_json(text)
    assert json.loads(found.to_json()) == json.loads(text)
    return found


def as_it_takes(model, y):
    """Return `y`, with two classes for an estimator that takes no more."""
    tags = get_tags(model).classifier_tags
    return y if tags is None or tags.multi_class else np.where(y == y[0], y, y[y != y[0]][0])


def check(model, X):
    found = again(model)
    assert type(found) is type(model)
    assert_same_bits(predicted(found, X), predicted(model, X))
    assert (found.predict(X) == model.predict(X)).all()
    return found


def predicted(model, X):
    return model.predict(X) if is_regressor(model) else model.predict_proba(X)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


def small_model(cls, **parameters):
    """Return a tree, or a forest of three."""
    model = cls()
    asked = {"n_estimators": 3, **parameters}
    return model.set_params(**{k: v for k, v in asked.items() if k in model.get_params(deep=False)})


@pytest.mark.parametrize("cls", trees_and_forests(), ids=lambda cls: cls.__name__)
def test_every_family(cls):
    model = small_model(cls, max_depth=3, random_state=1)
    y = as_it_takes(model, Y)
    found = check(model.fit(X, y), X)
    assert found.get_params(deep=False) == model.get_params(deep=False)
    if hasattr(cls, "export_text"):
        assert found.export_text() == model.export_text()
    assert (found.fit(X, y).predict(X) == model.predict(X)).all()


MIXED_FAMILIES = [c for c in trees_and_forests() if "categorical_features" in c().get_params()]


@pytest.mark.parametrize("cls", MIXED_FAMILIES)
def test_every_family_that_takes_categories(cls):
    data, labels = MIXED
    if not is_classifier(cls()):
        labels = np.arange(len(labels)) / 7
    model = small_model(cls)
    model.fit(data, as_it_takes(model, labels))
    found = check(model, rows(seed=1))
    for ours, theirs in zip(model.categories_, found.categories_, strict=True):
        assert (ours is None and theirs is None) or (
            ours.equals(theirs) and ours.dtype == theirs.dtype
        )
    assert found.feature_names_in_.tolist() == model.feature_names_in_.tolist()


@examples
@given(tree_models() | forest_models())
def test_random_models(model):
    check(model, rows())


@pytest.mark.parametrize("coding", ["one_hot", "ordinal"])
def test_coded_columns(coding):
    check(retree.CodedCartClassifier(coding=coding).fit(*MIXED), rows(seed=1))


def test_a_thinned_forest_of_scikit_learn():
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y)
    model = retree.ForestThinner().thin(forest, X, Y)
    assert check(model, X + 1e-9).single_precision_


@pytest.mark.parametrize(
    "levels", [[3, 1, 2], [0.1, -2.5], [True, False], ["b", "a"], ["1", 1, 2.5]], ids=str
)
def test_levels_and_classes_keep_their_types(levels):
    column = pd.Series(pd.Categorical(np.array(levels * 20, object), categories=levels))
    data = pd.DataFrame({"a": column})
    labels = [str(v) for v in levels * 20]
    model = retree.C45Classifier().fit(data, labels)
    check(model, data)
    ints = np.array([hash(label) % 7 for label in labels], np.int8)
    if len(set(ints)) > 1:
        found = check(retree.C45Classifier().fit(data, ints), data)
        assert found.classes_.dtype == np.int8


def test_parameters_of_all_kinds():
    model = retree.LatentSpaceTreeClassifier(
        transformer=retree.SVDRotation(center=True),
        estimator=retree.C45Classifier(pruning="reduced_error", pruning_params={"fraction": 0.25}),
    )
    found = check(model.fit(X, Y), X)
    assert repr(found) == repr(model)
    thinner = retree.CartClassifier(categorical_features=np.array([False] * 4)).fit(X, Y)
    assert again(thinner).categorical_features.dtype == bool


def test_nothing_of_trees_and_forests_is_left_out():
    # A new field needs a place in the schema, or it is lost in silence.
    known = {"n_features", "children_ptr", "children", "feature", "threshold", "counts", "subset",
             "left_levels", "normals", "moments", "centres", "row_sums", "missing_branch",
             "held_out", "smoothing", "target_exponent"}  # fmt: skip
    assert {field.name for field in fields(Tree)} == known
    of_forest = {"trees", "vote_weight", "divide_missing", "impurity", "exact_votes"}
    assert {field.name for field in fields(Forest)} == of_forest


def test_votes_of_boosted_stumps_stay_exact():
    stump = retree.DecisionStumpClassifier()
    model = AdaBoostM1Classifier(estimator=stump, n_estimators=3).fit(X, Y)
    assert model.forest_.exact_votes
    assert check(model, X).forest_.exact_votes


def test_what_a_document_cannot_hold_is_refused():
    model = retree.CartClassifier(random_state=np.random.RandomState(0)).fit(X, Y)
    with pytest.raises(ValueError, match=r"random_state is a RandomState, .* by set_params before"):
        model.to_dict()
    model.set_params(random_state=0)
    check(model, X)


def test_a_newer_schema_and_other_texts_are_refused():
    document = retree.C45Classifier().fit(X, Y).to_dict()
    with pytest.raises(ValueError, match=r"has schema 2, .* reads schema 1: install retree '7.1'"):
        retree.from_dict(document | {"schema": 2, "retree": "7.1"})
    with pytest.raises(ValueError, match="not a document of retree"):
        retree.from_dict({"schema": 1})
    for text in ("", "{", "[" * 100_000, '{"format": NaN}', "9" * 5000):
        with pytest.raises(ValueError, match=r"damaged|not a document"):
            retree.from_json(text)
    for name in ("os.system", "BaseTree", "from_dict", "ReliefF", "__doc__"):
        with pytest.raises(ValueError, match=r"no estimator|no tree|no parameters"):
            retree.from_dict(document | {"estimator": name})
    with pytest.raises(ValueError, match=r"no parameters \['_x'\]"):
        retree.from_dict(document | {"params": {"_x": 1}})


def test_parameters_that_are_newer_than_the_document_have_their_defaults():
    document = retree.C45Classifier(confidence=0.1).fit(X, Y).to_dict()
    del document["params"]["weka"], document["params"]["confidence"]
    assert retree.from_dict(document).get_params() == retree.C45Classifier().get_params()


DOCUMENTS = [
    retree.C45Classifier(max_depth=2).fit(*MIXED).to_dict(),
    retree.CartClassifier(max_depth=2).fit(*MIXED).to_dict(),
    retree.CMDTClassifier().fit(*MIXED).to_dict(),
    retree.OC1Classifier(max_depth=2, random_state=0).fit(X, Y).to_dict(),
    regression_model().to_dict(),
    retree.AdaBoostM1Classifier(estimator=retree.C45Classifier(max_depth=1), n_estimators=2)
    .fit(*MIXED)
    .to_dict(),
    *(
        fitted(retree.CartClassifier(), tree_=ALL[name], classes_=np.array(CLASSES)).to_dict()
        for name in ("mixed", "nearest", "leaf")
    ),
]
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats(-2, 4) | st.text(max_size=3)
    | st.sampled_from([2**31, 2**63, 10**400, -(2**70), 1e308, float("nan"), float("inf"),
                       "Infinity", "C45Classifier", "CartRegressor", "int8", "object"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["levels", "dict", "tuple", "nodes", "x"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


def places(value, path=()):
    """Yield the path of each value in a document."""
    yield path
    items = enumerate(value) if isinstance(value, list) else getattr(value, "items", tuple)()
    for key, item in items:
        yield from places(item, (*path, key))


@st.composite
def mutated(draw):
    """Draw a document with one to three values replaced, dropped, doubled or exchanged."""
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 3))):
        (*path, last) = draw(st.sampled_from(list(places(document))[1:]))
        parent = document
        for key in path:
            parent = parent[key]
        what = draw(st.sampled_from(["replace", "drop", "double", "other"]))
        if what == "drop":
            del parent[last]
        elif what == "double" and isinstance(parent, list):
            parent.insert(last, copy.deepcopy(parent[last]))
        elif what == "other":
            parent[last] = copy.deepcopy(draw(st.sampled_from(_values(parent))))
        else:
            parent[last] = draw(VALUES)
    return document


def _values(parent):
    return parent if isinstance(parent, list) else list(parent.values())


@settings(examples, max_examples=2 * examples.max_examples)
@given(mutated())
def test_a_mutated_document_is_a_model_or_is_refused(document):
    model, reason = _read(document)
    if model is not None:
        _use(model)
        return
    assert reason.endswith(".")
    assert "\n" not in reason


def _read(document):
    """Return the model and None, or None and the reason why there is none."""
    try:
        return retree.from_dict(document), None
    except ValueError as error:
        return None, str(error)


def _use(model):
    """Predict for rows that the model must take, whatever it is."""
    n = model.n_features_in_
    levels = getattr(model, "categories_", None) or [None] * n
    columns = [
        np.linspace(-1, 6, 12) if own is None else np.resize(np.array([*own, None], object), 12)
        for own in levels
    ]
    names = getattr(model, "feature_names_in_", range(n))
    data = pd.concat([pd.Series(c, name=v) for c, v in zip(columns, names, strict=True)], axis=1)
    with warnings.catch_warnings():
        # Counts or weights may be so large that shares overflow.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        found = predicted(model, data)
    assert len(found) == 12
    if hasattr(model, "export_text"):
        model.export_text()


@settings(examples, max_examples=2 * examples.max_examples)
@given(mutated() | VALUES)
def test_our_check_of_the_schema_is_that_of_jsonschema(document):
    expected = VALIDATOR.is_valid(document)
    try:
        check_document(document)
    except ValueError:
        assert not expected
    else:
        assert expected


@pytest.mark.parametrize("kind", ["levels", "counts", "coefficients"])
@pytest.mark.parametrize(
    "values", [[], [0, 1], [1, 2.0], [1, -1], [True, 1], [0.5], ["1"], [None], [1, [1]]], ids=repr
)
def test_arrays_of_numbers_are_checked_as_the_schema_says(kind, values):
    document = again(tree_model(ALL["mixed"], divide=True)).to_dict()
    nodes = document["trees"][0]["nodes"]
    tests = [node["test"] for node in nodes if "test" in node]
    (subset,) = (test["subset"] for test in tests if "subset" in test)
    (oblique,) = (test["oblique"] for test in tests if "oblique" in test)
    {"levels": subset, "counts": nodes[0], "coefficients": oblique}[kind][kind] = values
    try:
        check_document(document)
    except ValueError:
        assert not VALIDATOR.is_valid(document)
    else:
        assert VALIDATOR.is_valid(document)
