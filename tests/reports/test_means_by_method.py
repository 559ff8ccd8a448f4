"""Means over the data sets, a row for each method."""

from dataclasses import replace

from toy_paper import (
    BASE,
    NEW,
    cells,
    context_of,
    frame_of,
    make_item,
    toy_experiment,
    toy_paper,
    toy_plan,
)

from retree_lab import reports

DATASETS = ("waveform1_R", "waveform0_R", "xor")
RULE = replace(NEW, key="base_rule", name="Ruled")
OPTIONS = {
    **{"metrics": ["accuracy", "leaves"], "baseline": ["base"], "by_method": True},
    "notes": ["Pure nodes too."],
}


def rendered(tmp_path, *methods):
    paper = toy_paper(tmp_path)
    paper = replace(paper, items={**paper.items, "stopping": {"datasets": list(DATASETS)}})
    item = make_item("stopping", "metric_table", DATASETS, methods, OPTIONS, caption="Stopping")
    frame = frame_of(
        *(cells(name, "base", [0.5] * 5, leaves=9.0) for name in DATASETS),
        cells("waveform1_R", "base_rule", [0.8] * 5, leaves=3.0),
        cells("waveform0_R", "base_rule", [0.4] * 5, leaves=6.0),
        cells("xor", "base_rule", [0.6] * 5, leaves=9.0),
    )
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame))
    return {path.suffix: path.read_text() for path in paths}


def test_means_beside_those_of_the_first_of_the_group(tmp_path):
    files = rendered(tmp_path, BASE, RULE)
    assert "| method | accuracy | leaves |" in files[".md"]
    assert "| Base | 0.5000 | 9.0 |" in files[".md"]
    # More accurate on two sets and less on one, smaller on two.
    assert "| Ruled | 0.6000 (2, 1) | 6.0 (0, 2) |" in files[".md"]
    assert "Pure nodes too." in files[".md"]
    assert "MEAN" not in files[".csv"]
