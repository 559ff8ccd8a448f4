"""Row weights: multiplying them by class weights, and making their sums exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from retree.arithmetic import sum_of
from retree.trees.validation import check_weight, check_weights

_MOST_WEIGHT = 2.0**50
ClassWeight = Mapping[Any, float] | Literal["balanced"] | None


def weigh_classes(
    weight: NDArray[np.float64],
    class_weight: ClassWeight,
    classes: NDArray[Any],
    codes: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """Return the weights of the rows, multiplied by the weights of their classes.

    Shapes: `weight` (n_samples,), `classes` (n_classes,), `codes` (n_samples,), result
    (n_samples,).
    `class_weight`: as in scikit-learn's trees; "balanced" counts rows, whatever their weights.
    """
    if class_weight is None:
        return weight
    if isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in set(classes.tolist())]
        if unknown:
            raise ValueError(
                f"class_weight has classes that y does not have: {unknown}; y has "
                f"{classes.tolist()}."
            )
        for label, value in class_weight.items():
            check_weight(f"class_weight of {label!r}", value)
        class_weight = dict(class_weight)
    elif class_weight != "balanced":
        raise ValueError(
            f"Invalid class_weight {class_weight!r}. Valid ones are 'balanced', None, or a dict "
            "from class labels to weights."
        )
    of_class = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    return check_weights(weight * of_class[codes], len(codes))


def exact_weights(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights rounded to multiples of a power of 2, so that all their sums are exact.

    A class without rows then has a weight of exactly 0, and no sum depends on the order of the
    rows. Whole weights do not change; others change by less than 2^-51 of the sum.

    Shapes: `weight` (n_samples,), result (n_samples,).
    `weight`: not negative, with a sum of at least 1e-100, like the weights of a checked sample.
    """
    total = sum_of(weight)
    if total > _MOST_WEIGHT:
        raise ValueError(
            f"The sample weights sum to {total:g} rows, more than 2^50: divide them by a constant."
        )
    unit = math.ldexp(1.0, math.frexp(total)[1] - 52)
    return np.rint(weight / unit) * unit
