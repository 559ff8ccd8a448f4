"""Parameters that many estimators have are described in the same words by all of them."""

import re

import pytest
from every_classifier import EVERY


def description(model, parameter):
    """Return what the docstring of a model says of a parameter, on one line."""
    found = re.search(rf"\n    {parameter} : .*\n((?:        .*\n)+)", type(model).__doc__)
    assert found, f"{type(model).__name__} does not describe {parameter}"
    return " ".join(found[1].split())


@pytest.mark.parametrize("parameter", ["class_weight", "fill_missing", "smoothing"])
def test_shared_parameters_are_described_alike(parameter):
    models = [model for model in EVERY.values() if parameter in model.get_params(deep=False)]
    texts = {type(model).__name__: description(model, parameter) for model in models}
    assert len(texts) > 8
    # Some say more at the end; all begin with the same words.
    start = min(texts.values(), key=len)[:100]
    assert not {name: text for name, text in texts.items() if not text.startswith(start)}
