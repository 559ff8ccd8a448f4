"""Weights of classes, by which those of the rows are multiplied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from retree.trees.validation import check_weight, check_weights

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None


def weigh_classes(
    weight: NDArray[np.float64],
    class_weight: ClassWeight,
    classes: NDArray[Any],
    codes: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """Return the weights of the rows times those of their classes.

    Shapes: `weight` (n_samples,), `classes` (n_classes,), `codes` (n_samples,), result
    (n_samples,).
    `class_weight`: as in scikit-learn's trees: "balanced" counts rows, whatever their weights.
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
