"""The Python of the papers, a package each: their own kinds of tables, estimators and data sets."""
