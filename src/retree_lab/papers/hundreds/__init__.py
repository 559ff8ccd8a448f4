"""What is only about the paper hundreds."""
