# SPDX-License-Identifier: BSD-3-Clause
"""The version of the package; pyproject.toml and CMake read it here."""

__version__ = "0.1.0"
