# SPDX-License-Identifier: BSD-3-Clause
"""Keywords of launches that are not parameters."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import hint

# Parameters of these names are given in a mapping.
LAUNCH_OPTIONS = ("groups", "queue", "depends", "verify", "copy")

# What keywords of other libraries mean.
_OTHERS = {
    **dict.fromkeys(("grid", "num_groups"), "; did you mean 'groups'?"),
    **dict.fromkeys(("device", "stream"), "; did you mean 'queue'?"),
    "target": "; pass it to compile",
}


def keyword_hint(name: str, parameters: Sequence[str]) -> str:
    """Return what a caller may have meant by a keyword, an empty text if that is not known.

    >>> keyword_hint("grid", ["A"]), keyword_hint("a", ["A"]), keyword_hint("x", ["A"])
    ("; did you mean 'groups'?", "; did you mean 'A'?", '')
    """
    names = (*parameters, *LAUNCH_OPTIONS)
    same = next((each for each in names if each.lower() == name.lower()), None)
    if same is not None:
        return f"; did you mean {same!r}?"
    return _OTHERS.get(name) or hint(name, names)
