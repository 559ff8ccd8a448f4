"""C4.5rules: the rules of an unpruned tree are shortened, selected and ordered."""
