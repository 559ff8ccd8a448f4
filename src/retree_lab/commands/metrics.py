"""List the metrics that a study can name.

With a word, list only those with it in their key, meaning or papers. A study may also name a
function, such as sklearn.metrics:cohen_kappa_score, or one of its own.
"""

from __future__ import annotations

from retree_lab.commands.methods import add_arguments, run

__all__ = ["add_arguments", "run"]
