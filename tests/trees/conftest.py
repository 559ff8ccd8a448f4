"""Beside the helpers of the tests of trees, so that pytest lets the folders below import them."""
