"""Fitted models that leave the process, or the memory, in which they were fitted."""

import copy
import gc
import pickle
import subprocess
import sys

import cloudpickle
import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, cross_validate

import retree
from retree import engine

NO_ESTIMATORS = {"from_dict", "from_json", "shap_values", "to_onnx"}
OF_FORESTS = {"AccuracyThinner", "EPICSelector", "ForestThinner", "FittedForestClassifier"}
SMALL = {
    "AdaBoostM1Classifier": {"n_estimators": 3},
    "BaggingTreesClassifier": {"n_estimators": 3},
    "OC1Classifier": {"n_restarts": 2},
    "ThinnedForestClassifier": {"n_estimators": 3},
}
OF_TWO = {"RealAdaBoostClassifier"}
NAMES = sorted(set(retree.__all__) - NO_ESTIMATORS - OF_FORESTS)

PROGRAM = """
import pickle, sys
import joblib, numpy as np

path = sys.argv[1]
with open(path + ".pickle", "rb") as file, open(path + ".cloudpickle", "rb") as cloud:
    kinds = [pickle.load(file), pickle.load(cloud), joblib.load(path + ".joblib", mmap_mode="r")]
for models, X, expected in kinds:
    for name, model in models.items():
        again = model.predict_proba if hasattr(model, "predict_proba") else (
            model.predict if hasattr(model, "predict") else model.transform)
        np.testing.assert_array_equal(again(X), expected[name], err_msg=name)
    print(len(models))
"""


def rows():
    X, y = load_iris(return_X_y=True)
    some = np.random.default_rng(0).permutation(len(y))
    return X[some], y[some]


def estimator(name):
    made = getattr(retree, name)(**SMALL.get(name, {}))
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


def answers(model, X):
    for method in ("predict_proba", "predict", "transform"):
        if hasattr(model, method):
            return getattr(model, method)(X)
    raise AssertionError(f"{model} answers nothing.")


@pytest.fixture(scope="module")
def fitted():
    X, y = rows()
    models = {name: estimator(name).fit(X, y if name not in OF_TWO else y == 0) for name in NAMES}
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    models["ForestThinner"] = retree.ForestThinner().thin(forest, X, y)
    models["AccuracyThinner"] = retree.AccuracyThinner().thin(forest, X, y)
    models["EPICSelector"] = retree.EPICSelector(n_members=2).select(forest, X, y)
    # What a tree keeps for later calls is there when it leaves.
    return models, X, {name: answers(model, X) for name, model in models.items()}


def test_every_public_estimator_is_here(fitted):
    assert set(fitted[0]) == set(retree.__all__) - NO_ESTIMATORS - {"FittedForestClassifier"}
    assert isinstance(fitted[0]["EPICSelector"], retree.FittedForestClassifier)


@pytest.mark.slow
def test_another_process_loads_the_models(fitted, tmp_path):
    for module in (pickle, cloudpickle):
        with (tmp_path / f"models.{module.__name__}").open("wb") as file:
            module.dump(fitted, file)
    joblib.dump(fitted, tmp_path / "models.joblib")
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "models")], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [str(len(fitted[0]))] * 3


def test_copies_outlive_the_originals(fitted):
    models, X, expected = fitted
    first = pickle.loads(pickle.dumps(models))
    for name, model in first.items():
        answers(model, X)
        first[name] = copy.deepcopy(model)
    del model
    gc.collect()
    filler = [np.full(size, -(2**30), np.int32) for size in range(1, 400)]
    for name, model in first.items():
        np.testing.assert_array_equal(answers(model, X), expected[name], err_msg=name)
    assert len(filler) == 399


@pytest.mark.slow
def test_workers_hand_back_their_models():
    X, y = rows()
    predictors = [n for n in NAMES if hasattr(getattr(retree, n), "predict")]
    for name in predictors:
        labels = y == 0 if name in OF_TWO else y
        scores = cross_validate(estimator(name), X, labels, cv=2, n_jobs=2, return_estimator=True)
        for model in scores["estimator"]:
            assert 0.5 < model.score(X, labels) <= 1.0, name


@pytest.mark.slow
def test_a_grid_search_hands_back_its_best_model():
    X, y = rows()
    grids = {"C45Classifier": {"max_depth": [1, 3]}, "CMDTClassifier": {"beta": [0.0, 0.5]}}
    for name, grid in grids.items():
        search = GridSearchCV(estimator(name), grid, cv=2, n_jobs=2).fit(X, y)
        assert search.score(X, y) > 0.8


def test_views_stay_where_they_are():
    view = engine.bundle(np.zeros(3))
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="in one process only"):
            leave(view)
