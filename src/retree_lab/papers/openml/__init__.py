"""What is only about the paper openml."""
