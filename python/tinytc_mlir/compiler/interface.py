# SPDX-License-Identifier: BSD-3-Clause
"""Contexts, which read programs, and modules: programs at one of the stages."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import program_cache
from ..errors import LoweringError, VerificationError
from ..files import path_text, read_bytes
from ..options import one_of
from ..program_cache import MLIR, TEXT, Source, source_of
from .mlir_context import MLIR_STDIN, shown_text, verify_operation
from .parsed_module import SourceReader
from .stages import check_target, kernel_names, leads_to, pipelines, stage_of
from .targets import target_name, target_names
from .tile_module import TileModule, check_tile_options
from .version_stamps import check_stamp

if TYPE_CHECKING:
    import numpy.typing as npt
    from mlir import ir

    from ..certificates import Certificate
    from ..explore import Page
    from ..measure.sample_data import SampleOptions
    from ..tuning import Tuning
    from .derivative import Derivative

_MLIR_SUFFIXES = (".mlir", ".mlirbc")


class Context(SourceReader):
    """Owns an MLIR context that knows the dialect and all upstream dialects.

    >>> module = Context().parse("func @f(%x: f32) { }")
    >>> print(module.to_text().strip())
    func @f(%x: f32) {
    }
    """

    def __reduce__(self) -> tuple[type[Context], tuple[()]]:
        return Context, ()

    def __repr__(self) -> str:
        return f"<Context: the dialect tinytc, for the targets {', '.join(target_names())}>"

    @property
    def mlir_context(self) -> ir.Context:
        """The context of the `mlir` package, with all dialects loaded."""
        self._is_private = False
        self._mlir_context.load_all_available_dialects()
        return self._mlir_context

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
        from .. import frontend

        module = frontend.parse(text, filename, defines, self._mlir_context)
        sources = {filename: frontend.decode(text, filename)}
        return Module(self, module.operation, sources, is_text=True, source=source)

    def _known(self, source: Source | None) -> Module | None:
        """Return the module of a source that was compiled before; it is parsed when needed."""
        if source is None or not self._uses_cache:
            return None
        stage = program_cache.stage_of(source)
        if stage is None:
            return None
        return Module(self, None, {}, stage, is_text=source.language == TEXT, source=source)

    def _read(self, source: Source) -> Module:
        """Return the module of a source, which is parsed."""
        if source.language == TEXT:
            return self._parsed(source.text, source.filename, dict(source.defines), source)
        return self._parsed_mlir(source.text, source.filename, source)

    def _module(self, source: Source) -> Module:
        """Return the module of a source."""
        return self._known(source) or self._read(source)

    def _restored(
        self, data: bytes, digest: str, sources: Mapping[str, str], named: Mapping[str, Any]
    ) -> Module:
        """Return a module that was pickled as bytecode."""
        if hashlib.sha256(data).hexdigest() != digest:
            raise LoweringError(
                "expected the bytecode of a module that was pickled, got other bytes"
            )
        return Module(self, self.parse_mlir(data, MLIR_STDIN).operation, sources, **named)

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
        from .. import frontend

        filename = frontend.checked_filename(filename)
        check_stamp(text, filename)
        module = self._read_mlir(text, filename)
        stage = stage_of(module.operation)
        sources = {MLIR_STDIN: shown_text(text)}
        return Module(self, module.operation, sources, stage, filename=filename, source=source)

    def adopt(self, module: ir.Module) -> Module:
        """Return a module that was built with the classes of the `mlir` package.

        Args:
            module: a module in this context, at any stage.

        Raises:
            VerificationError: the module violates a restriction, or is of another context.
        """
        operation = module.operation
        if operation.context != self._mlir_context:
            raise VerificationError("expected a module of this context, got one of another")
        verify_operation(operation, {})
        return Module(self, operation, {}, stage_of(operation))

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


class Module(TileModule):
    """A program at one of the stages of compilation; made by `Context` and `lower`."""

    _context: Context

    @property
    def context(self) -> Context:
        """The context that the module belongs to."""
        return self._context

    def __reduce__(self) -> tuple[Callable[..., Module], tuple[object, ...]]:
        if self._source is not None:
            return Context._module, (self._context, self._source)
        data = io.BytesIO()
        self._operation.write_bytecode(data)
        digest = hashlib.sha256(data.getvalue()).hexdigest()
        named = {"stage": self._stage, "is_text": self._is_text, "filename": self._mlir_filename}
        state = (dict(self._sources), named)
        return Context._restored, (self._context, data.getvalue(), digest, *state)

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
            stage: "prepared", "linalg", "gpu" and then "spirv", "nvvm" and "ptx" for targets of
                NVIDIA, or "vector", "llvm" and "object" for native code; the module's own stage
                returns a plain copy. "tile" is what `export_tile` writes, for no target and
                without options.
            target: as for `compile`, and so are the other options.
            abi: "packed" or "plain".
            vector_bytes: bytes of a vector register that schedules are for.
            registers: registers of a thread.
            allow_tf32: let products of f32 ignore the last 13 bits of the factors.
            tuned: use the schedules that `tune` has stored.
            debug: check what the language leaves undefined.

        >>> import tinytc_mlir as tt
        >>> module = tt.Context().parse("func @f(%x: f32) { }")
        >>> lowered = module.lower("gpu", target="cpu", vector_bytes=64)
        >>> lowered.compile().spirv == module.compile("cpu", vector_bytes=64).spirv
        True

        Raises:
            LoweringError: a stage cannot lower the program, or the module is past the stage, or
                past the one at which options are decided.
        """
        stage = one_of("stage", stage, list(pipelines()))
        options = self._options(
            None if stage == "tile" else target,
            abi=abi,
            vector_bytes=vector_bytes,
            registers=registers,
            allow_tf32=allow_tf32,
            tuned=tuned,
            debug=debug,
        )
        if not leads_to(self._stage, stage):
            raise LoweringError(
                f"expected a module of stage {stage!r} or an earlier one, got {self._stage!r}; "
                "lower the module that this one was made of"
            )
        if self._stage != "tinytc":
            check_target(self._operation, options.target)
        if stage == "tile":
            check_tile_options(target, options)
            operation = self._on_tiles()
        else:
            operation = self._operation.clone().operation
            if stage != self._stage:
                self._lowering.lower(operation, self._stage, stage, options)
        return self._of_same_sources(operation, stage)

    def with_constants(self, constants: Mapping[str, npt.ArrayLike]) -> Module:
        """Return a module whose kernels have constants in place of parameters.

        The arrays are part of the program, which skips their zeros; launches do not pass them.

        Args:
            constants: values of parameters by name, of all kernels that have such a parameter:
                numbers of scalars, and for memrefs of static shape and packed layout arrays of
                their shape.

        Raises:
            ArgumentError: no kernel has the parameter, or it cannot have the value.
            VerificationError: a kernel writes to it.
            LoweringError: the module is past the stage "tinytc".

        >>> import numpy as np, tinytc_mlir as tt
        >>> module = tt.Context().parse('''
        ... func @apply(%B: memref<f64x2x2>, %x: memref<f64x2>, %y: memref<f64x2>) {
        ...   %one = constant 1.0 : f64
        ...   %zero = constant 0.0 : f64
        ...   gemv.n %one, %B, %x, %zero, %y
        ... }''')
        >>> known = module.with_constants({"B": [[2.0, 0.0], [1.0, 3.0]]})
        >>> kernel = known.compile("native")["apply"]
        >>> y = np.empty(2)
        >>> kernel(np.array([1.0, 2.0]), y)
        >>> y
        array([2., 7.])
        """
        from .constants import with_constants

        self._check_stage()
        operation = with_constants(self._operation, constants)
        verify_operation(operation, self._sources)
        return self._of_same_sources(operation, "tinytc")

    def vjp(
        self,
        name: str | None = None,
        /,
        *,
        wrt: Sequence[str] | None = None,
        atomic: bool = False,
        buffers: bool = True,
    ) -> Derivative:
        """Return the reverse derivative of a kernel: the transpose of its derivative.

        The result reads the kernel's arguments and leaves them as they are. For each array that
        the kernel writes, `X_adjoint` holds the adjoint of what it has afterwards, and then that of
        what it had before; for other arrays and scalars in `wrt`, the adjoint is added to
        `X_adjoint`. Complex adjoints are those of JAX: transposes without conjugation.

        Args:
            name: the kernel, if there are several.
            wrt: names of parameters to differentiate with respect to; None for all that can be.
            atomic: let groups add to what they share in any order, instead of in a second kernel.
            buffers: keep what local memory cannot in buffers that launches allocate; if not, it is
                computed again where that is possible.

        Raises:
            LoweringError: an instruction has no derivative; the diagnostic has its place.

        >>> import tinytc_mlir as tt
        >>> module = tt.Context().parse('''
        ... func @scale(%a: f64, %x: memref<f64x3>, %y: memref<f64x3>) {
        ...   %zero = constant 0.0 : f64
        ...   axpby %a, %x, %zero, %y
        ... }''')
        >>> module.vjp(wrt=["x"]).module.stage
        'tinytc'
        """
        options = {"atomic": "true"} if atomic else {}
        options |= {} if buffers else {"buffers": "false"}
        return self._derivative(name, "_vjp", wrt, options)

    def jvp(self, name: str | None = None, /, *, wrt: Sequence[str] | None = None) -> Derivative:
        """Return the forward derivative of a kernel, which runs the kernel, too.

        The result takes `X_tangent` for each parameter in `wrt`, and for each array that depends
        on one, and updates the tangents of arrays as the kernel does the arrays.

        Args:
            name: the kernel, if there are several.
            wrt: names of parameters to differentiate with respect to; None for all that can be.

        Raises:
            LoweringError: an instruction has no derivative; the diagnostic has its place.
        """
        return self._derivative(name, "_jvp", wrt, {})

    def _derivative(
        self, name: str | None, suffix: str, wrt: Sequence[str] | None, options: Mapping[str, str]
    ) -> Derivative:
        from .derivative import Derivative, only_kernel

        self._check_stage()
        kernel = only_kernel(kernel_names(self._operation), name)
        return Derivative(self, kernel, suffix, wrt, options)

    def _with_derivative(
        self, name: str, suffix: str, wrt: Sequence[str] | None, options: Mapping[str, str]
    ) -> Module:
        """Return a module with the derivative of a kernel alone."""
        given = {"kernel": name, **options} | ({"wrt": ",".join(wrt)} if wrt else {})
        operation = self._lowering.derivative(self._operation, suffix, given)
        return self._of_same_sources(operation, "tinytc")

    def _of_same_sources(self, operation: ir.Operation, stage: str) -> Module:
        is_text, filename = self._is_text, self._mlir_filename
        return Module(
            self._context, operation, self._sources, stage, is_text=is_text, filename=filename
        )

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
        from ..explore import explore

        # A copy keeps the source.
        return explore(self.lower(self._stage, target=target, debug=debug), target, debug=debug)

    def _repr_html_(self) -> str:
        from ..explore import notebook_html

        return notebook_html(self.lower(self._stage))

    def verify(
        self,
        kernel: str | None = None,
        *,
        target: object = None,
        options: SampleOptions | None = None,
        parts: Sequence[str] | None = None,
    ) -> Certificate:
        """Return what can be shown of a kernel for sizes and a target, as `tinytc verify` does.

        Args:
            kernel: name of the kernel; None if there is only one.
            target: name of a target, a dpctl device or queue, or None for the default device.
            options: number of groups (by default 3), sizes and integers of the launch, and a seed.
            parts: "stages", "accesses", "derivatives", "machine" and "rounding"; None for all.

        Returns:
            the certificate; `holds` says whether all is shown.

        Raises:
            LoweringError: a stage cannot lower the program.
            ArgumentError: there is no such kernel or part, or an option names what the kernel
                does not have.
            InterpreterError: the kernel's behaviour is undefined for these arguments.

        Source: docs/verification.md.

        >>> import tinytc_mlir as tt
        >>> module = tt.Context().parse('''
        ... func @axpy(%alpha: f32, %x: memref<f32x3>, %y: memref<f32x3>) {
        ...   %one = constant 1.0 : f32
        ...   axpby.n %alpha, %x, %one, %y
        ... }''')
        >>> from tinytc_mlir.measure.sample_data import SampleOptions
        >>> module.verify(target="native", options=SampleOptions(groups=1)).holds
        True
        """
        from ..verification import PARTS, verify

        parts = PARTS if parts is None else parts
        return verify(self, kernel, target=target, options=options, parts=parts)

    def tune(
        self,
        kernel: str | None = None,
        *,
        target: object = None,
        options: SampleOptions | None = None,
        store: bool = True,
        progress: Callable[[str], None] = lambda text: None,
        limit_s: float | None = None,
    ) -> Tuning:
        """Search for the fastest schedule of a kernel, and store it for the device.

        Schedules are compiled, checked against the compiler's own choice and timed next to it on
        random data, in separate processes. `compile(tuned=True)` uses what was stored.

        Args:
            kernel: name of the kernel; None if there is only one.
            target: name of a target, a dpctl device or queue, or None for the default device.
            options: number of groups, sizes and values that the kernel is launched with.
            store: write the winner to the user's cache directory.
            progress: called with an estimate of the time, and then with what is tried next.
            limit_s: time in seconds after which nothing more is tried. A search that ends so has
                `is_complete` false, and stores no more than a winner.

        Raises:
            LoweringError: a stage cannot lower the program.
            LaunchError: there are several kernels, or none of that name.
            DeviceError: there is no device, or the kernel does not run.
            ArgumentError: an option names what the kernel does not have.
        """
        from .. import tuning
        from ..measure.sample_data import SampleOptions, check_options
        from ..strategies import strategies_of
        from ..tuning.search import search

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
            strategies=strategies_of(self.lower("prepared", target=target).operation, name),
            store=store,
            search=lambda task: search(task, progress, limit_s),
        )
