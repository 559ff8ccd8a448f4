"""What the published numbers of a paper, beside ours, say: frames, and sections that show them."""
