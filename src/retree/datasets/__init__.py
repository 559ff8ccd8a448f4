"""Named data sets: found in a catalogue, fetched from a source, verified, prepared.

``load("sonar")`` gives features and labels; the catalogue is ``conf/dataset/*.yaml``.
"""

from retree.datasets.catalogue import names
from retree.datasets.generators import make_gauss_xor, make_waveform
from retree.datasets.loading import Dataset, load, load_dataset

__all__ = ["Dataset", "load", "load_dataset", "make_gauss_xor", "make_waveform", "names"]
