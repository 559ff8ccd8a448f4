"""Elementary functions are the nearest doubles, by Python's decimal numbers; sums as defined."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import examples
from scipy.special import entr, ndtri

from retree import engine
from retree.arithmetic import entropies, fdlibm_exps, log, row_sums, sum_of

positive = st.floats(5e-324, allow_infinity=False)


def computed(name, *arguments):
    found = np.empty(len(arguments[0]))
    engine.call(name, *(np.asarray(a, float) for a in arguments), found)
    return found.tolist()


def exact(function, *arguments):
    """Return the double nearest to what `function` of decimal numbers is."""
    with localcontext() as context:
        context.prec = 60
        return float(function(*map(Decimal, arguments)))


def exact_log2(x):
    return x.ln() / Decimal(2).ln()


def some_positive(n):
    rng = np.random.default_rng(0)
    return np.abs(np.concatenate([
        10.0 ** rng.uniform(-308, 308, n), 1 + 10.0 ** -rng.uniform(1, 15, n) * rng.normal(size=n),
        rng.integers(1, 10**7, n), rng.uniform(0, 2, n), 2.0 ** rng.integers(-1074, 1023, n),
    ]))  # fmt: skip


@pytest.mark.parametrize(("name", "function"), [("log", Decimal.ln), ("log2", exact_log2)])
def test_logarithms_are_the_nearest_doubles(name, function):
    x = some_positive(400)
    assert computed(name, x) == [exact(function, value) for value in x.tolist()]


def test_whole_logarithms_are_whole():
    exponents = np.arange(-1074.0, 1024.0)
    assert computed("log2", np.exp2(exponents)) == exponents.tolist()


def test_exponentials_are_the_nearest_doubles():
    rng = np.random.default_rng(1)
    edges = np.arange(-300, 300) * (np.log(2) / 128)  # where steps of the table end, and between
    small = 10.0 ** -rng.uniform(0, 320, 200) * rng.choice([-1, 1], 200)
    x = np.concatenate([rng.uniform(-708, 709, 1000), rng.normal(size=500), edges, small, [0, 1]])
    assert computed("exp", x) == [exact(Decimal.exp, value) for value in x.tolist()]
    assert computed("exp", [-750.0, 750.0, -np.inf, np.inf]) == [0.0, np.inf, 0.0, np.inf]
    assert computed("exp", [-740.0]) == pytest.approx([np.exp(-740.0)], rel=0.1)


def test_powers_are_the_nearest_doubles():
    rng = np.random.default_rng(2)
    base, exponent = rng.uniform(0, 0.5, 1000), 1 / rng.uniform(0.1, 1e4, 1000)
    base[:500], exponent[:500] = 0.25, 1 / np.arange(1, 501)
    pairs = zip(base.tolist(), exponent.tolist(), strict=True)
    assert computed("power", base, exponent) == [exact(Decimal.__pow__, *pair) for pair in pairs]


@given(positive)
@examples
def test_any_positive_number_has_a_logarithm(x):
    assert log(x) == exact(Decimal.ln, x)


@pytest.mark.parametrize("name", ["log", "log2"])
def test_logarithms_of_odd_numbers(name):
    assert computed(name, [0.0, np.inf]) == [-np.inf, np.inf]
    assert np.isnan(computed(name, [-1.0, np.nan])).all()


def test_normal_quantiles():
    # Numbers of which the share is a double, to 20 digits; 0.975 is none.
    assert computed("normal_quantile", [0.5, 0.75]) == [0.0, 0.67448975019608174320]
    assert computed("normal_quantile", [0.975]) == pytest.approx([1.959963984540054], rel=1e-15)
    shares = np.append(np.linspace(0.5, 0.9999, 300), 1 - 10.0 ** -np.arange(1.0, 16))
    found = computed("normal_quantile", shares)
    np.testing.assert_allclose(found, ndtri(shares), rtol=2e-15)
    assert computed("normal_quantile", [1.0]) == [np.inf]


def added_up(values, start=0.0):
    # Python's own `sum` compensates since 3.12.
    for value in values:
        start += value
    return start


def by_halves(values):
    n = len(values)
    if n > 128:
        half = n // 2 // 8 * 8
        return by_halves(values[:half]) + by_halves(values[half:])
    lanes, rest = (values[: n // 8 * 8], values[n // 8 * 8 :]) if n >= 8 else ([], values)
    a = [added_up(lanes[i::8]) for i in range(8)]
    return added_up(rest, ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])))


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 23, 127, 128, 129, 136, 300, 1001, 20_000])
def test_sums_are_added_up_by_halves(n):
    values = np.random.default_rng(n).normal(size=(2, n))
    assert row_sums(values).tolist() == [by_halves(row) for row in values.tolist()]
    assert sum_of(values[0]) == row_sums(values)[0]
    np.testing.assert_allclose(row_sums(values), values.sum(axis=1), rtol=1e-9)


def test_entropies():
    shares = np.random.default_rng(3).dirichlet(np.ones(4), 50)
    shares[0] = [0.0, 0.5, 0.5, 0.0]
    assert entropies(shares)[0] == 1.0
    np.testing.assert_allclose(entropies(shares), entr(shares).sum(axis=1) / np.log(2), rtol=1e-14)


# As Java's ``StrictMath.exp``, which is not the nearest double of the first six.
@pytest.mark.parametrize(
    ("x", "found"),
    [
        ("0x1.c896f15d44d6ep-2", "0x1.8fd72bbe7f012p+0"),
        ("0x1.b58d98c4d0fccp-2", "0x1.8879db91e7354p+0"),
        ("-0x1.7a6d84961968cp+1", "0x1.aa00bd45b156cp-5"),
        ("0x1.bf434917ccc2cp+0", "0x1.6f3c4e79cf7d0p+2"),
        ("0x1.d683b0a3ecc7ap+7", "0x1.52d3c3f234a98p+339"),
        ("-0x1.af8faaa79348dp+8", "0x1.4f2e8d4b5eec2p-623"),
        ("0x0p+0", "0x1p+0"),
        ("0x1p-30", "0x1.00000004p+0"),
    ],
)
def test_exponentials_of_fdlibm_are_javas(x, found):
    assert fdlibm_exps([float.fromhex(x)]).tolist() == [float.fromhex(found)]
