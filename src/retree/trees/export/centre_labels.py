"""Short labels of the branches of a test for the nearest centre."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.trees.export.describe import Words

_FEWEST = 2  # features in a label, if so many differ between the centres


def centre_labels(words: Words, node: int) -> list[str]:
    """Return a label per branch that sets its centre apart from the others of `node`.

    The features in which the centres differ most come first: a numeric one with its mean, a
    categorical one with its most frequent level and the share of it. There are two of them, or as
    many as make all labels different; centres that read the same in all of them are numbered.
    """
    centres = words.tree.tests.centres
    first, n_centres = int(centres.first[node]), int(centres.n_centres[node])
    positions = centres.position[first : first + n_centres]
    order = _most_different(words, node, positions)
    for n_features in range(min(_FEWEST, len(order)), len(order) + 1):
        labels = [_label(words, order[:n_features], position) for position in positions]
        if len(set(labels)) == n_centres:
            return labels
    return [f"centre {k}" for k in range(1, n_centres + 1)]


def _most_different(words: Words, node: int, positions: NDArray[np.float64]) -> list[int]:
    """Return the features with a weight, those first whose values differ most."""
    centres = words.tree.tests.centres
    spread = np.ptp(positions, axis=0)
    apart = np.add.reduceat(spread, centres.start[:-1])
    apart = apart * centres.weight[node]
    order: list[int] = np.argsort(-apart, kind="stable").tolist()
    return [j for j in order if centres.weight[node][j] != 0]


def _label(words: Words, features: list[int], position: NDArray[np.float64]) -> str:
    """Return the values of some features at a centre."""
    centres = words.tree.tests.centres
    parts = []
    for j in features:
        here = position[centres.start[j] : centres.start[j + 1]]
        if centres.nominal[j]:
            code = int(here.argmax())
            share = "" if here[code] == 1 else f" {here[code]:.0%}"
            parts.append(f"{words.feature(j)} {words.level(j, code)}{share}")
        else:
            value = float(centres.offset[j] + centres.scale[j] * here[0])
            parts.append(f"{words.feature(j)} {words.number(value)}")
    return ", ".join(parts)
