# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as machine code of this processor, which need no driver."""
