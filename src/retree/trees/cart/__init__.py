"""CART: classification and regression trees (Breiman, Friedman, Olshen and Stone 1984)."""

from retree.trees.cart.estimators import CartClassifier, CartRegressor, CodedCartClassifier

__all__ = ["CartClassifier", "CartRegressor", "CodedCartClassifier"]
