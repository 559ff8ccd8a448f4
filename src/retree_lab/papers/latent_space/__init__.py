"""What is only about the paper latent_space."""
