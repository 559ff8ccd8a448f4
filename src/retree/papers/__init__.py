"""Kinds of tables and figures that serve one paper only, a folder for each paper."""
