"""Weighted k-means, k-modes, k-prototypes and clustering by the distributions of levels.

All four start from centres or labels, and in every round move each centre to the middle of its
rows and each row to its nearest centre, the first where distances tie. They end when no round
lowers the cost, the sum of the distances between rows and centres; a round that would raise it is
not made. Clusters that lose all rows are dropped. A missing value (NaN) adds nothing to any
distance; a row without a value in any column that has a weight is in no cluster (label -1). A
cluster without a value in a column has there the middle of all rows.
"""

from retree.clustering.methods import Clustering, k_distributions, k_means, k_modes, k_prototypes

__all__ = ["Clustering", "k_distributions", "k_means", "k_modes", "k_prototypes"]
