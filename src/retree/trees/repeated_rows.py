"""Sample weights of trees that count rows: each row as often as its weight says."""

from __future__ import annotations

from typing import Any

import numpy as np

from retree.trees.mixed import Sample

_MOST_ROWS = 2**31


def repeated_rows(sample: Sample, estimator: Any) -> Sample:
    """Return rows of weight 1, each as often as its weight says."""
    weight = sample.weight
    if (weight == 1).all():
        return sample
    if weight.sum() > _MOST_ROWS:
        raise ValueError(f"The sample weights sum to {weight.sum():g} rows, more than 2^31.")
    times = weight.astype(np.int64)
    if (times != weight).any():
        raise ValueError(
            f"{type(estimator).__name__} counts rows, so sample weights must be whole numbers: "
            "round them to multiples of a unit and divide by that."
        )
    repeated = sample.take(np.repeat(np.arange(len(times)), times))
    return repeated._replace(weight=np.ones(len(repeated.y)))
