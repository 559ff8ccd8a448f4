"""A study of one regression problem and two methods, to be written to a folder."""

from __future__ import annotations

from pathlib import Path

PAPER = """\
title: Mine
authors: Me
reference: None
items:
  table1:
    kind: metric_table
    caption: Error
    protocol: cv5
    metrics: [r2, {metric}]
    datasets: [made]
    methods: [{methods}]
"""
MADE = "sklearn: make_friedman1\narguments: {n_samples: 60, random_state: 0}\ntask: regression\n"


def write(folder: Path, metric: str, methods: dict[str, str], code: str) -> Path:
    """Write the study to `folder` and return it.

    Parameters
    ----------
    folder : Path
        Where it goes.
    metric : str
        The metric that is shown after r2.
    methods : dict of str to str
        The methods by key, in YAML.
    code : str
        The content of ``estimators.py``.
    """
    files = {
        "paper.yaml": PAPER.format(metric=metric, methods=", ".join(methods)),
        "methods/trees.yaml": "".join(f"{key}: {text}\n" for key, text in methods.items()),
        "datasets/made.yaml": MADE,
        "estimators.py": code,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
