"""CART: classification and regression trees (Breiman, Friedman, Olshen and Stone 1984)."""

from retree.trees.cart.cart_classifier import CartClassifier
from retree.trees.cart.cart_regressor import CartRegressor
from retree.trees.cart.coded_cart import CodedCartClassifier

__all__ = ["CartClassifier", "CartRegressor", "CodedCartClassifier"]
