# SPDX-License-Identifier: BSD-3-Clause
"""JSON whose strings know where they are in the text, so that errors can name the place."""

from __future__ import annotations

import json
import json.decoder
import json.scanner
from typing import Any

from ..frontend.source import Source, Span, TextError


class PlacedText(str):
    """A string of JSON.

    Args:
        value: its value.
        span: where it is, between its quotes.
    """

    span: Span

    def __new__(cls, value: str, span: Span) -> PlacedText:
        """Return the string."""
        made = super().__new__(cls, value)
        made.span = span
        return made


class _Decoder(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__()
        self.parse_string = _placed
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _placed(text: str, begin: int, strict: bool) -> tuple[PlacedText, int]:
    value, end = json.decoder.scanstring(text, begin, strict)  # type: ignore[attr-defined]
    return PlacedText(value, Span(begin, end - 1)), end


def read_json(source: Source) -> Any:  # noqa: ANN401 (of any kind)
    """Return the value of a text, whose strings are `PlacedText` but for names of objects.

    Raises:
        TextError: the text is no JSON.
    """
    try:
        return _Decoder().decode(source.text)
    except json.JSONDecodeError as error:
        words = error.msg[0].lower() + error.msg[1:]
        place = min(error.pos, max(len(source.text) - 1, 0))
        raise TextError(f"expected JSON: {words}", Span(place, place + 1)) from error


def name_span(source: Source, name: str) -> Span:
    """Return where an object first has a name."""
    place = source.text.find(json.dumps(name))
    return Span(0, 1) if place < 0 else Span(place + 1, place + 1 + max(len(name), 1))
