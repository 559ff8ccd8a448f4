"""What is only about the paper rockflows."""
