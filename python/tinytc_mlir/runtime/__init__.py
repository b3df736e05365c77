# SPDX-License-Identifier: BSD-3-Clause
"""From a compiled program to results: manifest, files, arguments, devices and launches."""
