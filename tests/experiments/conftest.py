import pytest
import toy_benchmark

from retree.experiments import registry


@pytest.fixture(autouse=True)
def toy_estimators(monkeypatch):
    monkeypatch.setattr(registry, "ESTIMATORS", dict(registry.ESTIMATORS))
    toy_benchmark.register(registry.ESTIMATORS)
