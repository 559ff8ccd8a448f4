"""Every parameter of every estimator is described, with its default, and each is checked."""

import inspect
from dataclasses import fields

import numpy as np
import numpydoc.docscrape
import pytest
from every_classifier import EVERY
from sklearn.base import clone

import retree
from retree.trees.declaring import Declared
from retree_lab.experiments.storing.outcomes import cell_digest

CLASSES = [getattr(retree, name) for name in retree.__all__]
DECLARED = [cls for cls in CLASSES if isinstance(cls, type) and issubclass(cls, Declared)]


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_every_parameter_is_described_with_its_default(cls):
    described = numpydoc.docscrape.NumpyDocString(cls.__doc__)["Parameters"]
    types = {each.name: each.type for each in described}
    assert set(types) == {each.name for each in fields(cls)}
    assert all(each.desc for each in described)
    for each in fields(cls):
        shown = f'"{each.default}"' if isinstance(each.default, str) else repr(each.default)
        assert types[each.name].endswith(f", default={shown}")


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_every_default_is_valid_and_nothing_is_positional(cls):
    for each in fields(cls):
        if check := each.metadata.get("check"):
            check(each.name, each.default)
    with pytest.raises(TypeError, match="positional"):
        cls(None)


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_values_out_of_bounds_are_refused_by_name(cls):
    for each in fields(cls):
        if each.metadata.get("check"):
            with pytest.raises((ValueError, TypeError), match=each.name):
                cls(**{each.name: object()}).check_parameters()


@pytest.mark.parametrize("number", [10**30, -(10**30), 10**400], ids=["large", "low", "digits"])
@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_a_number_of_any_size_is_taken_or_refused_by_name(cls, number):
    """What no argument of the engine and no floating-point number can be is no other error."""
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 3, [0, 1, 0, 1] * 3
    for each in fields(cls):
        if each.metadata.get("check") and "Thinner" not in cls.__name__:
            model, refusal = cls(**{each.name: number}), each.name
            try:
                model.check_parameters()
            except (ValueError, TypeError) as error:
                refusal = str(error)
            else:
                model.fit(X, y)
            assert each.name in refusal


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_names_of_parameters_are_those_of_the_signature(cls):
    class Other(cls):
        def __init__(self, more=1):
            super().__init__()
            self.more = more

    assert set(cls().get_params(deep=False)) == set(inspect.signature(cls).parameters)
    assert Other(more=2).get_params() == {"more": 2}


@pytest.mark.parametrize("pruning", [None, "reduced_error", "cost_complexity", "ebp"])
@pytest.mark.parametrize("name", [n for n, m in EVERY.items() if "random_state" in m.get_params()])
def test_what_depends_on_no_seed_is_equal_for_all_seeds(name, pruning):
    model = clone(EVERY[name])
    if "pruning" in model.get_params():
        model.set_params(pruning=pruning)
    elif pruning is not None:
        pytest.skip("it has no such parameter")
    rng = np.random.default_rng(0)
    # Few values, so that many tests tie.
    X = rng.integers(3, size=(90, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(3, size=90) > 3).astype(int)

    def digest(seed):
        made = clone(model).set_params(random_state=seed).fit(X, y)
        return cell_digest(made, made.predict(X))

    assert model.depends_on_seed or len({digest(seed) for seed in range(6)}) == 1
