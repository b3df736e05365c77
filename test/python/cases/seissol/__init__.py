"""Chains of products as in SeisSol: their programs, what they mean, and launches."""
