"""What a notebook shows of an estimator."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
import sklearn
from matplotlib import pyplot

from retree import C45Classifier, CartRegressor, ID3Classifier
from retree_lab.datasets.generators import make_waveform


@pytest.fixture(scope="module")
def waveform():
    return make_waveform(300, random_state=0)


def html_of(estimator):
    bundle = estimator._repr_mimebundle_()["text/html"]
    assert estimator._repr_html_().count("<svg") == bundle.count("<svg")
    return bundle


def test_fitted_trees_are_drawn_below_the_diagram_of_scikit_learn(waveform):
    unfitted = html_of(C45Classifier())
    assert C45Classifier()._repr_svg_() is None
    before = pyplot.get_fignums()
    fitted = html_of(C45Classifier().fit(*waveform))
    assert pyplot.get_fignums() == before
    assert fitted.count('aria-label="Decision tree"') == 1
    assert unfitted.count('aria-label="Decision tree"') == 0
    assert "sk-estimator" in unfitted
    assert "sk-estimator" in fitted


def test_drawings_are_svg_and_equal_for_equal_trees(waveform):
    first, second = (CartRegressor(max_depth=2).fit(*waveform)._repr_svg_() for _ in range(2))
    assert first == second
    assert ET.fromstring(first).tag.endswith("svg")


def test_large_trees_are_cut_where_boxes_become_illegible(waveform):
    model = C45Classifier(pruning=None).fit(*waveform)
    assert model.get_n_leaves() > 20
    drawn = model._repr_svg_()
    assert " …" in drawn
    assert len(drawn) < 200_000
    codes = np.arange(60.0)[:, None]
    many = ID3Classifier(categorical_features=[0]).fit(codes, np.arange(60) % 2)
    assert "<svg" in many._repr_svg_()


def test_a_root_of_any_number_of_branches_is_drawn_alone():
    codes = np.arange(3000.0)[:, None]
    model = ID3Classifier(categorical_features=[0]).fit(codes, np.arange(3000) % 2)
    drawn = model._repr_svg_()
    assert " …" in drawn
    assert len(drawn) < 20_000
    assert len(html_of(model)) < 1_000_000


def test_plain_text_display_has_no_drawing(waveform):
    model = C45Classifier().fit(*waveform)
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(model, "_repr_html_")
