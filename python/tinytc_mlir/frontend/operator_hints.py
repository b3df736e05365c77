# SPDX-License-Identifier: BSD-3-Clause
"""Hints for operators of other languages that expressions do not have."""

from __future__ import annotations

from tinytc_mlir.frontend.source import Note

_FORMS = {
    "pow(%a, %b)": ("^", "**"),
    "rem(%a, %b)": ("%",),
    "and(%a, %b)": ("&", "&&", "and"),
    "or(%a, %b)": ("|", "||", "or"),
    "xor(%a, %b)": ("xor",),
    "not(%a)": ("!", "not"),
    "shl(%a, %b)": ("<<",),
    "shr(%a, %b)": (">>",),
    "%a / %b": ("//",),
    "%c ? %a : %b": ("if",),
}
_ADVICE = {word: f"use {form}" for form, words in _FORMS.items() for word in words} | {
    "[": "an element is loaded first: '%x = load %A[%i] : f32'"
}


def operator_hints(text: str) -> list[Note]:
    """Return what to write in place of an operator that expressions do not have.

    >>> [note.message for note in operator_hints("**") + operator_hints("+")]
    ['use pow(%a, %b)']
    """
    return [Note(_ADVICE[text])] if text in _ADVICE else []
