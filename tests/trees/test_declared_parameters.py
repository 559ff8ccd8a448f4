"""Every parameter of every estimator is described, with its default, and each is checked."""

import inspect
from dataclasses import fields

import numpydoc.docscrape
import pytest

import retree
from retree.trees.declaring import Declared

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
                cls(**{each.name: object()})._check_parameters()


@pytest.mark.parametrize("number", [10**30, -(10**30), 10**400], ids=["large", "low", "digits"])
@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_a_number_of_any_size_is_taken_or_refused_by_name(cls, number):
    """What no argument of the engine and no floating-point number can be is no other error."""
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 3, [0, 1, 0, 1] * 3
    for each in fields(cls):
        if each.metadata.get("check") and "Thinner" not in cls.__name__:
            model, refusal = cls(**{each.name: number}), each.name
            try:
                model._check_parameters()
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
