"""Fitted models for other programs: documents, code in other languages, scikit-learn's trees."""
