"""The interface of the compiler: from text to a module of the dialect, its stages, a program.

Nothing here needs a device, unless no target is given.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mlir import ir
from mlir.passmanager import PassManager

from . import frontend, switches
from ._tinytc import register_dialect, targets
from .errors import DeviceError, Diagnostic, LoweringError, VerificationError, describe, got
from .files import path_text, read_bytes
from .frontend.mlir_diagnostics import collected, diagnostics_of, spelled, with_excerpt
from .measure.sample_data import SampleOptions, check_options
from .runtime import devices
from .runtime.manifest import Check, Manifest
from .runtime.program import Program

if TYPE_CHECKING:
    from .tuning import Tuning

# The stages that a program goes through, and the pipeline that leads to each.
STAGES: Mapping[str, str | None] = {
    "tinytc": None,
    "prepared": "prepare",
    "linalg": "lower-to-linalg",
    "gpu": "lower-to-gpu",
    "spirv": "lower-to-spirv",
}
_MANIFEST = "tinytc.manifest"
_TARGET = "tinytc.target"
ABIS = ("packed", "plain")
TARGETS = tuple(target.name for target in targets())  # the default first
_MLIR_SUFFIXES = (".mlir", ".mlirbc")
_MLIR_STDIN = "-"  # MLIR's name for a text that is not in a file


class Context:
    """Owns an MLIR context that knows the dialect and all upstream dialects.

    >>> module = Context().parse("func @f(%x: f32) { }")
    >>> print(module.to_text().strip())
    func @f(%x: f32) {
    }
    """

    def __init__(self) -> None:
        self._mlir_context = ir.Context()
        register_dialect(self._mlir_context)
        # Few passes work on single kernels: threads cost more than they gain.
        self._mlir_context.enable_multithreading(False)
        self._idle_pipelines: dict[tuple[str, bool], PassManager] = {}

    @property
    def mlir_context(self) -> ir.Context:
        """The context of the `mlir` package."""
        return self._mlir_context

    def run_pipeline(
        self, pipeline: str, operation: ir.Operation, *, verify_each: bool = True
    ) -> None:
        """Run passes on a `builtin.module`.

        Passes collect their patterns once, so the pass manager is kept for the next module.

        Args:
            pipeline: the passes in MLIR's syntax.
            operation: the module; it is changed in place.
            verify_each: verify the module after each pass, not only after the last.

        Raises:
            mlir.ir.MLIRError: a pass or the verifier fails.
        """
        key = (pipeline, verify_each)
        # A pass manager runs one module at a time: other threads do not find this one meanwhile.
        manager = self._idle_pipelines.pop(key, None)
        with self._mlir_context:
            if manager is None:
                manager = PassManager.parse(f"builtin.module({pipeline})")
                manager.enable_verifier(verify_each)
            try:
                manager.run(operation)
                if not verify_each:
                    operation.verify()
            finally:
                self._idle_pipelines[key] = manager

    def parse(
        self,
        text: str | bytes,
        filename: str = "<string>",
        *,
        defines: Mapping[str, str | int | float | bool] | None = None,
    ) -> Module:
        """Return the module that a program of the tensor language describes.

        Args:
            text: the program; bytes are read as UTF-8.
            filename: name that diagnostics and locations carry.
            defines: values of preprocessor variables, names without the `$`.

        Raises:
            ParseError: the text does not follow the grammar.
            VerificationError: the text violates a restriction of the language.
        """
        module = frontend.parse(text, filename, defines, self._mlir_context)
        sources = {filename: frontend.decode(text, filename)}
        return Module(self, module.operation, sources, is_text=True)

    def parse_mlir(self, text: str | bytes, filename: str = "<string>") -> Module:
        """Return the module that MLIR assembly or bytecode describes, at any stage.

        Args:
            text: assembly in the custom or generic form, or bytecode.
            filename: name that diagnostics carry.

        Raises:
            VerificationError: MLIR cannot read the text, or the module violates a restriction.
        """
        data = text.encode(errors="replace") if isinstance(text, str) else text
        if not isinstance(data, (bytes, bytearray)):
            raise VerificationError(f"expected MLIR as str or bytes, got {describe(text)}")
        filename = frontend.checked_filename(filename)
        source = data.decode(errors="replace")
        try:
            with self._mlir_context:
                module = ir.Module.parse(bytes(data))
        except ir.MLIRError as error:
            found = diagnostics_of(error, {_MLIR_STDIN: source}, {_MLIR_STDIN: filename})
            raise VerificationError(found) from None
        stage = _stage_of(module.operation)
        return Module(self, module.operation, {_MLIR_STDIN: source}, stage)

    def parse_file(
        self,
        path: str | os.PathLike[str],
        *,
        defines: Mapping[str, str | int | float | bool] | None = None,
    ) -> Module:
        """Return the module in a file: MLIR if it ends in `.mlir` or `.mlirbc`, else the language.

        Args:
            path: name of the file.
            defines: values of preprocessor variables, names without the `$`.

        Raises:
            ParseError: the text does not follow the grammar.
            VerificationError: the text violates a restriction of the language.
            OSError: the file cannot be read.
        """
        name = path_text(path)
        data = read_bytes(path)
        if name.endswith(_MLIR_SUFFIXES):
            return self.parse_mlir(data, name)
        return self.parse(data, name, defines=defines)


class Module:
    """A program at one of the stages of compilation; made by `Context` and `lower`.

    Args:
        context: the context that the module belongs to.
        operation: the `builtin.module`.
        sources: source texts by file name, for diagnostics.
        stage: stage of the module, one of `STAGES`.
        is_text: whether the sources are texts of the language, not MLIR's.
    """

    def __init__(
        self,
        context: Context,
        operation: ir.Operation,
        sources: Mapping[str, str],
        stage: str = "tinytc",
        *,
        is_text: bool = False,
    ) -> None:
        self._context = context
        self._operation = operation
        self._sources = sources
        self._stage = stage
        self._is_text = is_text

    @property
    def context(self) -> Context:
        """The context that the module belongs to."""
        return self._context

    @property
    def operation(self) -> ir.Operation:
        """The `builtin.module`."""
        return self._operation

    @property
    def sources(self) -> Mapping[str, str]:
        """Source texts by the file name that locations carry, for diagnostics."""
        return self._sources

    @property
    def stage(self) -> str:
        """Stage of the module: "tinytc", "prepared", "linalg", "gpu" or "spirv"."""
        return self._stage

    @property
    def is_of_language(self) -> bool:
        """Whether its kernels are as the language has them, neither lowered nor of linalg."""
        kernels = self._operation.regions[0].blocks[0].operations
        return self._stage == "tinytc" and all(op.operation.name != "func.func" for op in kernels)

    def __str__(self) -> str:
        # Later stages are printed as by tinytc-opt, which knows no names.
        has_names = self._stage == "tinytc"
        return str(self._operation.get_asm(use_name_loc_as_prefix=has_names))

    def to_text(self) -> str:
        """Return the program in the canonical spelling of the language; it parses back.

        Raises:
            LoweringError: the module is past the dialect's own stage.
        """
        from .frontend.printer import to_text

        self._check_stage()
        return to_text(self._operation)

    def _check_stage(self) -> None:
        if self._stage != "tinytc":
            raise LoweringError(f"expected a module of stage 'tinytc', got {self._stage!r}")

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
        for name in TARGETS if target is None else (target_name(target),):
            try:
                self._run(f"prepare{{target={name}}}", self._operation.clone().operation)
            except LoweringError as error:
                rejected = rejected or error
            else:
                return
        if rejected is not None:
            raise rejected

    def lower(
        self,
        stage: str,
        *,
        target: object = TARGETS[0],
        abi: str = "plain",
        native: bool = False,
        debug: bool = False,
    ) -> Module:
        """Return a copy of the module at a later stage, by default the same on every machine.

        What the copy prints can be read and lowered again. The options are decided when a program
        is prepared: for a module past that stage, they are those that it was prepared with.

        Args:
            stage: "prepared", "linalg", "gpu" or "spirv"; the module's own stage returns a plain
                copy.
            target: name of a target, a dpctl device or queue, or None for the default device.
            abi: parameters of the kernels, as for `compile`.
            native: tune for the host processor, as `compile` does.
            debug: check what the language leaves undefined, as for `compile`.

        Raises:
            LoweringError: a stage cannot lower the program, or the module is past the stage.
        """
        stage = _one_of("stage", stage, list(STAGES))
        abi = _one_of("abi", abi, ABIS)
        _check_flags(native=native, debug=debug)
        stages = list(STAGES)
        if stages.index(stage) < stages.index(self._stage):
            raise LoweringError(
                f"expected a module of stage {stage!r} or an earlier one, got {self._stage!r}"
            )
        operation = self._operation.clone().operation
        if stage != self._stage:
            pipeline = f"{self._stage}-to-{stage}"
            if self._stage == "tinytc":
                options = _options(target_name(target), abi, native, debug)
                pipeline = f"{STAGES[stage]}{{{options}}}"
            self._run(pipeline, operation)
        return Module(self._context, operation, self._sources, stage, is_text=self._is_text)

    def _run(self, pipeline: str, operation: ir.Operation, verify_each: bool = True) -> None:
        try:
            self._context.run_pipeline(pipeline, operation, verify_each=verify_each)
        except ir.MLIRError as error:
            found = diagnostics_of(error, self._sources, is_text=self._is_text)
            raise LoweringError(found) from None

    def compile(
        self,
        target: object = None,
        *,
        abi: str = "packed",
        tuned: bool = False,
        debug: bool = False,
    ) -> Program:
        """Return the program for a target; CPU programs are tuned for the host processor.

        Args:
            target: name of a target, a dpctl device or queue, or None for the default device.
            abi: "packed" lets one work-group run several groups of a small kernel, which then
                takes the number of groups as one more parameter (the manifest says so, and
                launches from Python pass it); "plain" keeps the parameters of the Tiny Tensor
                Compiler, for launches by other hosts.
            tuned: use the schedules that `tune` has stored for the device, if any.
            debug: check everything that the language leaves undefined and that could touch memory
                out of bounds or end the process. Kernels then touch nothing out of bounds, and
                launches raise `CheckError`; they have one more parameter, a pointer to the report.

        Raises:
            LoweringError: a stage cannot lower the program.
            DeviceError: no target is given and there is no device.
        """
        abi = _one_of("abi", abi, ABIS)
        _check_flags(tuned=tuned, debug=debug)
        if self._stage == "tinytc":
            lowered = self._prepared(target, abi, tuned, debug)
        else:
            self._check_target(target)
            if not _has_kernels(self._operation):
                raise LoweringError("expected a module with a kernel, got none")
            lowered = self._operation.clone().operation
        if self._stage != "spirv":
            start = "prepared" if self._stage == "tinytc" else self._stage
            self._run(f"{start}-to-spirv", lowered, switches.VERIFY_EACH.is_on())
        queue = None if target is None or isinstance(target, str) else target
        return self._emit(lowered, queue)

    def _has_functions(self) -> bool:
        """Whether this is more than definitions of compile-time variables."""
        return len(self._operation.regions[0].blocks[0].operations) > 0

    def _check_target(self, target: object) -> None:
        """Check that a module past the first stage is one for the target; None is any."""
        attributes = self._operation.attributes
        if target is None or _TARGET not in attributes:  # passes will say that it is missing
            return
        name, attribute = target_name(target), attributes[_TARGET]
        if f'name = "{name}"' not in str(attribute):
            raise LoweringError(
                f"expected a module that was lowered for the target {name!r}, got {attribute}"
            )

    def _prepared(self, target: object, abi: str, tuned: bool, debug: bool) -> ir.Operation:
        """Return a copy of the module after the passes that decide about a target."""
        if not self._has_functions():
            raise LoweringError("expected a program with a function, got an empty one")
        name = target_name(target)
        prepared = self._operation.clone().operation
        if tuned:
            from .tuning import store

            device = devices.device_of(target) or devices.default_device(name)
            store.apply_winners(prepared, name, store.describe(device))
        self._run(f"prepare{{{_options(name, abi, True, debug)}}}", prepared)
        return prepared

    def _emit(self, lowered: ir.Operation, queue: object) -> Program:
        """Return the program of a module at the spirv stage."""
        from ._tinytc import emit

        with collected(self._context.mlir_context, self._sources) as found:
            try:
                code, manifest = emit(lowered)
            except ValueError as error:
                shown = spelled(found, self._sources) if self._is_text else found
                message = tuple(shown) or str(error)
                raise LoweringError(message) from None
        return Program(code, self._with_excerpts(Manifest.from_json(manifest)), queue=queue)

    def _with_excerpts(self, manifest: Manifest) -> Manifest:
        """Return the manifest of a debug build with lines of the source text."""

        def shown(diagnostic: Diagnostic) -> Diagnostic:
            notes = tuple(map(shown, diagnostic.notes))
            return with_excerpt(dataclasses.replace(diagnostic, notes=notes), self._sources)

        kernels = []
        for kernel in manifest.kernels:
            checks = tuple(Check(shown(check.diagnostic), check.types) for check in kernel.checks)
            kernels.append(dataclasses.replace(kernel, checks=checks))
        return dataclasses.replace(manifest, kernels=tuple(kernels))

    def tune(
        self,
        kernel: str | None = None,
        *,
        target: object = None,
        options: SampleOptions | None = None,
        store: bool = True,
        progress: Callable[[str], None] = lambda text: None,
    ) -> Tuning:
        """Search for the fastest schedule of a kernel, and store it for the device.

        Schedules are compiled, checked against the compiler's own choice and timed next to it on
        random data, in separate processes. `compile(tuned=True)` uses what was stored.

        Args:
            kernel: name of the kernel; None if there is only one.
            target: name of a target, a dpctl device or queue, or None for the default device.
            options: number of groups, sizes and values that the kernel is launched with.
            store: write the winner to the user's cache directory.
            progress: called with what is tried next.

        Raises:
            LoweringError: a stage cannot lower the program.
            LaunchError: there are several kernels, or none of that name.
            DeviceError: there is no device, or the kernel does not run.
            ArgumentError: an option names what the kernel does not have.
        """
        from . import tuning

        options = SampleOptions() if options is None else options
        kernels = self.compile(target).kernels  # report errors here, not in other processes
        name = tuning.chosen(list(kernels), kernel)
        check_options(kernels[name], options)
        return tuning.tune(
            self._operation,
            name,
            target_name(target),
            options,
            device=target,
            store=store,
            progress=progress,
        )


def _stage_of(module: ir.Operation) -> str:
    """Return the stage of a module: the earliest that any of its kernels is at."""
    found = set()
    for each in module.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name in ("gpu.module", "spirv.module"):
            found.add(operation.name.removesuffix(".module"))
        elif operation.name in ("tinytc.func", "func.func"):
            found.add(_stage_of_kernel(operation))
    return next((stage for stage in STAGES if stage in found), "tinytc")


def _stage_of_kernel(kernel: ir.Operation) -> str:
    if _MANIFEST in kernel.attributes and "arguments" in ir.DictAttr(kernel.attributes[_MANIFEST]):
        return "prepared" if kernel.name == "tinytc.func" else "linalg"
    return "tinytc"


def _has_kernels(module: ir.Operation) -> bool:
    """Whether a module of any stage has a kernel."""
    for each in module.regions[0].blocks[0].operations:
        if each.operation.name in ("tinytc.func", "func.func"):
            return True
        if each.operation.name in ("gpu.module", "spirv.module"):
            nested = (op.operation.name for op in each.regions[0].blocks[0].operations)
            if any(name in ("gpu.func", "spirv.EntryPoint") for name in nested):
                return True
    return False


def _options(target: str, abi: str, native: bool, debug: bool) -> str:
    """Return the options of the pipelines that prepare a module."""
    flags = "".join(f" {name}" for name, value in (("native", native), ("debug", debug)) if value)
    return f"target={target} abi={abi}{flags}"


def _check_flags(**flags: object) -> None:
    for option, value in flags.items():
        if not isinstance(value, bool):
            raise LoweringError(f"expected True or False for {option}, got {describe(value)}")


def _one_of(what: str, name: object, choices: Sequence[str]) -> str:
    if not isinstance(name, str) or name not in choices:
        raise LoweringError(
            f"expected the {what} to be one of {', '.join(choices)}, {got(name, choices)}"
        )
    return name


def target_name(target: object) -> str:
    """Return the name of a target.

    Args:
        target: the name, a dpctl device or queue, or None for the default device.

    Raises:
        LoweringError: there is no target of that name.
        DeviceError: no target is given and there is no device.

    >>> target_name("cpu")
    'cpu'
    """
    if isinstance(target, str):
        return _one_of("target", target, TARGETS)
    device = devices.default_device() if target is None else devices.device_of(target)
    if device is None:
        raise DeviceError(
            f"expected {devices.handles()}, or the name of a target, got {describe(target)}"
        )
    if device.target is None:
        raise DeviceError(
            f"expected a device for one of the targets {', '.join(TARGETS)}, got {device.name}"
        )
    return device.target
