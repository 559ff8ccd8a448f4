"""What the engine does with rules that do not fit."""

from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retree import engine

CONDITIONS = {
    "met": np.ones((3, 2), np.uint64),
    "n_rows": 70,
    "target": np.ones(2, np.uint64),
    "weight": np.full(70, 0.5),
    "confidence": 0.25,
    "quantile": 0.69,
    "error_of_none": 0.5,
    "kept": np.empty(3, np.bool_),
    "error": np.empty(1),
}
SETS = {
    "covers": np.ones((4, 2), np.uint8),
    "right": np.ones(4),
    "wrong": np.full(4, 0.5),
    "bits": np.ones(12),
    "total": 6.0,
    "of_class": 4.0,
    "climbs": 1,
    "sets": np.zeros((2, 12), np.bool_),
    "costs": np.empty(2),
}


@given(st.sampled_from([("rule_conditions", CONDITIONS), ("rule_sets", SETS)]), st.data())
def test_rules_are_refused_or_counted(function, data):
    name, fitting = function
    changed = data.draw(st.sampled_from(sorted(fitting)))
    value = fitting[changed]
    if isinstance(value, np.ndarray):
        wrong = data.draw(st.sampled_from([value[:0], value[:-1], np.concatenate([value, value])]))
    else:
        wrong = data.draw(st.sampled_from([-1, 0, 1, 64, 65, 128, 129]))
    with suppress(ValueError):
        assert engine.call(name, *(fitting | {changed: wrong}).values()) == ()
