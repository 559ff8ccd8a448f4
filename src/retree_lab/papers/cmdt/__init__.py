"""What is only about the paper cmdt."""
