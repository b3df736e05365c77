"""The interface of the compiler: from text to a module of the dialect, its stages, a program.

Nothing here needs a device, unless no target is given, and MLIR is loaded when it is needed: not to
find a program that was compiled before.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import program_cache, switches
from .errors import DeviceError, Diagnostic, LoweringError, VerificationError, describe, got
from .files import path_text, read_bytes
from .program_cache import MLIR, TEXT, Source, source_of
from .runtime import devices, dumps, overrides
from .runtime.integers import checked_integer
from .runtime.manifest import Check, Manifest
from .runtime.program import Program

if TYPE_CHECKING:
    from mlir import ir
    from mlir.passmanager import PassManager

    from .explore import Page
    from .measure.sample_data import SampleOptions
    from .tuning import Tuning

    TARGETS: tuple[str, ...]

# The stages that a program goes through, and the pipeline that leads to each.
STAGES: Mapping[str, str | None] = {
    "tinytc": None,
    "prepared": "prepare",
    "linalg": "lower-to-linalg",
    "gpu": "lower-to-gpu",
    "spirv": "lower-to-spirv",
    "nvvm": "lower-to-nvvm",
    "ptx": "lower-to-ptx",
    "tile": "lower-to-tile",
}
# The ways from the first stage to code that a runtime takes, by families of targets.
_COMMON_STAGES = ("tinytc", "prepared", "linalg", "gpu")
_SPIRV_STAGES = (*_COMMON_STAGES, "spirv")
_WAYS = {"nvidia_gpu": (*_COMMON_STAGES, "nvvm", "ptx")}
# The way to what NVIDIA's assembler of Tile IR takes, which is no program of a target.
_TILE_STAGES = ("tinytc", "tile")
_TILE_VERSIONS = ("13.1", "13.2", "13.3")
_MANIFEST = "tinytc.manifest"
_TARGET = "tinytc.target"
ABIS = ("packed", "plain")
# Names of targets that are those of the first such device, and what they are without one.
ALIASES: Mapping[str, str] = {"cuda": "cuda:sm_90"}
# Attributes that name the kernels of later stages, by operation.
_SYMBOLS = {
    "gpu.func": "sym_name",
    "spirv.EntryPoint": "fn",
    "llvm.func": "sym_name",
    "tile.entry": "sym_name",
}
_KERNEL_OF_BINARY = re.compile(r'#gpu\.kernel_metadata<"([^"]*)"')
_MLIR_SUFFIXES = (".mlir", ".mlirbc")
_MLIR_STDIN = "-"  # MLIR's name for a text that is not in a file


@functools.cache
def _targets() -> tuple[str, ...]:
    from ._tinytc import targets

    return tuple(target.name for target in targets())


if not TYPE_CHECKING:

    def __getattr__(name: str) -> tuple[str, ...]:
        """Return the names of the targets as `TARGETS`, the default first."""
        if name != "TARGETS":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _targets()


class Context:
    """Owns an MLIR context that knows the dialect and all upstream dialects.

    >>> module = Context().parse("func @f(%x: f32) { }")
    >>> print(module.to_text().strip())
    func @f(%x: f32) {
    }
    """

    def __init__(self) -> None:
        self._idle_pipelines: dict[tuple[str, bool], PassManager] = {}
        # Until it is handed out: its owner may then change what programs mean.
        self._is_private = True

    @functools.cached_property
    def _mlir_context(self) -> ir.Context:
        from mlir import ir

        from ._tinytc import register_dialect

        # Dialects are loaded when they are needed: all of them take several milliseconds.
        context = ir.Context(load_on_create_dialects=())
        register_dialect(context)
        # Few passes work on single kernels: threads cost more than they gain.
        context.enable_multithreading(False)
        return context

    def __reduce__(self) -> tuple[type[Context], tuple[()]]:
        return Context, ()

    def __repr__(self) -> str:
        return f"<Context: the dialect tinytc, for the targets {', '.join(_targets())}>"

    @property
    def mlir_context(self) -> ir.Context:
        """The context of the `mlir` package, with all dialects loaded."""
        self._is_private = False
        self._mlir_context.load_all_available_dialects()
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
        from mlir.passmanager import PassManager

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

    @contextlib.contextmanager
    def _warnings(self) -> Iterator[list[str]]:
        """Collect the warnings that MLIR reports meanwhile; they go where they always go."""
        from mlir import ir

        found: list[str] = []

        def note(diagnostic: ir.Diagnostic) -> bool:
            if diagnostic.severity == ir.DiagnosticSeverity.WARNING:
                found.append(diagnostic.message)
            return False  # it is not handled

        handler = self._mlir_context.attach_diagnostic_handler(note)
        try:
            yield found
        finally:
            handler.detach()

    def parse(
        self,
        text: str | bytes,
        filename: str = "<string>",
        *,
        defines: Mapping[str, str | complex] | None = None,
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
        source = source_of(TEXT, text, filename, defines)
        return self._known(source) or self._parsed(text, filename, defines, source)

    def _parsed(
        self,
        text: str | bytes,
        filename: str,
        defines: Mapping[str, str | complex] | None,
        source: Source | None,
    ) -> Module:
        from . import frontend

        module = frontend.parse(text, filename, defines, self._mlir_context)
        sources = {filename: frontend.decode(text, filename)}
        return Module(self, module.operation, sources, is_text=True, source=source)

    def _known(self, source: Source | None) -> Module | None:
        """Return the module of a source that was compiled before; it is parsed when needed."""
        if source is None or not self._uses_cache:
            return None
        stage = program_cache.stage_of(source)
        if stage is None or stage not in STAGES:
            return None
        return Module(self, None, {}, stage, is_text=source.language == TEXT, source=source)

    @property
    def _uses_cache(self) -> bool:
        skips = switches.VERIFY_EACH.is_on() or switches.INTERPRET.is_on() or dumps.are_wanted()
        return self._is_private and not skips

    def _read(self, source: Source) -> Module:
        """Return the module of a source, which is parsed."""
        if source.language == TEXT:
            return self._parsed(source.text, source.filename, dict(source.defines), source)
        return self._parsed_mlir(source.text, source.filename, source)

    def parse_mlir(self, text: str | bytes, filename: str = "<string>") -> Module:
        """Return the module that MLIR assembly or bytecode describes, at any stage.

        Args:
            text: assembly in the custom or generic form, or bytecode.
            filename: name that diagnostics carry.

        Raises:
            VerificationError: MLIR cannot read the text, or the module violates a restriction.
        """
        source = source_of(MLIR, text, filename)
        return self._known(source) or self._parsed_mlir(text, filename, source)

    def _parsed_mlir(self, text: str | bytes, filename: str, source: Source | None) -> Module:
        from mlir import ir

        from . import frontend
        from .frontend.mlir_diagnostics import diagnostics_of

        data = text.encode(errors="replace") if isinstance(text, str) else text
        if not isinstance(data, (bytes, bytearray)):
            raise VerificationError(f"expected MLIR as str or bytes, got {describe(text)}")
        filename = frontend.checked_filename(filename)
        shown = data.decode(errors="replace")
        try:
            with self._mlir_context:
                module = ir.Module.parse(bytes(data))
        except ir.MLIRError as error:
            found = diagnostics_of(error, {_MLIR_STDIN: shown}, {_MLIR_STDIN: filename})
            raise VerificationError(found) from None
        stage = _stage_of(module.operation)
        sources = {_MLIR_STDIN: shown}
        return Module(self, module.operation, sources, stage, filename=filename, source=source)

    def adopt(self, module: ir.Module) -> Module:
        """Return a module that was built with the classes of the `mlir` package.

        Args:
            module: a module in this context, at any stage.

        Raises:
            VerificationError: the module violates a restriction, or is of another context.
        """
        from mlir import ir

        from .frontend.mlir_diagnostics import diagnostics_of

        operation = module.operation
        if operation.context != self._mlir_context:
            raise VerificationError("expected a module of this context, got one of another")
        try:
            operation.verify()
        except ir.MLIRError as error:
            raise VerificationError(diagnostics_of(error, {})) from None
        return Module(self, operation, {}, _stage_of(operation))

    def parse_file(
        self,
        path: str | os.PathLike[str],
        *,
        defines: Mapping[str, str | complex] | None = None,
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
        operation: the `builtin.module`; None if it is parsed when it is needed.
        sources: source texts by file name, for diagnostics.
        stage: stage of the module, one of `STAGES`.
        is_text: whether the sources are texts of the language, not MLIR's.
        filename: what diagnostics call a text of MLIR, whose name no location carries.
        source: what the caller gave, if the module is nothing else.
    """

    def __init__(
        self,
        context: Context,
        operation: ir.Operation | None,
        sources: Mapping[str, str],
        stage: str = "tinytc",
        *,
        is_text: bool = False,
        filename: str | None = None,
        source: Source | None = None,
    ) -> None:
        self._context = context
        self._known_operation = operation
        self._known_sources = sources
        self._stage = stage
        self._is_text = is_text
        self._mlir_filename = filename
        self._source = source

    @property
    def _operation(self) -> ir.Operation:
        if self._known_operation is None:
            assert self._source is not None
            module = self._context._read(self._source)
            self._known_sources = module._known_sources
            self._mlir_filename = module._mlir_filename
            self._known_operation = module._known_operation
        return self._known_operation

    @property
    def _sources(self) -> Mapping[str, str]:
        if self._known_operation is None:
            assert self._operation is not None  # parses
        return self._known_sources

    @property
    def _names(self) -> Mapping[str, str]:
        """What diagnostics call files, by the names that locations carry."""
        assert self._operation is not None  # parses
        return {} if self._mlir_filename is None else {_MLIR_STDIN: self._mlir_filename}

    @property
    def context(self) -> Context:
        """The context that the module belongs to."""
        return self._context

    @property
    def operation(self) -> ir.Operation:
        """The `builtin.module`."""
        operation = self._operation
        self._source = None  # the caller may change it
        return operation

    @property
    def sources(self) -> Mapping[str, str]:
        """Source texts by the file name that locations carry, for diagnostics."""
        return self._sources

    @property
    def stage(self) -> str:
        """Stage of the module, one of `STAGES`."""
        return self._stage

    @property
    def stages(self) -> Sequence[str]:
        """The stages that lead to code for the module's target, to SPIR-V if it has none yet."""
        if self._stage == "spirv":
            return _SPIRV_STAGES
        if self._stage == "tile":
            return _TILE_STAGES
        return _stages_of_module(self._operation)

    @property
    def is_of_language(self) -> bool:
        """Whether its kernels are as the language has them, neither lowered nor of linalg."""
        kernels = self._operation.regions[0].blocks[0].operations
        return self._stage == "tinytc" and all(op.operation.name != "func.func" for op in kernels)

    def __reduce__(self) -> tuple[Callable[..., Module], tuple[object, ...]]:
        if self._source is not None:
            return _module_of_source, (self._context, self._source)
        data = io.BytesIO()
        self._operation.write_bytecode(data)
        digest = hashlib.sha256(data.getvalue()).hexdigest()
        named = {"is_text": self._is_text, "filename": self._mlir_filename}
        state = (dict(self._sources), self._stage, named)
        return _module_of_bytecode, (self._context, data.getvalue(), digest, *state)

    def __dask_tokenize__(self) -> tuple[object, ...]:
        if self._source is not None:
            return ("tinytc_mlir.Module", *self._source.key())
        return ("tinytc_mlir.Module", str(self._operation.get_asm(enable_debug_info=True)))

    def __repr__(self) -> str:
        kernels = ", ".join(_kernel_names(self._operation)) or "no kernel"
        found = self._filename()
        source = f" of {found!r}" if found is not None else ""
        return (
            f"<Module{source} at stage {self._stage!r}{_target_text(self._operation)}: {kernels}>"
        )

    def __str__(self) -> str:
        if self._stage == "ptx":
            return self._emit(self._operation, None).ptx
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
        for name in _targets() if target is None else (target_name(target),):
            try:
                self._run(f"prepare{{target={name}}}", self._operation.clone().operation)
            except LoweringError as error:
                rejected = rejected or error
            else:
                return
        if rejected is not None:
            raise rejected

    def lower(  # noqa: PLR0913, options by keyword
        self,
        stage: str,
        *,
        target: object = None,
        abi: str = "packed",
        vector_bytes: int | None = None,
        registers: int | None = None,
        allow_tf32: bool = False,
        tuned: bool = False,
        debug: bool = False,
    ) -> Module:
        """Return a copy of the module at a later stage: what `compile` makes with these options.

        What the copy prints can be read, lowered again and compiled, unless it is PTX. The options
        are decided when a program is prepared: a module past the stage "tinytc" has those that it
        was prepared with, and takes no others. With a target and `vector_bytes`, the result is the
        same on every machine.

        Args:
            stage: "prepared", "linalg", "gpu" and then "spirv", or "nvvm" and "ptx" for targets
                of NVIDIA; the module's own stage returns a plain copy. "tile" is what `export_tile`
                writes, for no target and without options.
            target: as for `compile`, and so are the other options.
            abi: "packed" or "plain".
            vector_bytes: bytes of a vector register that schedules are for.
            registers: registers of a thread.
            allow_tf32: let products of f32 ignore the last 13 bits of the factors.
            tuned: use the schedules that `tune` has stored.
            debug: check what the language leaves undefined.

        >>> module = Context().parse("func @f(%x: f32) { }")
        >>> lowered = module.lower("gpu", target="cpu", vector_bytes=64)
        >>> lowered.compile().spirv == module.compile("cpu", vector_bytes=64).spirv
        True

        Raises:
            LoweringError: a stage cannot lower the program, or the module is past the stage, or
                past the one at which options are decided.
        """
        stage = _one_of("stage", stage, list(STAGES))
        options = self._checked_options(abi, vector_bytes, registers, allow_tf32, tuned, debug)
        if not _leads_to(self._stage, stage):
            raise LoweringError(
                f"expected a module of stage {stage!r} or an earlier one, got {self._stage!r}"
            )
        if self._stage != "tinytc":
            self._check_target(target)
        operation = self._operation.clone().operation
        if stage == "tile":
            _check_tile_options(target, options)
            operation = self._on_tiles("")
        elif stage != self._stage and self._stage == "tinytc":
            self._attach(operation, target, options)
            self._run(f"{STAGES[stage]}{{{options.of_pipeline(target_name(target))}}}", operation)
        elif stage != self._stage:
            self._run(f"{self._stage}-to-{stage}", operation)
        return Module(
            self._context,
            operation,
            self._sources,
            stage,
            is_text=self._is_text,
            filename=self._mlir_filename,
        )

    def export_tile(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        version: str | None = None,
        aligned: bool = False,
    ) -> bytes:
        """Return the kernels as Tile IR bytecode, which NVIDIA's `tileiras` assembles.

        Args:
            path: file to write too, for example `gemm.tileirbc`.
            version: "13.1", "13.2" or "13.3"; None is the oldest one that has all that the
                kernels use.
            aligned: promise that arrays begin at multiples of 16 bytes, which whoever launches the
                kernels must check. `assemble_tile` makes programs whose launches check it.

        Raises:
            LoweringError: a kernel is no program on tiles, the version does not exist or lacks
                something, or the module is past the stage at which promises are made.
            OSError: the file cannot be written.

        >>> text = "tile.module @kernels { tile.entry @f() { tile.return } }"
        >>> Context().parse_mlir(text).export_tile(version="13.1")[1:7]
        b'TileIR'
        """
        from .files import write_atomically

        if version is not None:
            _one_of("version", version, _TILE_VERSIONS)
        if aligned and self._stage != "tinytc":
            raise LoweringError(
                f"expected a module of stage 'tinytc' for aligned=True, got one of stage "
                f"{self._stage!r}"
            )
        bytecode = self._tile_bytecode(self._on_tiles("{aligned}" if aligned else ""), version)
        if path is not None:
            write_atomically(os.fspath(path), bytecode)
        return bytecode

    def assemble_tile(self, target: object = "cuda:sm_90") -> Program:
        """Return the program that NVIDIA's `tileiras` makes of the kernels on tiles.

        It is launched as any other program for an NVIDIA device. A kernel that gains by arrays that
        begin at multiples of 16 bytes is assembled twice, and launches choose.

        Args:
            target: name of a target of NVIDIA, or a device or queue of CUDA.

        Raises:
            LoweringError: a kernel is no program on tiles, the assembler rejects it, the module is
                past the first stage, or the target is not NVIDIA's.
            DeviceError: the assembler is not installed.
        """
        from . import tile_programs

        name = target_name(target)
        if not name.startswith("cuda:"):
            raise LoweringError(f"expected a target of NVIDIA, got {name!r}")
        if self._stage != "tinytc":
            raise LoweringError(
                f"expected a module of stage 'tinytc', got one of stage {self._stage!r}"
            )
        operation = self._on_tiles("{variants}")
        bytecode = self._tile_bytecode(operation, None)
        # Parameters, accesses and bounds are those of the kernel, in whatever way it is compiled.
        manifest = self.compile(name, abi="plain").manifest
        return tile_programs.program_of(bytecode, _kernel_names(operation), manifest)

    def _on_tiles(self, options: str) -> ir.Operation:
        """Return a copy of the module as programs on tiles; nothing is done for one that is."""
        if not _leads_to(self._stage, "tile"):
            raise LoweringError(
                f"expected a module of stage 'tile' or an earlier one, got {self._stage!r}"
            )
        if self._stage == "tinytc" and not self._has_functions():
            raise self._rejected("expected a program with a function, got an empty one")
        operation = self._operation.clone().operation
        if self._stage != "tile":
            self._run(f"{STAGES['tile']}{options}", operation)
        return operation

    def _tile_bytecode(self, operation: ir.Operation, version: str | None) -> bytes:
        """Return the bytecode of programs on tiles."""
        from ._tinytc import write_tile_bytecode
        from .frontend.mlir_diagnostics import collected

        with collected(self._context._mlir_context, self._sources, self._names) as found:
            try:
                return write_tile_bytecode(operation, version or "")
            except ValueError as error:
                raise LoweringError(tuple(found) or str(error)) from None

    def _run(self, pipeline: str, operation: ir.Operation, verify_each: bool = True) -> None:
        from mlir import ir

        from .frontend.mlir_diagnostics import diagnostics_of

        try:
            self._context.run_pipeline(pipeline, operation, verify_each=verify_each)
        except ir.MLIRError as error:
            found = diagnostics_of(error, self._sources, self._names, is_text=self._is_text)
            raise LoweringError(found) from None

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
            target: name of a target, a dpctl device or queue, or None for the default device, and
                for the CPU where there is none.
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
        options = self._checked_options(abi, vector_bytes, registers, allow_tf32, tuned, debug)
        queue = None if target is None or isinstance(target, str) else target
        # Winners of searches depend on more than the source.
        source = self._source if self._context._uses_cache and not tuned else None
        if source is None:
            return self._compiled(target, options, queue)
        is_named = isinstance(target, str) and target not in ALIASES
        is_any = target is None and self._stage != "tinytc"
        name = target if is_named or is_any else target_name(target)
        key = {"target": name, **dataclasses.asdict(options)}
        program = program_cache.load(source, key, queue)
        if program is None:
            with self._context._warnings() as warnings:
                program = self._compiled(target, options, queue)
            if not warnings:
                program_cache.save(source, self._stage, key, program)
        return program

    def _checked_options(
        self,
        abi: object,
        vector_bytes: object,
        registers: object,
        allow_tf32: object,
        tuned: object,
        debug: object,
    ) -> _Options:
        """Return options, which only a module that is not prepared yet can be given."""
        options = _checked_options(abi, vector_bytes, registers, allow_tf32, tuned, debug)
        given = options.given()
        if given and self._stage != "tinytc":
            name, value = given[0]
            raise LoweringError(
                f"expected a module of stage 'tinytc' for {name}={value!r}, got one of stage "
                f"{self._stage!r}: the option is decided when a program is prepared, so give it to "
                "`lower` or `compile` of the program itself"
            )
        return options

    def _compiled(self, target: object, options: _Options, queue: object) -> Program:
        """Return the program for a target, compiled now."""
        if self._stage == "tile":
            raise LoweringError(
                "expected a module of a stage that leads to a program, got one of stage 'tile', "
                "whose code `export_tile` returns"
            )
        if self._stage == "tinytc":
            if not self._has_functions():
                raise self._rejected("expected a program with a function, got an empty one")
        else:
            self._check_target(target)
            if not _kernel_names(self._operation):
                raise self._rejected("expected a module with a kernel, got none")
        if dumps.are_wanted():
            program = self._compiled_in_steps(target, options, queue)
        else:
            program = self._emit(self._lowered_at_once(target, options), queue)
        if switches.INTERPRET.is_on() and self.is_of_language:
            from .reference.launching import interpreting
            from .runtime import interpreted

            binary = program[next(iter(program))].program  # what its kernels keep
            interpreted.remember(binary, interpreting(self))
        return program

    def _lowered_at_once(self, target: object, options: _Options) -> ir.Operation:
        """Return a copy of the module at the last stage for its target."""
        lowered = self._operation.clone().operation
        if self._stage == "tinytc":
            self._prepare(lowered, target, options)
        start = "prepared" if self._stage == "tinytc" else self._stage
        final = "spirv" if start == "spirv" else _stages_of_module(lowered)[-1]
        if start != final:
            self._run(f"{start}-to-{final}", lowered, switches.VERIFY_EACH.is_on())
        return lowered

    def _filename(self) -> str | None:
        """Return the name of the file that the module was read from, None if there is none."""
        name = next(iter(self._sources), None)
        return self._mlir_filename if name == _MLIR_STDIN else name

    def _rejected(self, message: str) -> LoweringError:
        """Return the error for a module as a whole."""
        return LoweringError((Diagnostic("error", message, self._filename()),))

    def _compiled_in_steps(self, target: object, options: _Options, queue: object) -> Program:
        """Return the program, and write and read the files of its stages."""
        from .stage_files import lower_in_steps, printed

        def advance(operation: ir.Operation, old: str, new: str) -> None:
            if new == "prepared":
                self._prepare(operation, target, options)
            else:
                self._run(f"{old}-to-{new}", operation)

        def read(data: bytes, path: str, stage: str) -> ir.Operation:
            found = self._context._parsed_mlir(data, path, None)
            if found.stage != stage:
                raise LoweringError(
                    f"{path}: expected a module of stage {stage!r}, got {found.stage!r}"
                )
            return found._operation

        first = self._operation.clone().operation
        name = target_name(target) if self._stage == "tinytc" else None
        key = [printed(first, self._stage), name, dataclasses.asdict(options)]
        folder = dumps.folder_of(_kernel_names(first), key)
        way = self.stages if name is None else stages_of(name)
        stages = way[way.index(self._stage) :]
        overrides.note_program(folder, dumps.names_of(stages), stacklevel=4)
        lowered = lower_in_steps(first, stages, advance, read, folder)
        program = self._emit(lowered.operation, queue)
        given = dumps.replacement(folder, dumps.code_name(program.manifest.format))
        if given is not None:
            plain = self._emit(lowered.plain, queue).code if lowered.plain is not None else None
            if given[1] != plain:
                program = Program(given[1], program.manifest, queue=queue)
        dumps.write_program(folder, program, printed(lowered.operation, stages[-1]))
        return program

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

    def _prepare(self, operation: ir.Operation, target: object, options: _Options) -> None:
        """Run the passes that decide about a target on a copy of the module."""
        self._attach(operation, target, options)
        self._run(f"prepare{{{options.of_pipeline(target_name(target))}}}", operation)

    def _attach(self, operation: ir.Operation, target: object, options: _Options) -> None:
        """Give a module at the first stage what passes take from it, not from their options."""
        from mlir import ir

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
        """Return the program of a module at the spirv or the ptx stage."""
        from ._tinytc import emit
        from .frontend.mlir_diagnostics import collected, spelled

        with collected(self._context._mlir_context, self._sources, self._names) as found:
            try:
                code, manifest = emit(lowered)
            except ValueError as error:
                shown = spelled(found, self._sources) if self._is_text else found
                message = tuple(shown) or str(error)
                raise LoweringError(message) from None
        return Program(code, self._with_excerpts(Manifest.from_json(manifest)), queue=queue)

    def _with_excerpts(self, manifest: Manifest) -> Manifest:
        """Return the manifest of a debug build with lines of the source text."""
        from .frontend.mlir_diagnostics import with_excerpt

        def shown(diagnostic: Diagnostic) -> Diagnostic:
            notes = tuple(map(shown, diagnostic.notes))
            found = with_excerpt(dataclasses.replace(diagnostic, notes=notes), self._sources)
            filename = found.filename or ""
            return dataclasses.replace(found, filename=self._names.get(filename, filename) or None)

        kernels = []
        for kernel in manifest.kernels:
            checks = tuple(Check(shown(check.diagnostic), check.types) for check in kernel.checks)
            kernels.append(dataclasses.replace(kernel, checks=checks))
        return dataclasses.replace(manifest, kernels=tuple(kernels))

    def explore(self, target: object = None, *, debug: bool = False) -> Page:
        """Return a page of HTML that shows all stages side by side, as `tinytc explore` does.

        A notebook shows it; `save` writes it to a file.

        Args:
            target: name of a target, a dpctl device or queue; None is the default device, or the
                first target where there is no device.
            debug: show a debug build.

        Raises:
            LoweringError: a stage cannot lower the program.
        """
        from .explore import explore

        copy = self.lower(self._stage, target=target, debug=debug)  # to keep the source
        return explore(copy, target, debug=debug)

    def _repr_html_(self) -> str:
        from .explore import notebook_html

        return notebook_html(self.lower(self._stage))

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
        from .measure.sample_data import SampleOptions, check_options

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


def _module_of_source(context: Context, source: Source) -> Module:
    """Return a module that was pickled as what its caller gave."""
    if source.language == TEXT:
        return context.parse(source.text, source.filename, defines=dict(source.defines))
    return context.parse_mlir(source.text, source.filename)


def _module_of_bytecode(
    context: Context,
    data: bytes,
    digest: str,
    sources: Mapping[str, str],
    stage: str,
    named: Mapping[str, Any],
) -> Module:
    """Return a module that was pickled as bytecode."""
    if hashlib.sha256(data).hexdigest() != digest:
        raise LoweringError("expected the bytecode of a module that was pickled, got other bytes")
    operation = context.parse_mlir(data, _MLIR_STDIN).operation
    return Module(context, operation, sources, stage, **named)


def _stage_of(module: ir.Operation) -> str:
    """Return the stage of a module: the earliest that any of its kernels is at."""
    found = set()
    for each in module.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name == "gpu.module":
            nested = operation.regions[0].blocks[0].operations
            is_nvvm = any(op.operation.name == "llvm.func" for op in nested)
            found.add("nvvm" if is_nvvm else "gpu")
        elif operation.name == "spirv.module":
            found.add("spirv")
        elif operation.name == "gpu.binary":
            found.add("ptx")
        elif operation.name == "tile.module":
            found.add("tile")
        elif operation.name in ("tinytc.func", "func.func"):
            found.add(_stage_of_kernel(operation))
    return next((stage for stage in STAGES if stage in found), "tinytc")


def _stage_of_kernel(kernel: ir.Operation) -> str:
    from mlir import ir

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
        elif operation.name in ("gpu.module", "spirv.module", "tile.module"):
            for nested in operation.regions[0].blocks[0].operations:
                name = _SYMBOLS.get(nested.operation.name)
                if name is not None:
                    found.append(str(nested.operation.attributes[name].value))
        elif operation.name == "gpu.binary":
            found += _KERNEL_OF_BINARY.findall(str(operation.attributes["objects"]))
    return found


def _check_tile_options(target: object, options: _Options) -> None:
    """Check that programs on tiles are asked for without what only other stages have."""
    if target is not None:
        raise LoweringError(f"expected no target for stage 'tile', got {target!r}")
    for name, value in options.given():
        raise LoweringError(f"expected no {name} for stage 'tile', got {value!r}")


def _leads_to(first: str, last: str) -> bool:
    """Return whether a module of one stage can be lowered to another."""
    ways = (_SPIRV_STAGES, _TILE_STAGES, *_WAYS.values())
    return any(first in way and last in way[way.index(first) :] for way in ways)


def stages_of(target: object) -> Sequence[str]:
    """Return the stages that lead to the code for a target, in their order.

    Args:
        target: the name, a dpctl device or queue, or None for the default device.

    Raises:
        LoweringError: there is no target of that name.
        DeviceError: the object is no device or queue, or one that is not for any target.

    >>> stages_of("cuda:sm_90")[-2:]
    ('nvvm', 'ptx')
    """
    from ._tinytc import targets

    name = target_name(target)
    family = next(each.family for each in targets() if each.name == name)
    return _WAYS.get(family, _SPIRV_STAGES)


def _stages_of_module(module: ir.Operation) -> Sequence[str]:
    if _TARGET not in module.attributes:  # passes will say that it is missing
        return _SPIRV_STAGES
    attribute = str(module.attributes[_TARGET])
    return stages_of(next(name for name in _targets() if f'name = "{name}"' in attribute))


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
    registers: int | None
    allow_tf32: bool
    tuned: bool
    debug: bool

    def given(self) -> list[tuple[str, object]]:
        """Return names and values of the options that are not the default ones."""
        default = _Options("packed", None, None, allow_tf32=False, tuned=False, debug=False)
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(default), strict=True)
        names = (field.name for field in dataclasses.fields(self))
        return [
            (name, value)
            for name, (value, usual) in zip(names, pairs, strict=True)
            if value != usual
        ]

    def of_pipeline(self, target: str) -> str:
        """Return the options of the pipelines that prepare a module."""
        flags = {
            "native": self.vector_bytes is None,
            "allow-tf32": self.allow_tf32,
            "debug": self.debug,
        }
        words = [f"target={target}", f"abi={self.abi}", *(name for name, on in flags.items() if on)]
        words += [] if self.registers is None else [f"registers={self.registers}"]
        return " ".join(words)


def _checked_options(
    abi: object,
    vector_bytes: object,
    registers: object,
    allow_tf32: object,
    tuned: object,
    debug: object,
) -> _Options:
    abi = _one_of("abi", abi, ABIS)
    _check_flags(allow_tf32=allow_tf32, tuned=tuned, debug=debug)
    try:
        if vector_bytes is not None:
            vector_bytes = checked_integer(vector_bytes, "for vector_bytes", 0)
        if registers is not None:
            registers = checked_integer(registers, "for registers", 1)
    except ValueError as error:
        raise LoweringError(str(error)) from None
    return _Options(abi, vector_bytes, registers, bool(allow_tf32), bool(tuned), bool(debug))


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


def _device_target(name: str | None) -> str | None:
    """Return the target of the default device of a name, None if there is no such device."""
    try:
        return devices.default_device(name).target
    except DeviceError:  # launches will say why there is none
        return None


def target_name(target: object) -> str:
    """Return the name of a target.

    Args:
        target: the name, a dpctl device or queue, or None for the default device, and for the CPU
            where there is none. "cuda" is that of the first CUDA device, "cuda:sm_90" where there
            is none.

    Raises:
        LoweringError: there is no target of that name.
        DeviceError: the object is no device or queue, or one that is not for any target.

    >>> target_name("cpu")
    'cpu'
    """
    if isinstance(target, str) and target in ALIASES:
        return _device_target(target) or ALIASES[target]
    if isinstance(target, str):
        return _one_of("target", target, _targets())
    if target is None:
        return _device_target(None) or _targets()[0]
    device = devices.device_of(target)
    if device is None:
        raise DeviceError(
            f"expected {devices.handles()}, or the name of a target, got {describe(target)}"
        )
    if device.target is None:
        raise DeviceError(
            f"expected a device for one of the targets {', '.join(_targets())}, got {device.name}"
        )
    return device.target
