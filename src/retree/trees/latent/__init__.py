"""Trees that grow on latent features, which are linear combinations of the features."""
