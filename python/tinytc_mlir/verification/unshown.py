# SPDX-License-Identifier: BSD-3-Clause
"""Why something cannot be shown of a kernel: a result of verification, not an error."""

from __future__ import annotations


class Unshown(Exception):
    """A method does not apply to a kernel.

    Args:
        reason: why, as the end of "not shown: ...".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
