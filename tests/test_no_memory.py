"""Too little memory is a MemoryError, wherever it runs out, and never the end of the process."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

# The limit grows step by step, so that memory runs out at another place each time.
PROGRAM = """
import resource

import numpy as np

import retree

def errors_until_there_is_enough(fit):
    unlimited, errors = resource.getrlimit(resource.RLIMIT_AS), []
    while True:
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + len(errors) * 2**20, unlimited[1]))
        try:
            fit()
            return errors
        except MemoryError as error:
            errors.append(str(error))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, unlimited)

rng = np.random.default_rng(0)
X, y = rng.normal(size=(60_000, 4)), rng.integers(0, 2, 60_000)
for name in ("C45", "Cart", "StructurePurity", "CartLC"):
    model = getattr(retree, name + "Classifier")(max_depth=2)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    expected = model.fit(X, y).predict(X)
    errors = errors_until_there_is_enough(lambda: model.fit(X, y))
    assert any("use fewer rows, columns or classes" in error for error in errors), (name, errors)
    assert (model.predict(X) == expected).all()
    print(name)
"""

# What an earlier fit freed would else stay with the process, and be enough for the next one.
GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


def test_fits_without_enough_memory():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=os.environ | GIVEN_BACK
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["C45", "Cart", "StructurePurity", "CartLC"]
