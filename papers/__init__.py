"""The papers that retree regenerates: definitions, data sets and committed fold results."""
