"""Trees that are grown on latent features: linear combinations of the features."""
