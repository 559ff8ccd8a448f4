"""What is not installed with the core of retree, and which extra has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from retree.errors import RetreeError

EXTRAS = {
    "plot": ("matplotlib",),
    "lab": ("arff", "hydra", "omegaconf", "openml", "requests", "retree_lab", "rich",
            "threadpoolctl", "yaml"),
    "site": ("docutils", "furo", "jinja2", "myst_parser", "numpydoc", "pygments", "sphinx"),
    "dask": ("distributed",),
    "interop": ("onnx", "shap"),
}  # fmt: skip
_EXTRA_OF = {package: extra for extra, packages in EXTRAS.items() for package in packages}


class MissingExtraError(RetreeError, ImportError):
    """Something needs a package that is not among those that the core of retree needs."""

    is_usage = True


@contextmanager
def needs_extra(what: str) -> Iterator[None]:
    """Say which extra to install if a package that is imported inside is missing.

    `what`: what needs it, as the message says it: "drawing a tree", "the command retree".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if (extra := _EXTRA_OF.get(package)) is None:
            raise
        text = f"{what} needs {package}, which is not installed: run pip install 'retree[{extra}]'."
        raise MissingExtraError(text[0].upper() + text[1:]) from error
