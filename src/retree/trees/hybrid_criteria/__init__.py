"""Trees by the hybrid criteria that Du and Chen (2023) list beside their own, grown in Python."""
