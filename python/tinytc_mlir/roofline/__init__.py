# SPDX-License-Identifier: BSD-3-Clause
"""The roofline of a device, measured with kernels, and how near others come to it."""
