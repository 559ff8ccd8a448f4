"""What is only about the paper landmarkers."""
