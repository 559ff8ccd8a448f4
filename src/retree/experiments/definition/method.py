"""A method of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retree.experiments.definition.limits import Limits
from retree.study.registry import Registered, find_estimator


@dataclass(frozen=True)
class Method:
    """A method of a paper: an estimator, its fixed parameters, and the parameters to tune."""

    key: str  # Its name in configuration files
    name: str  # The name in the paper's tables, and what it does
    title: str = ""
    estimator: str | None = None  # Name in the registry; None if the method is `missing`
    # Parameters of the estimator; those of `tune` give way to the paper's grid.
    params: Mapping[str, Any] = field(default_factory=dict)
    tune: tuple[str, ...] = ()  # Parameters that the paper's grid varies, the slowest first
    missing: str | None = None  # Why the method cannot be run, or None
    # Whether `fit` also gets the features of the test rows, as ``X_unlabelled``.
    transductive: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)  # Facts for tables that describe methods
    # What a cell of it may take; those of the execution count where it sets none.
    limits: Limits = field(default_factory=Limits)
    file: Path | None = None
    # Declared for an estimator in a study's own Python file; None: its sources count.
    version: int | str | None = None
    study: Path | None = None  # The folder of the study whose item has the method
    # Whether its results are kept though its sources have moved since `version`, their state.
    reused: bool = False

    @property
    def registered(self) -> Registered:
        """Where its estimator lives, and the estimator's version."""
        return find_estimator(str(self.estimator), self.home, self.version)

    @property
    def home(self) -> Path | None:
        """The folder of the code of a study's own estimators and metrics."""
        return self.study or (None if self.file is None else self.file.parent.parent)
