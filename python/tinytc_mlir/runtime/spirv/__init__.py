# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as SPIR-V on SYCL devices: drivers, their builds, and what is kept of them."""
