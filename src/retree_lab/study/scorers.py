"""Metrics that no paper uses: scikit-learn's scorers, and functions of a study's own."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer

from retree.errors import RetreeError
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import find_estimator

Scorer = Callable[[Any, Any, Any], float]
# Before the state of the sources of a study's own function, in the names that scores are stored by.
STATE = "@"


def find_scorer(name: str, home: Path | None = None) -> Scorer:
    """Return a function of a fitted estimator, features and target.

    `name`: a scorer of scikit-learn, or ``sklearn.metrics:function`` or ``file.py:function``. That
    is a function of the target and the predictions, or a scorer. Those of scikit-learn that take
    probabilities or decision values in the place of predictions get these.
    """
    if ":" not in name:
        scorer: Scorer = get_scorer(name)
        return scorer
    function = _find_function(name, home)
    if is_scorer_itself(function):
        return function
    if (response := _response(name)) is not None:
        made: Scorer = metrics.make_scorer(function, response_method=response)
        return made
    return lambda estimator, X, y: float(function(y, estimator.predict(X)))


def is_scorer_itself(function: Callable[..., float]) -> bool:
    """Return whether a function takes an estimator, like a scorer; then greater is better."""
    return next(iter(inspect.signature(function).parameters), "") == "estimator"


def scorer_directions(names: Iterable[str], home: Path | None) -> dict[str, bool]:
    """Return that no smaller value is better of those metrics of a study that are scorers."""
    functions = (name for name in names if ".py:" in name)
    return {name: False for name in functions if is_scorer_itself(_find_function(name, home))}


def _response(name: str) -> str | tuple[str, ...] | None:
    """Return the response that a scikit-learn metric takes instead of predictions, or None."""
    function = getattr(metrics, name.rpartition(":")[2], None)
    if ".py:" in name or function is None:
        return None
    if function.__name__ in _OF_PROBABILITIES:
        return "predict_proba"
    return _RESPONSES.get([*inspect.signature(function).parameters][1])


def stored_name(name: str, home: Path | None = None) -> str:
    """Return the name that scores are stored under; for a study's own metric with its version."""
    if ":" in name and _response(name) is not None:
        return f"{name}{STATE}soft"
    if ".py:" not in name:
        return name
    return f"{name}{STATE}{str(find_estimator(name, home).version).split()[-1]}"


def needs_numbers(name: str) -> bool:
    """Return whether the scorer `name` of scikit-learn is for regression, without class names."""
    if ":" in name:
        return False
    numbers, texts = np.array([0.5, 1.5, 2.5]), np.array(["a", "b", "a"])
    return _is_defined(name, numbers) and not _is_defined(name, texts)


def _is_defined(name: str, y: NDArray[Any]) -> bool:
    """Return whether a scorer of scikit-learn can compare `y` with itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            find_scorer(name)(_Echo(), y, y)
        except (ValueError, TypeError, AttributeError):
            return False
    return True


# By the name of its second parameter, what a function of scikit-learn takes; some earlier versions
# call probabilities predictions.
_RESPONSES: dict[str, str | tuple[str, ...]] = {
    "y_proba": "predict_proba",
    "y_score": ("decision_function", "predict_proba"),
    "pred_decision": "decision_function",
}
_OF_PROBABILITIES = ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score")


class _Echo(BaseEstimator):
    """An estimator that predicts what it is given."""

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return X


def _find_function(name: str, home: Path | None) -> Callable[..., float]:
    name = name.partition(STATE)[0]
    module, _, function = name.rpartition(":")
    if module.endswith(".py"):
        return import_estimator(find_estimator(name, home).target)
    if module != "sklearn.metrics" or function not in metrics.__all__:
        raise RetreeError(
            f"There is no metric {name}: name a function of sklearn.metrics, or one of a Python "
            "file of the study."
        )
    score: Callable[..., float] = getattr(metrics, function)
    return score
