"""Many kernels in one program, so that tools that start slowly run once."""

import re


def renamed(text, prefix):
    """Return a program whose functions have names that begin with a prefix."""
    return re.sub(r"^(\s*func\s+@)", rf"\g<1>{prefix}_", text, flags=re.MULTILINE)


def merged(texts):
    """Return one program of the functions of several.

    Args:
        texts: programs that define no compile-time variables, by names that are words.
    """
    return "\n".join(renamed(text, name) for name, text in texts.items())
