"""Named data sets: found in a catalogue, fetched from a source, verified, prepared.

``load("sonar")`` gives features and labels; the catalogue is ``conf/dataset/*.yaml``. The
``make_*`` functions give the sets that need no download: draws from a formula and sets that follow
from a rule.
"""

from retree_lab.datasets.generators import (
    make_gauss_2d,
    make_gauss_xor,
    make_ls10,
    make_pol,
    make_rcb,
    make_ringnorm,
    make_threenorm,
    make_twonorm,
    make_waveform,
)
from retree_lab.datasets.loading import Dataset, load, load_dataset, load_draw
from retree_lab.datasets.rule_sets import make_balance_scale, make_monks, make_tic_tac_toe
from retree_lab.study.catalogue import names

__all__ = [
    "Dataset",
    "load",
    "load_dataset",
    "load_draw",
    "make_balance_scale",
    "make_gauss_2d",
    "make_gauss_xor",
    "make_ls10",
    "make_monks",
    "make_pol",
    "make_rcb",
    "make_ringnorm",
    "make_threenorm",
    "make_tic_tac_toe",
    "make_twonorm",
    "make_waveform",
    "names",
]
