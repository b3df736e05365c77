# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as operations of PyTorch and JAX; neither is imported before one is asked for."""
