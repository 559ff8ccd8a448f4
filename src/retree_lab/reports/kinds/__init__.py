"""The general kinds of tables and figures."""
