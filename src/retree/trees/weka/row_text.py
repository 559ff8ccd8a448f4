"""Seeds that Weka computes from the text of a row (``Instances.getRandomNumberGenerator``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retree.java_random import JavaRandom
from retree.trees.declaring import Declared, parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.validation import one_of

RELEASES = ("3.6", "3.7.12", "3.9")
_DIGITS = 6
_LONG = 2.0**63
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"',
            "%": "\\%", "\u001e": "\\u001E"}  # fmt: skip


@parameters
class WithRowTexts(Declared):
    """Seeds that depend on the text of a row.

    Parameters
    ----------
    weka : {"3.6", "3.7.12", "3.9"}
        Weka release that it equals, see above.
    class_names : sequence or None
        Names of the classes in Weka's file, if y has 0, 1, ... instead: seeds are computed from the
        text of a row, which includes its class.
    """

    weka: Literal["3.6", "3.7.12", "3.9"] = parameter(default="3.9", check=one_of(*RELEASES))
    class_names: Sequence[Any] | None = parameter(default=None, neutral=True)


class RowTexts:
    """The text of each training row as in Weka's files, with the class last.

    Shapes: `X` (n_samples, n_features), `y` (n_samples,).
    `levels`: the texts of each categorical column's levels, None for a numeric column.
    `classes`: the texts of the classes.
    `release`: of Weka; since 3.7.13 it writes numbers in another way.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.int32],
        levels: Sequence[Sequence[Any] | None],
        classes: Sequence[Any],
        release: str,
    ) -> None:
        self._X, self._y = X, y
        self._levels = [each if each is None else _level_texts(each) for each in levels]
        self._classes = _level_texts(classes)
        self._number = new_number_text if release == "3.9" else old_number_text

    def seed(self, seed: int, rows: NDArray[np.integer[Any]]) -> int:
        """Return the seed that Weka computes from `seed` and the text of a random one of `rows`."""
        row = rows[JavaRandom(seed).below(len(rows))]
        return java_hash(self.of_row(int(row))) + seed

    def of_row(self, row: int) -> str:
        """Return the text of a row."""
        cells = zip(self._X[row].tolist(), self._levels, strict=True)
        texts = [self._cell(value, levels) for value, levels in cells]
        return ",".join([*texts, self._classes[self._y[row]]])

    def _cell(self, value: float, levels: Sequence[str] | None) -> str:
        if math.isnan(value):
            return "?"
        return self._number(value) if levels is None else levels[int(value)]


def _level_texts(levels: Sequence[Any]) -> list[str]:
    return [quoted(str(level)) for level in levels]


def texts_of(sample: Sample, estimator: Any) -> RowTexts:
    """Return the texts of the rows of `sample`, which `estimator` has checked."""
    names = estimator.class_names
    order = estimator.class_order_
    classes = order if names is None else [names[c] for c in order]
    return RowTexts(sample.X, sample.y, estimator.categories_, classes, estimator.weka)


def java_hash(text: str) -> int:
    """Return Java's ``text.hashCode()``, an int of 32 bits."""
    units = np.frombuffer(text.encode("utf-16-le"), "<u2").tolist()
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (value >> 31 << 32)


def old_number_text(value: float) -> str:
    """Return the text of a number in Weka up to 3.7.12."""
    scaled = value * 10.0**_DIGITS
    if not abs(scaled) < _LONG:
        return java_double_text(value)
    whole = int(abs(scaled) + 0.5)
    sign = "-" if value < 0 and whole else ""
    digits = str(whole).rjust(_DIGITS + 1, "0")
    return sign + f"{digits[:-_DIGITS]}.{digits[-_DIGITS:]}".rstrip("0").rstrip(".")


def new_number_text(value: float) -> str:
    """Return the text of a number in Weka since 3.7.13, by Java's ``DecimalFormat``."""
    whole, _, fraction = repr(value).partition(".")
    if 0 < len(fraction) <= _DIGITS and "e" not in fraction:
        return whole if fraction == "0" else f"{whole}.{fraction}"
    number = Decimal(repr(value))
    if int(number.as_tuple().exponent) < -_DIGITS:
        number = Decimal(value).quantize(Decimal(1).scaleb(-_DIGITS), ROUND_HALF_UP)
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def java_double_text(value: float) -> str:
    """Return Java's ``Double.toString`` for a number of at least 10^7."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    plain = "".join(map(str, digits))
    power = len(plain) - 1 + int(exponent)
    fraction = plain[1:].rstrip("0") or "0"
    return f"{'-' * sign}{plain[0]}.{fraction}E{power}"


def quoted(text: str) -> str:
    """Return a level in the quotes that Weka gives it."""
    escaped = "".join(_ESCAPES.get(c, c) for c in text)
    needs = escaped != text or text in ("", "?") or any(c in "{}, " for c in text)
    return f"'{escaped}'" if needs else text
