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
    """A method of a paper: an estimator, its fixed parameters, and the parameters to tune.

    Attributes
    ----------
    key : str
        Its name in configuration files.
    name, title : str
        The name in the paper's tables, and what it does.
    estimator : str or None
        Name in the registry; None if the method is `missing`.
    params : dict
        Parameters of the estimator; those of `tune` give way to the paper's grid.
    tune : tuple of str
        Parameters that the paper's grid varies, the slowest first.
    missing : str or None
        Why the method cannot be run, or None.
    transductive : bool
        Whether `fit` also gets the features of the test rows, as ``X_unlabelled``.
    about : dict
        Facts for tables that describe methods.
    limits : Limits
        What a cell of it may take; those of the execution count where it sets none.
    file : Path or None
        Where it is configured.
    version : int or None
        Declared for an estimator in a study's own Python file; None: its sources count.
    study : Path or None
        The folder of the study whose item has the method.
    reused : bool
        Whether its results are kept though its sources have moved since `version`, their state.
    """

    key: str
    name: str
    title: str = ""
    estimator: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    tune: tuple[str, ...] = ()
    missing: str | None = None
    transductive: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    file: Path | None = None
    version: int | str | None = None
    study: Path | None = None
    reused: bool = False

    @property
    def registered(self) -> Registered:
        """Where its estimator lives, and the estimator's version."""
        return find_estimator(str(self.estimator), self.home, self.version)

    @property
    def home(self) -> Path | None:
        """The folder of the code of a study's own estimators and metrics."""
        return self.study or (None if self.file is None else self.file.parent.parent)
