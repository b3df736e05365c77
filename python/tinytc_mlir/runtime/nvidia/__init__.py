# SPDX-License-Identifier: BSD-3-Clause
"""Kernels on NVIDIA devices, by the CUDA driver."""
