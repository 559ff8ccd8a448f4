"""Trees: one structure, one module a family, kernels on plain arrays."""
