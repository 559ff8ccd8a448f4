"""Relief-F (Kononenko 1994): weights of numeric and categorical columns by nearest neighbours."""

from retree.relief.relief_f import ReliefF, grouped_by_class, measure_columns

__all__ = ["ReliefF", "grouped_by_class", "measure_columns"]
