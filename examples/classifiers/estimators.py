"""Data sets and estimators of this study."""

from sklearn.datasets import load_digits


def threes_and_eights():
    """Return the images of the digits 3 and 8, and which of the two they are."""
    X, y = load_digits(return_X_y=True, as_frame=True)
    wanted = y.isin([3, 8])
    return X[wanted], y[wanted]
