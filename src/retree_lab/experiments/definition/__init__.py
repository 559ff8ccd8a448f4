"""What an experiment is made of: papers, items, methods, protocols and their options."""
