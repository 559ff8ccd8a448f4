"""OC1 and CART-LC: trees whose tests compare weighted sums of features with thresholds."""
