"""What is only about the paper pruning."""
