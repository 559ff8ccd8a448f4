"""The backends of joblib that cells can be computed by."""

from __future__ import annotations

from importlib import import_module

from joblib.parallel import BACKENDS

from retree.errors import RetreeError, unknown_name

LOKY, DASK = "loky", "dask"  # processes of this machine, and a cluster
# Packages that bring a backend, with the function that registers it.
_BRINGS = {"ray": ("ray.util.joblib", "register_ray")}


def check_backend(name: str) -> None:
    """Raise unless joblib has a backend of this name; what a package brings is registered."""
    if name in _BRINGS and name not in BACKENDS:
        module, register = _BRINGS[name]
        try:
            getattr(import_module(module), register)()
        except ImportError as error:
            raise RetreeError(f"execution.backend={name} needs: pip install {name}") from error
    if name not in (known := {DASK, *_BRINGS, *BACKENDS}):
        raise unknown_name("execution.backend", name, known)
