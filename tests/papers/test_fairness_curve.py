"""What a fair tree gives up for fairness, by its weight."""

import numpy as np
import pandas as pd
import pytest

from retree_lab.papers.structure_purity import kinds


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # Of the four pairs of a row of group b and one of a, the scores order all, 3, and half.
        ([0.1, 0.2, 0.8, 0.9], 0.0),
        ([0.1, 0.8, 0.2, 0.9], 1 - 2 * (3 / 4 - 1 / 2)),
        ([0.5, 0.5, 0.5, 0.5], 1.0),
        ([0.9, 0.8, 0.2, 0.1], 0.0),
    ],
)
def test_parity_by_hand(scores, expected):
    is_b = np.array([False, False, True, True])
    assert kinds.parity(np.array(scores), [~is_b, is_b]) == pytest.approx(expected)


def test_parity_is_that_of_the_worst_group():
    # The scores tell group c from the others, and not a from b.
    groups = [np.array(mask, bool) for mask in ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1])]
    assert kinds.parity(np.array([0.1, 0.1, 0.7, 0.7]), groups) == 0
    assert kinds.parity(np.array([0.1, 0.1, 0.7, 0.7]), groups[:1]) == pytest.approx(1 / 3)


def test_it_draws_a_line_for_each_method():
    rows = pd.DataFrame({
        "method": ["a", "a", "b"], "theta": [0.0, 1.0, 0.0], "leaves": [3, 1, 2],
        "auc": [0.9, 0.5, 0.8], "parity_sex": [0.6, 1.0, 0.7],
    })  # fmt: skip
    lines = {"a": "A", "b": "B"}
    figure = kinds.fairness_figure(None, rows, sensitive={"sex": "sex="}, lines=lines)
    (axes,) = figure.axes
    assert [line.get_xydata().tolist() for line in axes.lines] == [
        [[0.6, 0.9], [1.0, 0.5]],
        [[0.7, 0.8]],
    ]
