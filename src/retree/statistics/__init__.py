"""Paired tests, and the verdict on a reproduced number."""

from retree.statistics.agreement import Verdict, tolerance, verdict
from retree.statistics.paired import PairedTest, paired_t_test

__all__ = ["PairedTest", "Verdict", "paired_t_test", "tolerance", "verdict"]
