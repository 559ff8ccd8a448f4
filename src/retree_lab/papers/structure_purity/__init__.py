"""What is only about the paper structure_purity."""
