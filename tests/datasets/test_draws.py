"""Further draws of data sets that are random samples."""

import numpy as np
import pytest

from retree.errors import DataError
from retree_lab.datasets import load_dataset, load_draw


@pytest.mark.parametrize("name", ["gauss_2D", "threenorm"])
def test_draw_zero_is_the_catalogues_and_the_others_have_other_rows(name):
    base = load_dataset(name)
    assert load_draw(name, 0).sha256 == base.sha256
    draws = [load_draw(name, i) for i in (1, 2)]
    assert len({base.sha256, *(draw.sha256 for draw in draws)}) == 3
    for draw in draws:
        assert (draw.name, draw.X.shape) == (base.name, base.X.shape)
        assert list(draw.X.columns) == list(base.X.columns)
        assert set(draw.y) == set(base.y)


def test_draws_have_the_moments_of_their_distribution():
    """Class 0 is N(0, I) and class 1 is N(0, 4 I): spreads of 1 and 2."""
    for number in range(1, 4):
        draw = load_draw("gauss_2D", number)
        found = draw.X.groupby(draw.y.to_numpy()).std().to_numpy()
        # Five standard errors of a standard deviation over 2,500 rows.
        assert np.all(np.abs(found / [[1], [2]] - 1) < 5 / np.sqrt(2 * 2500))


def test_a_draw_follows_its_base():
    derived, base = load_draw("waveform0_R", 1), load_draw("waveform", 1)
    assert derived.X.equals(base.X)
    assert list(derived.y == "0") == list(base.y == "0")


@pytest.mark.parametrize("name", ["pima", "monks-1", "tic-tac-toe"])
def test_what_is_no_random_sample_cannot_be_drawn_anew(name):
    with pytest.raises(DataError, match="cannot be drawn again"):
        load_draw(name, 1)
