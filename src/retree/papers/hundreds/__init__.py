"""The kinds of Fernández-Delgado et al. (2014)."""
