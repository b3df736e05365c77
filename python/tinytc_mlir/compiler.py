"""The interface of the compiler: from text to a module of the dialect, its stages, a program.

Nothing here needs a device, unless no target is given.
"""

from __future__ import annotations

import dataclasses
import os
import re
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
from .runtime.integers import checked_integer
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
# Attributes that name the kernels of the gpu and spirv stage, by operation.
_SYMBOLS = {"gpu.func": "sym_name", "spirv.EntryPoint": "fn"}
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

    def __repr__(self) -> str:
        return f"<Context: the dialect tinytc, for the targets {', '.join(TARGETS)}>"

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

    def __repr__(self) -> str:
        kernels = ", ".join(_kernel_names(self._operation)) or "no kernel"
        found = [name for name in self._sources if name != _MLIR_STDIN]
        source = f" of {found[0]!r}" if found else ""
        return (
            f"<Module{source} at stage {self._stage!r}{_target_text(self._operation)}: {kernels}>"
        )

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
        target: object = None,
        abi: str = "packed",
        vector_bytes: int | None = None,
        tuned: bool = False,
        debug: bool = False,
    ) -> Module:
        """Return a copy of the module at a later stage: what `compile` makes with these options.

        What the copy prints can be read, lowered again and compiled. The options are decided when
        a program is prepared: for a module past that stage, they are those that it was prepared
        with. With a target and `vector_bytes`, the result is the same on every machine.

        Args:
            stage: "prepared", "linalg", "gpu" or "spirv"; the module's own stage returns a plain
                copy.
            target: as for `compile`, and so are the other options.
            abi: "packed" or "plain".
            vector_bytes: bytes of a vector register that schedules are for.
            tuned: use the schedules that `tune` has stored.
            debug: check what the language leaves undefined.

        >>> module = Context().parse("func @f(%x: f32) { }")
        >>> lowered = module.lower("gpu", target="cpu", vector_bytes=64)
        >>> lowered.compile().spirv == module.compile("cpu", vector_bytes=64).spirv
        True

        Raises:
            LoweringError: a stage cannot lower the program, or the module is past the stage.
        """
        stage = _one_of("stage", stage, list(STAGES))
        options = _checked_options(abi, vector_bytes, tuned, debug)
        stages = list(STAGES)
        if stages.index(stage) < stages.index(self._stage):
            raise LoweringError(
                f"expected a module of stage {stage!r} or an earlier one, got {self._stage!r}"
            )
        operation = self._operation.clone().operation
        if stage != self._stage and self._stage == "tinytc":
            self._attach(operation, target, options)
            self._run(f"{STAGES[stage]}{{{options.of_pipeline(target_name(target))}}}", operation)
        elif stage != self._stage:
            self._run(f"{self._stage}-to-{stage}", operation)
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
        vector_bytes: int | None = None,
        tuned: bool = False,
        debug: bool = False,
    ) -> Program:
        """Return the program for a target; CPU programs are tuned for the host processor.

        Args:
            target: name of a target, a dpctl device or queue, or None for the default device, and
                for the CPU where there is none.
            abi: "packed" lets one work-group run several groups of a small kernel, which then
                takes the number of groups as one more parameter (the manifest says so, and
                launches from Python pass it); "plain" keeps the parameters of the Tiny Tensor
                Compiler, for launches by other hosts.
            vector_bytes: bytes of a vector register that schedules are for: 16, 32 or 64 for the
                target "cpu". 0 is typical for the target, which is what `tinytc-opt` takes; None is
                the host's for "cpu".
            tuned: use the schedules that `tune` has stored for the device, if any.
            debug: check everything that the language leaves undefined and that could touch memory
                out of bounds or end the process. Kernels then touch nothing out of bounds, and
                launches raise `CheckError`; they have one more parameter, a pointer to the report.

        Raises:
            LoweringError: a stage cannot lower the program.
            DeviceError: a device or queue is not for any target, or `tuned` finds no device.
        """
        options = _checked_options(abi, vector_bytes, tuned, debug)
        if self._stage == "tinytc":
            lowered = self._prepared(target, options)
        else:
            self._check_target(target)
            if not _kernel_names(self._operation):
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

    def _prepared(self, target: object, options: _Options) -> ir.Operation:
        """Return a copy of the module after the passes that decide about a target."""
        if not self._has_functions():
            raise LoweringError("expected a program with a function, got an empty one")
        prepared = self._operation.clone().operation
        self._attach(prepared, target, options)
        self._run(f"prepare{{{options.of_pipeline(target_name(target))}}}", prepared)
        return prepared

    def _attach(self, operation: ir.Operation, target: object, options: _Options) -> None:
        """Give a module at the first stage what passes take from it, not from their options."""
        name = target_name(target)
        if options.tuned:
            from .tuning import store

            device = devices.device_of(target) or devices.default_device(name)
            store.apply_winners(operation, name, store.describe(device))
        if not options.vector_bytes:
            return
        self._run(f"tinytc-attach-target{{target={name}}}", operation)
        text = str(operation.attributes[_TARGET]).removesuffix(">")
        text = f"{text.partition(', vector_bytes')[0]}, vector_bytes = {options.vector_bytes}>"
        try:
            with operation.context:
                operation.attributes[_TARGET] = ir.Attribute.parse(text)
        except ir.MLIRError as error:
            raise LoweringError(error.error_diagnostics[0].message) from None

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


def _kernel_names(module: ir.Operation) -> list[str]:
    """Return the names of the kernels of a module of any stage."""
    found = []
    for each in module.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name in ("tinytc.func", "func.func"):
            found.append(operation.attributes["sym_name"].value)
        elif operation.name in ("gpu.module", "spirv.module"):
            for nested in operation.regions[0].blocks[0].operations:
                name = _SYMBOLS.get(nested.operation.name)
                if name is not None:
                    found.append(str(nested.operation.attributes[name].value))
    return found


def _target_text(module: ir.Operation) -> str:
    """Return for which target a module was lowered, for people."""
    if _TARGET not in module.attributes:
        return ""
    name = re.search(r'name = "([^"]*)"', str(module.attributes[_TARGET]))
    return f" for {name[1]}" if name else ""


@dataclasses.dataclass(frozen=True)
class _Options:
    """The options of `Module.compile` and `Module.lower` besides the target."""

    abi: str
    vector_bytes: int | None
    tuned: bool
    debug: bool

    def of_pipeline(self, target: str) -> str:
        """Return the options of the pipelines that prepare a module."""
        flags = {"native": self.vector_bytes is None, "debug": self.debug}
        words = [f"target={target}", f"abi={self.abi}", *(name for name, on in flags.items() if on)]
        return " ".join(words)


def _checked_options(abi: object, vector_bytes: object, tuned: object, debug: object) -> _Options:
    abi = _one_of("abi", abi, ABIS)
    _check_flags(tuned=tuned, debug=debug)
    if vector_bytes is not None:
        try:
            vector_bytes = checked_integer(vector_bytes, "for vector_bytes", 0)
        except ValueError as error:
            raise LoweringError(str(error)) from None
    return _Options(abi, vector_bytes, bool(tuned), bool(debug))


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
        target: the name, a dpctl device or queue, or None for the default device, and for the CPU
            where there is none.

    Raises:
        LoweringError: there is no target of that name.
        DeviceError: the object is no device or queue, or one that is not for any target.

    >>> target_name("cpu")
    'cpu'
    """
    if isinstance(target, str):
        return _one_of("target", target, TARGETS)
    if target is None:
        try:
            return devices.default_device().target or TARGETS[0]
        except DeviceError:  # launches will say why there is none
            return TARGETS[0]
    device = devices.device_of(target)
    if device is None:
        raise DeviceError(
            f"expected {devices.handles()}, or the name of a target, got {describe(target)}"
        )
    if device.target is None:
        raise DeviceError(
            f"expected a device for one of the targets {', '.join(TARGETS)}, got {device.name}"
        )
    return device.target
