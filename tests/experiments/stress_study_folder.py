"""Where the study of cells in trouble is."""

from pathlib import Path

STUDY = Path(__file__).parents[1] / "stress_study"
