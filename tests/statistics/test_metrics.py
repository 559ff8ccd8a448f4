"""The printed quantities as functions of the results of cells."""

import pandas as pd
import pytest

from retree.errors import UnknownNameError
from retree_lab.statistics.metrics import METRICS, MetricKind, find_metric

CELLS = pd.DataFrame(
    {"accuracy": [0.75, 1.0], "depth": [3.0, 4], "leaves": [5.0, 6], "nodes": [9.0, 11]}
).assign(cpu_seconds=[0.002, 0.003], fit_seconds=[0.004, 0.005], accuracy_632=[0.8, 1.0])
WITHOUT_COLUMN = (MetricKind.RATIO, MetricKind.COUNT, MetricKind.STATISTIC)


@pytest.mark.parametrize(
    ("name", "values", "smaller_is_better"),
    [
        ("accuracy", [0.75, 1.0], False),
        ("accuracy_pct", [75.0, 100.0], False),
        ("error_pct", [25.0, 0.0], True),
        ("tree_size", [9.0, 11.0], True),
        ("train_ms_10_trees", [20.0, 30.0], True),
        ("train_wall_ms_10_trees", [40.0, 50.0], True),
    ],
)
def test_values(name, values, smaller_is_better):
    metric = find_metric(name)
    assert metric.of(CELLS).tolist() == pytest.approx(values)
    assert metric.smaller_is_better == smaller_is_better


def test_every_metric_has_its_name_and_column():
    assert all(metric.name == name for name, metric in METRICS.items())
    without = {name for name, metric in METRICS.items() if not metric.column}
    assert all(metric.column in CELLS for metric in METRICS.values() if metric.name not in without)
    of_tables = {name for name, metric in METRICS.items() if metric.kind in WITHOUT_COLUMN}
    assert without == of_tables | {"relief_weight", "accuracy_gain_pct"}


def test_an_unknown_metric_is_named():
    with pytest.raises(UnknownNameError, match="accuracy_pct"):
        find_metric("acuracy_pct")
