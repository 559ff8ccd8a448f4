"""C4.5rules: the rules of an unpruned tree, shortened, chosen and ordered."""
