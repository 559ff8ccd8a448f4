"""Tables that somebody pastes: read, checked, and searched for the program behind them."""
