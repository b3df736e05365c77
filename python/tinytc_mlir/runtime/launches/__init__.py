# SPDX-License-Identifier: BSD-3-Clause
"""Launches: from arguments of a call to a submitted kernel."""
