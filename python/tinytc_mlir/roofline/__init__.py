# SPDX-License-Identifier: BSD-3-Clause
"""What a device can do at most, measured with kernels, and how near others come to that."""
