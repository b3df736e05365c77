# SPDX-License-Identifier: BSD-3-Clause
"""Tools by which other projects' code generators take kernels of this package."""
