"""Compiled kernels: small pure functions on arrays, nothing else."""
