"""C4.5 and ID3: estimators and growing; pruning stands in `retree.trees.pruning`."""
