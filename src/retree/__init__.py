"""retree: decision-tree papers regenerated, and their algorithms as scikit-learn estimators.

The names below are imported from their modules on first use, so that `import retree` is fast.
"""

from importlib import import_module

__version__ = "1.0.0rc1"

# The stub says of each name in which module it is; `scripts/declared.py` writes it. Importing
# `pathlib` and `re` would take longer than all of this.
with open(f"{__file__}i", encoding="utf-8") as _stub:  # noqa: PTH123
    _imports = [line.split(" import ") for line in _stub.read().split("\nfrom ")[1:]]
_HOMES = {names.strip("( \n").split()[0]: module for module, names in _imports}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    """Import an estimator, or a function, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'retree' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """Return all names of this module, imported or not."""
    return sorted({*globals(), *_HOMES})
