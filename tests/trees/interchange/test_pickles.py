"""Pickles say which version wrote them, and another version warns."""

import copy
import pickle
import warnings

import pandas as pd
import pytest
from exported_models import assert_same_bits, mixed_data, rows

import retree
from retree.trees.interchange.methods import OtherVersionWarning


@pytest.fixture(
    params=[retree.C45Classifier, retree.BaggingTreesClassifier, retree.C45RulesClassifier]
)
def model(request):
    return request.param().fit(*mixed_data())


def test_the_same_version_is_silent(model):
    found = pickle.loads(pickle.dumps(model))
    assert vars(found).keys() == vars(model).keys()
    table = rows(seed=1)
    assert_same_bits(found.predict_proba(table), model.predict_proba(table))
    for ours, theirs in zip(model.categories_, found.categories_, strict=True):
        assert ours is theirs or ours.identical(theirs)


def test_another_version_warns_and_says_what_to_do(model, monkeypatch):
    written = pickle.dumps(model)
    monkeypatch.setattr(retree, "__version__", "9.1.0")
    name = type(model).__name__
    with pytest.warns(OtherVersionWarning, match=f"This {name} was pickled by retree 1") as warned:
        pickle.loads(written)
    assert ("to_json" in str(warned[0].message)) == hasattr(model, "to_json")
    with pytest.warns(OtherVersionWarning, match="by retree of an earlier version"):
        retree.C45Classifier().__setstate__({"confidence": 0.1})


def test_copies_are_no_pickles(model, monkeypatch):
    found = copy.copy(model)
    assert vars(found) == vars(model)
    assert found.categories_ is model.categories_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setattr(retree, "__version__", "9.1.0")
        copy.copy(model)


@pytest.mark.parametrize(
    "levels",
    [
        pd.Index([3, 1, 2], dtype="int8"),
        pd.Index(["b", "a"]),
        pd.Index(["b", 1, True], dtype=object),
        pd.Index([0.5, -1.0], dtype="float32"),
        pd.to_datetime(["2020-01-01", "2020-01-02"]),
        pd.interval_range(0, 2),
    ],
    ids=lambda index: str(index.dtype),
)
def test_levels_of_all_types_come_back(levels):
    model = retree.C45Classifier()
    model.categories_ = [None, levels]
    none, found = pickle.loads(pickle.dumps(model)).categories_
    assert none is None
    assert found.identical(levels)
