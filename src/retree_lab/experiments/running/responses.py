"""Answers of fitted estimators on test rows, which scorers take in place of the estimator."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from retree_lab.study.scorers import find_scorer

SOFT = ("predict_proba", "decision_function")
CLASSES = "classes"
Values = NDArray[Any]


class Responses(BaseEstimator):
    """An estimator that answers for fixed rows only, and each question once.

    `ask`: methods by name; each returns its values for the test rows.
    `classes`: class codes in the order of the columns of the probabilities; None for a regression.
    """

    def __init__(self, ask: Mapping[str, Callable[[], Values]], classes: Values | None) -> None:
        self.ask, self.classes = ask, classes
        self.given: dict[str, Values] = {}
        if classes is not None:
            self.classes_ = classes

    def predict(self, X: object) -> Values:
        """Return the predictions."""
        return self._answer("predict")

    @available_if(lambda self: "predict_proba" in self.ask)
    def predict_proba(self, X: object) -> Values:
        """Return the probabilities of the classes."""
        return self._answer("predict_proba")

    @available_if(lambda self: "decision_function" in self.ask)
    def decision_function(self, X: object) -> Values:
        """Return the decision values of the classes."""
        return self._answer("decision_function")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.classes is None else "classifier"
        return tags

    @property
    def packed(self) -> bytes | None:
        """Its probabilities and decision values, compressed; None if it was asked for neither.

        Of one that was asked for one of them both are kept, since other metrics may take the other.
        """
        if not any(name in self.given for name in SOFT):
            return None
        arrays: dict[str, Any] = {name: self._answer(name) for name in SOFT if name in self.ask}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays | {CLASSES: self.classes_})
        return buffer.getvalue()

    def _answer(self, name: str) -> Values:
        if name not in self.given:
            self.given[name] = np.asarray(self.ask[name]())
        return self.given[name]


def ask_estimator(estimator: Any, X: Any, predicted: Values) -> Responses:
    """Return the responses of a fitted estimator, which is asked when a scorer asks.

    Shapes: `X` (n_test, n_features), `predicted` (n_test,).
    `predicted`: its predictions on them: class codes or numbers.
    """
    soft = [name for name in SOFT if hasattr(estimator, name)]
    ask = {name: partial(getattr(estimator, name), X) for name in soft}
    return Responses({"predict": lambda: predicted, **ask}, _classes(estimator, predicted))


def recall_responses(predicted: Values, packed: bytes | None) -> Responses:
    """Return the responses of a cell whose `predicted` classes, or numbers, are stored.

    Where nothing is `packed`, a metric of probabilities raises AttributeError.
    """
    kept = {"predict": predicted}
    if packed is not None:
        with np.load(io.BytesIO(packed), allow_pickle=False) as file:
            kept |= file
    classes = kept.pop(CLASSES, _classes(None, predicted))
    return Responses({name: partial(np.asarray, values) for name, values in kept.items()}, classes)


def score_responses(
    responses: Responses, y: Values, names: Iterable[str], home: Path | None
) -> dict[str, float]:
    """Return the metrics called `names` of `responses`, whose rows have the target `y`.

    A metric that is not defined on these rows is NaN, as the area under the curve of one class.
    """
    return {name: _score(responses, y, name, home) for name in names}


def _classes(estimator: Any, predicted: Values) -> Values | None:
    """Return the class codes that an estimator knows, else those it predicts; None for numbers."""
    if predicted.dtype.kind == "f":
        return None
    return np.asarray(getattr(estimator, "classes_", np.unique(predicted)))


def _score(responses: Responses, y: Values, name: str, home: Path | None) -> float:
    try:
        return float(find_scorer(name, home)(responses, None, y))
    except ValueError:
        return float("nan")
