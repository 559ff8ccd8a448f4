"""Arrays that nobody can change, resize or make writeable again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def frozen(name: str, array: Any, dtype: DTypeLike, ndim: int) -> NDArray[Any]:
    """Return a new C-contiguous array on the memory of a ``bytes`` object.

    The memory is copied unless it belongs to such an object already.
    """
    given = np.asarray(array)
    try:
        values = given.astype(dtype, order="C", casting="equiv", copy=False)
    except TypeError:
        raise ValueError(
            f"The {name} of a tree must be of type {np.dtype(dtype)}, not {given.dtype}."
        ) from None
    if values.ndim != ndim:
        raise ValueError(
            f"The {name} of a tree must have {ndim} dimensions, got shape {values.shape}."
        )
    owner: Any = values.base
    is_frozen = type(values) is np.ndarray and type(owner) is bytes and len(owner) == values.nbytes
    return np.ndarray(values.shape, values.dtype, owner if is_frozen else values.tobytes())
