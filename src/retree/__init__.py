"""retree: decision-tree papers regenerated, and their algorithms as scikit-learn estimators.

The names below are imported from their modules on first use, so that `import retree` costs nothing.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "1.0.0rc1"

# The stub says of each name in which module it is; `scripts/declared.py` writes it.
_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOMES = {
    name: module for module, name in re.findall(r"^from (\S+) import \(?\s*(\w+) as", _STUB, re.M)
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import an estimator, or a function, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'retree' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """Return the names of this module, including those not imported yet."""
    return sorted({*globals(), *_HOMES})
