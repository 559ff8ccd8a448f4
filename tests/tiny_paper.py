"""A paper of two small items in a configuration of its own, for commands on committed results."""

from __future__ import annotations

import shutil
from pathlib import Path

from retree_lab import paths
from retree_lab.cli import main

ARGUMENTS = ["-j", "1", "paper=tiny"]
PAPER = """\
title: Tiny
authors: A. Author
reference: Journal 1, 2000
doi: null
grid: {k: [2, 3], omega2: [0.01]}
items:
  table1:
    kind: metric_table
    caption: Accuracy
    metrics: [accuracy, leaves]
    datasets: [iris, xor]
    methods: [gini, bnm_csn_gini]
    select: [best_test]
    baseline: gini
  figure1:
    kind: retree_lab.papers.structure_purity.regions:DecisionRegions
    caption: Regions
    protocol: whole
    datasets: [xor]
    methods: [gini]
    vary: {max_depth: [1, 2]}
"""
CLAIMS = """\
- name: better
  place: section 1
  text: One is better.
  check:
    kind: count
    item: table1
    metric: accuracy
    of: [bnm_csn_gini]
    relation: ">"
    than: [gini]
    at_least: 1
"""


def write_configuration(folder: Path) -> Path:
    """Write retree's configuration with the paper ``tiny`` to `folder`, and return its root."""
    conf = folder / "conf"
    shutil.copytree(paths.conf_dir(), conf)
    tiny = conf / "paper" / "tiny"
    tiny.mkdir()
    (tiny / "paper.yaml").write_text(PAPER)
    (tiny / "claims.yaml").write_text(CLAIMS)
    return conf


def render_all() -> None:
    """Compute and render the paper in the current folder."""
    assert main(["run", "--report", *ARGUMENTS, "item=all"]) == 0
