# SPDX-License-Identifier: BSD-3-Clause
"""A parser of options that says which command, stage or target may be meant."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import hint


class Parser(argparse.ArgumentParser):
    """A parser whose commands are parsers like it."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401, as there
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += hint(str(value), list(map(str, action.choices or ())))
            raise
