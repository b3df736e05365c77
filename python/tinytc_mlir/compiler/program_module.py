# SPDX-License-Identifier: BSD-3-Clause
"""Modules as programs for a target: what it says of them, and their code."""

from __future__ import annotations

from .. import program_cache, switches
from ..errors import LoweringError
from ..options import Options, checked_options
from ..runtime.program import Program
from .parsed_module import ParsedModule
from .stages import check_target, kernel_names
from .targets import target_name, target_names


class ProgramModule(ParsedModule):
    """A module that can be checked and compiled for a target."""

    def check(self, target: object = None) -> None:
        """Check what a target says of the program that can be known before it is lowered.

        That is about its types, the sizes of subgroups and work-groups, and the size and alignment
        of local memory. Nothing is said of a program without functions, which the language allows.

        Args:
            target: name of a target, a dpctl device or queue; None for any target.

        Raises:
            LoweringError: the target rejects the program, or with None, all of them do; the error
                is that of the first.
        """
        self._check_stage()
        if not self._has_functions():
            return
        rejected: LoweringError | None = None
        for name in target_names() if target is None else (target_name(target),):
            try:
                self._lowering.run(f"prepare{{target={name}}}", self._operation.clone().operation)
            except LoweringError as error:
                rejected = rejected or error
            else:
                return
        if rejected is not None:
            raise rejected

    def compile(
        self,
        target: object = None,
        *,
        abi: str = "packed",
        vector_bytes: int | None = None,
        registers: int | None = None,
        allow_tf32: bool = False,
        tuned: bool = False,
        debug: bool = False,
    ) -> Program:
        """Return the program for a target; CPU programs are tuned for the host processor.

        Args:
            target: name of a target, a dpctl device or queue, or None for the target that
                TINYTC_TARGET names, else that of the default device, "native" without dpctl or a
                driver.
            abi: "packed" lets one work-group run several groups of a small kernel, which then
                takes the number of groups as one more parameter (the manifest says so, and
                launches from Python pass it); "plain" keeps the parameters of the Tiny Tensor
                Compiler, for launches by other hosts.
            vector_bytes: bytes of a vector register that schedules are for: 16, 32 or 64 for the
                target "cpu". 0 is typical for the target, which is what `tinytc-opt` takes; None is
                the host's for "cpu".
            registers: registers of a thread on GPUs of Intel: 128 or 256, with which a core runs
                half as many threads and the driver is told so. With None, the cost model chooses
                256 where it pays; for the plain ABI, it is 128.
            allow_tf32: compute products of f32 on the matrix unit of the targets "intel-gpu:pvc"
                and "intel-gpu:bmg", which ignores the last 13 of 23 bits of the factors' fractions.
            tuned: use the schedules that `tune` has stored for the device, if any.
            debug: check everything that the language leaves undefined and that could touch memory
                out of bounds or end the process. Kernels then touch nothing out of bounds, and
                launches raise `CheckError`; they have one more parameter, a pointer to the report.

        Raises:
            LoweringError: a stage cannot lower the program, or the module is past the stage
                "tinytc", at which the options are decided.
            DeviceError: a device or queue is not for any target, or `tuned` finds no device.
        """
        options = self._options(
            target,
            check=False,  # without the compiler, which a program in the cache does not need
            abi=abi,
            vector_bytes=vector_bytes,
            registers=registers,
            allow_tf32=allow_tf32,
            tuned=tuned,
            debug=debug,
        )
        # Winners of searches depend on more than the source.
        source = self._source if self._context._uses_cache and not tuned else None
        key = options.key()
        program = None if source is None else program_cache.load(source, key, options.queue)
        if program is None:
            with self._context._warnings() as warnings:
                program = self._compiled(options)
            if source is not None and not warnings:
                program_cache.save(source, self._stage, key, program)
        program.source, program.options = self, dict(options.given())
        return program

    def _options(self, target: object, *, check: bool = True, **values: object) -> Options:
        """Return checked options, which only a module that is not prepared yet can be given."""
        is_any = target is None and self._stage != "tinytc"
        name = None if is_any else target_name(target, check=check)
        queue = None if isinstance(target, str) else target
        options = checked_options(name, queue, **values)
        given = options.given()
        if given and self._stage != "tinytc":
            name, value = given[0]
            raise LoweringError(
                f"expected a module of stage 'tinytc' for {name}={value!r}, got one of stage "
                f"{self._stage!r}: the option is decided when a program is prepared, so give it to "
                "`lower` or `compile` of the program itself"
            )
        return options

    def _compiled(self, options: Options) -> Program:
        """Return the program, compiled now."""
        if options.target is not None:
            target_name(options.target)
        if self._stage == "tile":
            raise LoweringError(
                "expected a module of a stage that leads to a program, got one of stage 'tile', "
                "whose code `export_tile` returns"
            )
        if self._stage == "tinytc":
            self._check_functions()
        else:
            check_target(self._operation, options.target)
            if not kernel_names(self._operation):
                raise self._lowering.rejected("expected a module with a kernel, got none")
        program = self._lowering.program(self._operation, self._stage, options)
        if switches.INTERPRET.is_on() and self.is_of_language:
            from ..reference.launching import interpreting
            from ..runtime import interpreted

            binary = program[next(iter(program))].program  # what its kernels keep
            interpreted.remember(binary, interpreting(self))
        return program
