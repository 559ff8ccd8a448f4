"""Puts this folder on the path: the helpers of its tests serve the folders below it too."""
