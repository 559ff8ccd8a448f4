"""Data that needs no download: draws from a formula, and sets that follow from a rule.

Each function is in the manner of scikit-learn's ``make_*``. Draws come from NumPy's legacy stream,
which is frozen: a seed gives the same sample for ever.
"""

from retree.datasets.generators.gaussian import (
    make_gauss_2d,
    make_gauss_xor,
    make_ringnorm,
    make_threenorm,
    make_twonorm,
)
from retree.datasets.generators.rules import make_balance_scale, make_monks, make_tic_tac_toe
from retree.datasets.generators.waveform import make_waveform

__all__ = [
    "make_balance_scale",
    "make_gauss_2d",
    "make_gauss_xor",
    "make_monks",
    "make_ringnorm",
    "make_threenorm",
    "make_tic_tac_toe",
    "make_twonorm",
    "make_waveform",
]
