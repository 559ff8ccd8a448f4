"""Functions of the engine that only tests call, in a library of their own."""

import importlib.util

from retree import engine

FOLDER = engine._folder() / "testing"


def _other_library():
    """Return the module `retree.engine` once more, which loads the library for tests."""
    spec = importlib.util.spec_from_file_location("engine_parts_module", engine.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._folder = lambda: FOLDER
    return module


call = _other_library().call
