"""Kinds of items of the paper latent_space."""
