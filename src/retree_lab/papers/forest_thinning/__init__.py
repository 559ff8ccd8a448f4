"""What is only about the paper forest_thinning."""
