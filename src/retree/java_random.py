"""Java's random number generator, with which Weka shuffles and draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine

_FACTOR, _INCREMENT, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1


class JavaRandom:
    """The numbers of ``java.util.Random``, a linear congruential generator, bit by bit.

    References
    ----------
    Java SE specification, class ``java.util.Random``.
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _FACTOR) & _MASK

    def _next(self, bits: int) -> int:
        """Return the upper `bits` of the next state, without a sign."""
        self._state = (self._state * _FACTOR + _INCREMENT) & _MASK
        return self._state >> (48 - bits)

    def below(self, bound: int) -> int:
        """Return ``nextInt(bound)``, which is in ``range(bound)``."""
        if bound & (bound - 1) == 0:
            return (bound * self._next(31)) >> 31
        while True:
            bits = self._next(31)
            value = bits % bound
            if bits - value + bound <= 1 << 31:
                return value

    def integer(self) -> int:
        """Return ``nextInt()``, which is in [-2**31, 2**31)."""
        bits = self._next(32)
        return bits - (bits >> 31 << 32)

    def share(self) -> float:
        """Return ``nextDouble()``, which is in [0, 1)."""
        return float((self._next(26) << 27) + self._next(27)) * 2.0**-53

    def draw(self, keep: NDArray[np.float64], other: NDArray[np.int32]) -> NDArray[np.int32]:
        """Draw as many rows as there are, by Walker's alias table.

        Shapes: `keep` (n_rows,), `other` (n_rows,), result (n_rows,).
        `keep`: a place is drawn from [0, n_rows); its whole part is the row if the place is below
        this limit.
        `other`: the row that is drawn otherwise.
        """
        state, drawn = np.array([self._state], np.uint64), np.empty(len(keep), np.int32)
        engine.call("weka_draw", keep, other, state, drawn)
        self._state = int(state[0])
        return drawn

    def copy(self) -> JavaRandom:
        """Return a generator in the same state."""
        other = JavaRandom(0)
        other._state = self._state
        return other

    def shuffle(self, rows: list[Any]) -> None:
        """Shuffle `rows` in place as ``weka.core.Instances.randomize`` does."""
        for i in range(len(rows) - 1, 0, -1):
            j = self.below(i + 1)
            rows[i], rows[j] = rows[j], rows[i]
