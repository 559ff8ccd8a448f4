"""C4.5 and ID3: estimators and growing; pruning is in `retree.trees.pruning`."""
