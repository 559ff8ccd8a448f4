"""What the audit of a paper's published tables has to know of them, read from its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from retree.errors import RetreeError, unknown_name
from retree_lab.experiments.definition.claims import Claim, CountCheck


@dataclass(frozen=True)
class OddSizes:
    """Numbers of nodes of binary trees, which are odd."""

    metric: str  # By which the paper counts nodes
    # The sets that have no tests of more than two branches; none means all.
    datasets: tuple[str, ...] = ()
    members: int = 1  # Trees in a forest, if the published size is that of a forest


@dataclass(frozen=True)
class AuditPlan:
    """Facts about a paper's tables that an audit needs."""

    folds: int  # Of the cross-validation that all published numbers are means over
    repeats: int = 1  # Of that cross-validation
    # By table of means and metric, the table whose cells they are the means of.
    means: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    odd: tuple[OddSizes, ...] = ()  # Sizes of which the parity is known
    # By method, the one beside it that bears a star where the two differ significantly.
    marks: Mapping[str, str] = field(default_factory=dict)
    recount: tuple[str, ...] = ()  # Names of the claims whose numbers are counted again
    cut: bool = False  # Whether numbers are cut after their last digit, not rounded

    @property
    def runs(self) -> int:
        """How many numbers a published one is the mean of."""
        return self.folds * self.repeats


def check_audit(plan: AuditPlan, items: Iterable[str], claims: Iterable[Claim]) -> None:
    """Refuse the plan of a paper's ``audit`` that names what does not exist."""
    used = {table for metrics in plan.means.values() for table in metrics.values()}
    _check_known("item", [*plan.means, *sorted(used)], list(items))
    by_name = {claim.name: claim for claim in claims}
    _check_known("claim", plan.recount, list(by_name))
    for name in plan.recount:
        if not isinstance(by_name[name].check, CountCheck):
            raise RetreeError(f"audit.recount: claim {name} counts nothing; leave it out.")
        if by_name[name].our_choice:
            raise RetreeError(
                f"audit.recount: claim {name} is checked by a measure of our choice, so that the "
                "tables cannot contradict it; leave it out."
            )


def _check_known(kind: str, names: Iterable[str], valid: list[str]) -> None:
    for name in names:
        if name not in valid:
            raise unknown_name(kind, name, valid)
