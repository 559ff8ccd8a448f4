"""The types of an arff's columns, found in linear time."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def linear_types() -> Iterator[None]:
    """Let liac-arff ask only whether a type is in braces, before it reads the levels.

    Its own pattern goes through every way of cutting levels at commas: 40 take it for years.
    """
    arff: Any = importlib.import_module("arff")
    before = arff._RE_TYPE_NOMINAL
    arff._RE_TYPE_NOMINAL = re.compile(r"\{.*\}$")
    try:
        yield
    finally:
        arff._RE_TYPE_NOMINAL = before
