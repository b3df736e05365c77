# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: one page with all stages of a program side by side.

`explore(module)` returns the page. It needs nothing else: styles, script and texts are in it.
"""

from __future__ import annotations

from .page import Page, explore, notebook_html

__all__ = ["Page", "explore", "notebook_html"]
