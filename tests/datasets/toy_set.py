"""A throw-away data set of five rows, as each source would hold it."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

TOY_YAML = """
name: toy
title: A throw-away set
aliases: [plaything]
sources:
  mirror: {file: toy}
  openml:
    id: 7
    target: kind
    labels: [{good: "1", bad: "2"}]
    levels: {colour: {rouge: red}}
  uci: {id: 9, drop: [id]}
raw:
  features: [size, colour]
  categorical: [colour]
  missing: ["?"]
  classes: {"1": 3, "2": 2}
prepare:
  - one_hot: {missing_level: "?"}
expect:
  n_instances: 5
  n_features: 4
  classes: {"1": 3, "2": 2}
note: Made for tests.
"""

DERIVED_YAML = """
name: toy_two
title: Class 2 against the rest
base: toy
prepare:
  - label_codes: {}
  - merge_classes: {groups: {two: ["2"]}, rest: other}
expect: {n_instances: 5, n_features: 2, classes: {two: 2, other: 3}}
"""

TOY_CSV = "size,colour,class\n1.5,red,1\n2,blue,2\n-0.0,,1\n0.1,red,2\n3,blue,1\n"

TOY_ARFF = """@relation toy
@attribute size numeric
@attribute 'the colour' {rouge, 'blue'}
@attribute kind {good, bad}
@data
1.5,rouge,good
2,'blue',bad
0,?,good
0.1,rouge,bad
3,'blue',good
"""

TOY_UCI = "id,Size,Colour,Kind\n1,1.5,red,1 \n2,2,blue,2\n3,0,?,1\n4,0.1, red,2\n5,3,blue,1\n"

_ROWS = [
    ("1.5", "red", "1"),
    ("2.0", "blue", "2"),
    ("0.0", "", "1"),
    ("0.1", "red", "2"),
    ("3.0", "blue", "1"),
]
TOY_SHA256 = hashlib.sha256("\n".join(sorted("\x1f".join(r) for r in _ROWS)).encode()).hexdigest()


def write_mirror(folder: Path, text: str = TOY_CSV) -> None:
    """Make `folder` a mirror that holds `text` as the set."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / "index.csv").write_text(f"name,sha256\ntoy,{digest}\n")
    (folder / "toy.csv.gz").write_bytes(gzip.compress(text.encode()))
