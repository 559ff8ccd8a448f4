"""Metrics beyond those of the papers: scikit-learn's scorers, and functions of a study's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer

from retree.errors import RetreeError
from retree.study.importing import import_estimator
from retree.study.registry import find_estimator

Scorer = Callable[[Any, Any, Any], float]
# Before the state of the sources of a study's own function, in the names that scores are stored by.
STATE = "@"


def find_scorer(name: str, home: Path | None = None) -> Scorer:
    """Return a function of a fitted estimator, features and target; greater is better.

    `name`: a scorer of scikit-learn, or ``sklearn.metrics:function`` or ``file.py:function`` of the
    target and the predictions.
    """
    if ":" not in name:
        scorer: Scorer = get_scorer(name)
        return scorer
    function = _find_function(name, home)
    return lambda estimator, X, y: float(function(y, estimator.predict(X)))


def stored_name(name: str, home: Path | None = None) -> str:
    """Return what the scores of a metric are stored by: of a study's own also for its sources."""
    if ".py:" not in name:
        return name
    from retree.study.registry import find_estimator

    return f"{name}{STATE}{str(find_estimator(name, home).version).split()[-1]}"


def needs_numbers(name: str) -> bool:
    """Whether the scorer `name` of scikit-learn is one of regressions: it takes no class names."""
    if ":" in name:
        return False
    numbers, texts = np.array([0.5, 1.5, 2.5]), np.array(["a", "b", "a"])
    return _is_defined(name, numbers) and not _is_defined(name, texts)


def _is_defined(name: str, y: NDArray[Any]) -> bool:
    """Whether a scorer of scikit-learn can compare `y` with itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            find_scorer(name)(_Echo(), y, y)
        except (ValueError, TypeError, AttributeError):
            return False
    return True


class _Echo(BaseEstimator):
    """An estimator that predicts what it is given."""

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return X


def _find_function(name: str, home: Path | None) -> Callable[[Any, Any], float]:
    name = name.partition(STATE)[0]
    module, _, function = name.rpartition(":")
    if module.endswith(".py"):
        return import_estimator(find_estimator(name, home).target)
    if module != "sklearn.metrics" or function not in metrics.__all__:
        raise RetreeError(
            f"There is no metric {name}: name a function of sklearn.metrics, or one of a Python "
            "file of the study."
        )
    found: Callable[[Any, Any], float] = getattr(metrics, function)
    return found
