# SPDX-License-Identifier: BSD-3-Clause
"""Launches and builds for tools: hooks, traces, and files of programs."""
