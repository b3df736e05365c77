# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a launch against the sizes and bounds that the manifest has."""
