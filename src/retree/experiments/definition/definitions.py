"""What an experiment is made of: typed, immutable values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retree.experiments.definition.audit_config import AuditPlan
from retree.experiments.definition.checks import Claim
from retree.experiments.definition.item import Item
from retree.experiments.definition.limits import Limits
from retree.experiments.definition.method import Method
from retree.experiments.definition.protocol import Protocol
from retree.statistics.equivalence import Margins


@dataclass(frozen=True)
class Execution:
    """Where cells are computed.

    Attributes
    ----------
    name, backend : str
        What it is called, and one of `retree.experiments.running.execution.BACKENDS`.
    jobs : int
        Batches at a time; -1: one for each core. On SLURM, the number of its jobs.
    address : str or None
        Of a dask scheduler.
    limits : Limits
        Of each cell whose method has no limits of its own.
    options : dict
        What a SLURM job asks for, by the names of ``dask_jobqueue.SLURMCluster``.
    shard : tuple of int, optional
        Which part of the cells is computed, and of how many, counted from 1.
    """

    name: str
    backend: str
    jobs: int
    address: str | None = None
    limits: Limits = field(default_factory=Limits)
    options: Mapping[str, Any] = field(default_factory=dict)
    shard: tuple[int, int] | None = None


@dataclass(frozen=True)
class Paper:
    """A paper: what it is, its parameter grid, its items (as configured), its published numbers.

    Attributes
    ----------
    name, called : str
        As one types it, and as readers call it: by authors and year.
    names : dict of str to str
        By key, the labels of methods, as published, where these are not the names in
        ``conf/method``, and those of data sets that have another one here.
    methods : dict of str to dict of str to str
        By item, the published names of its methods and of the rows that it defines, by key.
    claims : tuple of Claim
        Sentences of the paper as checks.
    audit : AuditPlan or None
        What the audit of the published tables has to know of them; None: there is no audit.
    remarks : dict of str to str
        What is known about a data set, method or item, by key or published name.
    tried : dict of str to str
        What was tried where a published number is not reproduced, by topic.
    folder : Path
        Where all this comes from: ``paper.yaml`` and what is beside it.
    how_published : dict
        ``published_protocol`` and ``tolerance`` of all items that do not say otherwise.
    our_data : tuple of str
        Data sets that are not the paper's, whose own ones are not known. Numbers on one of them
        are not judged, and means over several by the spread between data sets.
    drawn_anew : tuple of str
        Data sets that the paper drew from a known distribution: each replicate draws its own.
    margins : Margins
        Differences that do not matter.
    """

    name: str
    title: str
    authors: str
    reference: str
    doi: str | None
    grid: Mapping[str, list[Any]]
    items: Mapping[str, Mapping[str, Any]]
    errata: tuple[Mapping[str, Any], ...]
    remarks: Mapping[str, str]
    published: Path | None
    folder: Path
    names: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    audit: AuditPlan | None = None
    tried: Mapping[str, str] = field(default_factory=dict)
    how_published: Mapping[str, Any] = field(default_factory=dict)
    our_data: tuple[str, ...] = ()
    drawn_anew: tuple[str, ...] = ()
    margins: Margins = field(default_factory=Margins)
    called: str = ""


@dataclass(frozen=True)
class Experiment:
    """One composed experiment: items of a paper, or one method on one data set (kind `single`).

    Rendered files go to `results`, and cells to `store`; `committed` is the folder of results that
    cells are restored from and that nothing poorer is written to, None if there is no such.
    `overrides` are what was asked for on the command line.
    """

    paper: Paper
    items: tuple[Item, ...]
    protocol: Protocol
    execution: Execution
    sources: tuple[str, ...]
    results: Path
    store: Path
    dataset: str | None
    method: Method
    committed: Path | None = None
    overrides: tuple[str, ...] = ()
