# SPDX-License-Identifier: BSD-3-Clause
"""The first line of printed stages, which says what version printed them.

`tinytc-opt` writes and checks the same line (`lib/Pipeline/StageStamp.h`).
"""

from __future__ import annotations

from ..errors import Diagnostic, VerificationError

_HEAD_LENGTH = 200  # of which the line is at the begin


def stamped(text: str) -> str:
    r"""Return a printed stage with the line that names this version.

    >>> stamped("module {\n}\n").splitlines()[1:]
    ['module {', '}']
    """
    from .._tinytc import stage_stamp

    return stage_stamp() + text


def check_stamp(text: str | bytes, filename: str) -> None:
    r"""Check that a stage was printed by a version whose stages this one reads.

    Texts without the line are other people's, or edited.

    Args:
        text: MLIR assembly or bytecode.
        filename: name that the error carries.

    Raises:
        VerificationError: it was printed by another version, other than in the last number.

    >>> check_stamp("// written by hand\nmodule { }", "a.mlir")
    """
    from .._tinytc import explain_stage_stamp

    if isinstance(text, (str, bytes, bytearray, memoryview)):
        head = text[:_HEAD_LENGTH]
        data = head.encode(errors="replace") if isinstance(head, str) else bytes(head)
        reason = explain_stage_stamp(data)
        if reason is not None:
            raise VerificationError([Diagnostic("error", reason, filename, line=1, column=1)])
