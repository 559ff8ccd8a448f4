import pytest
import toy_benchmark

from retree_lab.study import registry


@pytest.fixture(autouse=True, scope="module")
def toy_estimators():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "ESTIMATORS", dict(registry.ESTIMATORS))
        toy_benchmark.register(registry.ESTIMATORS)
        yield
