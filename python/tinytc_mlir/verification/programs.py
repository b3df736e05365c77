# SPDX-License-Identifier: BSD-3-Clause
"""Compiled programs whose kernels are verified: those of this process, and those from files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..certificates import Certificate
from ..errors import TinyTCError
from ..measure.sample_data import SampleOptions
from ..options import OPTIONS
from ..version import __version__
from .verify import PARTS, only, verify

if TYPE_CHECKING:
    from ..runtime.program import Program


def verify_program(
    program: Program,
    kernel: str | None,
    *,
    options: SampleOptions | None,
    parts: Sequence[str] | None,
) -> Certificate:
    """Return what is shown of a kernel of a program; see `Program.verify`."""
    name = only(list(program), kernel)
    certificates = {each.kernel: each for each in program.certificates}
    old = certificates.get(name)
    module: Any = program.source
    if module is None and old is not None:
        from ..compiler import Context

        module = Context().parse(old.source, old.kernel)
    if module is None:
        raise TinyTCError(
            f"expected a program that was compiled here, or has a certificate of {name}, got one "
            "without its source"
        )
    if options is None and old is not None:
        options = options_of(old, program)
    if program.source is None and old is not None:
        check_options(old)
        program.options = dict(old.options)
    parts = PARTS if parts is None else parts
    return verify(module, name, target=program.target, options=options, parts=parts, of=program)


def check_options(certificate: Certificate) -> None:
    """Check that this version has the options that a certificate names.

    Raises:
        TinyTCError: it has not.
    """
    unknown = sorted(dict(certificate.options).keys() - {each.name for each in OPTIONS})
    if unknown:
        version = dict(certificate.versions).get("tinytc", "an unknown version")
        raise TinyTCError(
            f"expected options of version {__version__}, got {unknown[0]!r} of version {version} "
            f"in the certificate of {certificate.kernel}"
        )


def options_of(certificate: Certificate, program: Program) -> SampleOptions:
    """Return the sizes, values and seed that a certificate of a program names.

    Raises:
        TinyTCError: the certificate is of another program.
    """
    info = program.kernels.get(certificate.kernel)
    arguments = () if info is None else info.arguments
    names = [name for name, _ in certificate.shapes]
    if info is None or names != [each.name for each in arguments]:
        raise TinyTCError(
            f"expected a certificate of a kernel of the program, got one of {certificate.kernel} "
            f"with {', '.join(names) or 'no'} parameters"
        )
    sizes = {
        (each.name, mode): size
        for each, (_, shape) in zip(arguments, certificate.shapes, strict=True)
        for mode, size in enumerate(shape)
        if getattr(each, "shape", ())[mode : mode + 1] == (None,)
    }
    types = {each.name: getattr(each, "type", "") for each in arguments}
    scalars = {
        name: bool(value) if types[name] == "bool" else value for name, value in certificate.scalars
    }
    return SampleOptions(certificate.groups, certificate.seed, sizes, scalars)
