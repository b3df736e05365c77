# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that are written as functions of Python."""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from ..errors import ArgumentError, ParseError, TinyTCError, describe, got
from ..runtime.kernel import BoundKernel, Kernel
from .places import are_plain, target_of
from .source import FunctionSource, global_name, is_const, restored_source, source_of
from .tracebacks import ShownAsFunction, hidden_frames, without_frames
from .types import TYPES, Const, Type, type_of
from .weak_numbers import NUMBERS, first_valid, typings

if TYPE_CHECKING:
    from ..compiler import Module
    from ..compiler.derivative import Derivative
    from ..explore import Page
    from ..runtime.launches.arguments import Groups
    from ..runtime.launches.event import Event
    from ..runtime.program import Program
    from ..tuning import Tuning
    from ..tuning.autotune import Autotuning

_Key = tuple[object, ...]


class _Written(str):
    """An annotation that a signature shows as it is written."""

    __repr__ = str.__str__


class KernelFunction(ShownAsFunction):
    """A function marked with `@tt.kernel`: a program with one kernel, compiled when it is needed.

    Args:
        source: the function as it is written.
        function: the function itself, None where only its source came along.
        options: attributes of the kernel, such as `subgroup_size`.
        constants: values of `tt.const` parameters.
        given: types of parameters that have no annotation.
    """

    def __init__(
        self,
        source: FunctionSource,
        function: Callable[..., Any] | None,
        options: Mapping[str, object],
        constants: Mapping[str, object] | None = None,
        given: Mapping[str, Type] | None = None,
    ) -> None:
        self.source = source
        self.options = dict(options)
        self.constants = dict(constants or {})
        self._function = function
        self._given = dict(given or {})
        self._children: dict[_Key, KernelFunction] = {}
        self._module: Module | None = None
        self._kernel: Kernel | None = None
        self._programs: dict[object, Program] = {}
        if function is not None:
            self._show_as(function)

    # Help -----------------------------------------------------------------------------------

    @property
    def __signature__(self) -> inspect.Signature:
        """How the kernel is called: constants and options by name.

        >>> import inspect
        >>> import tinytc_mlir as tt
        >>> @tt.kernel
        ... def scale(a: tt.f32, x: "tt.f32[N]", N: tt.const):
        ...     x[:] = a * x
        >>> print(inspect.signature(scale[8]))
        (a: tt.f32, x: tt.f32[N], *, groups=None, queue=None, verify=False, copy=True)
        """
        kinds = inspect.Parameter
        found = []
        for argument in self.source.tree.args.args:
            name, node = argument.arg, argument.annotation
            if name in self.constants:
                continue
            written = kinds.empty if node is None else _Written(ast.unparse(node).strip("'\""))
            is_constant = name in self._constant_names
            kind = kinds.KEYWORD_ONLY if is_constant else kinds.POSITIONAL_OR_KEYWORD
            found.append(kinds(name, kind, annotation=self._given.get(name, written)))
        options = inspect.signature(type(self).__call__).parameters.values()
        by_name = [each for each in options if each.kind is kinds.KEYWORD_ONLY]
        found += [each.replace(annotation=kinds.empty) for each in by_name]
        return inspect.Signature(sorted(found, key=lambda parameter: parameter.kind))

    # Types ----------------------------------------------------------------------------------

    @functools.cached_property
    def _annotations(self) -> dict[str, object]:
        """The annotations: a type, `tt.const`, or None where there is none."""
        known = self.source.annotations
        arguments = self.source.tree.args.args
        if all(a.annotation is None or a.arg in known for a in arguments):
            return {a.arg: known.get(a.arg) for a in arguments} | self._given
        from ..frontend.source import Reporter
        from .translation import Annotations, in_python

        reporter = Reporter(self.source.source)
        found = Annotations(self.source, reporter, self.constants).types()
        if reporter:
            raise ParseError(in_python(reporter.diagnostics())) from None
        return found | self._given

    @functools.cached_property
    def _constant_names(self) -> list[str]:
        """The names of `tt.const` parameters, which annotations of others may use."""
        return [a.arg for a in self.source.tree.args.args if is_const(a.annotation)]

    @hidden_frames
    def __getitem__(self, values: object) -> KernelFunction:
        """Return the kernel for values of its `tt.const` parameters, in their order."""
        items = values if isinstance(values, tuple) else (values,)
        names = self.constant_names
        if len(items) != len(names):
            raise ArgumentError(
                f"{self.name}: expected values of the constants {', '.join(names) or '(none)'}, "
                f"got {len(items)}"
                + ("" if names else f"; write {self.name}(..., groups={values})")
            )
        return self.with_constants(dict(zip(names, items, strict=True)))

    @hidden_frames
    def with_constants(self, values: Mapping[str, object]) -> KernelFunction:
        """Return the kernel for values of `tt.const` parameters, by their names.

        Raises:
            ArgumentError: there is no such parameter, or a value is no constant.
        """
        for name in values:
            if name not in self._constant_names:
                expected = ", ".join(self._constant_names) or "(none)"
                message = f"expected the constants {expected}, {got(name, self._constant_names)}"
                raise ArgumentError(f"{self.name}: {message}", argument=name)
        key = ("constants", *((n, type(v).__name__, repr(v)) for n, v in values.items()))
        if key not in self._children:
            for name, value in values.items():
                if not isinstance(value, (bool, int, float, complex, str, tuple, *TYPES)):
                    message = f"expected a number, a type or a text, got {describe(value)}"
                    raise ArgumentError(f"{self.name}: {name}: {message}", argument=name)
            self._children[key] = self._child(self.constants | dict(values), self._given)
        return self._children[key]

    def _child(self, constants: Mapping[str, object], given: Mapping[str, Type]) -> KernelFunction:
        child = type(self)(self.source, self._function, self.options, constants, given)
        child._family = (self, dict(constants), dict(given))
        return child

    _family: tuple[KernelFunction, dict[str, object], dict[str, Type]] | None = None

    @hidden_frames
    def typed(self, /, *values: object, **named: object) -> KernelFunction:
        """Return the kernel for arguments like these, which parameters without a type take it from.

        Args:
            values: arguments by position, without those of `tt.const` parameters.
            named: arguments by name, constants too.
        """
        constants = {n: named.pop(n) for n in self._constant_names if n in named}
        if constants:
            return self.with_constants(constants).typed(*values, **named)
        self._check_constants()
        names = [n for n in self._annotations if n not in self._constant_names]
        given = dict(zip(names, values, strict=False)) | named
        missing = [n for n in names if self._annotations[n] is None]
        if not missing:
            return self
        for name in missing:
            if name not in given:
                message = f"{self.name}: expected an argument for '{name}', got none"
                raise ArgumentError(message, argument=name)
        numbers = {n: type(given[n]) for n in missing if type(given[n]) in NUMBERS}
        found = {n: type_of(self.name, n, given[n]) for n in missing if n not in numbers}
        key = ("types", *found.items(), *numbers.items())
        if key not in self._children:
            others = [*self._annotations.values(), *found.values()]
            types = typings(numbers, others, self.source.tree)
            given_types = [self._given | found | each for each in types]
            self._children[key] = first_valid(self._child(self.constants, g) for g in given_types)
        return self._children[key]

    def _check_constants(self) -> None:
        missing = [name for name in self._constant_names if name not in self.constants]
        if missing:
            raise ArgumentError(
                f"{self.name}: expected a value of the constant {missing[0]}, got none; write "
                f"{self.name}[...]",
                argument=missing[0],
            )

    # Compilation ----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the kernel."""
        return self.source.name

    @property
    @hidden_frames
    def module(self) -> Module:
        """The program as a module of the language.

        Raises:
            CompileError: the function is not a kernel; `diagnostics` says where and why.
            ArgumentError: a parameter has neither a type nor a value yet.
        """
        if self._module is None:
            self._module = self._built()
        return self._module

    def _built(self) -> Module:
        from .building import build

        self._check_constants()
        types = {n: t for n, t in self._annotations.items() if not isinstance(t, Const)}
        for name, type_ in types.items():
            if type_ is None:
                raise ArgumentError(
                    f"{self.name}: expected a type for '{name}', got none; call the kernel, or "
                    "typed(...) with its arguments",
                    argument=name,
                )
        return build(self.source, types, self.constants, self.options)  # type: ignore[arg-type]

    @property
    @hidden_frames
    def text(self) -> str:
        """The program in the language."""
        return self.module.to_text()

    @hidden_frames
    def compile(self, target: object = None, **options: Any) -> Program:  # noqa: ANN401, those of Module
        """Return the program for a target; the arguments are those of `Module.compile`."""
        from .building import lazy_module

        self._check_constants()
        key = [
            repr(sorted(self.options.items())),
            repr(sorted(self.constants.items())),
            repr(list(self._annotations.items())),
        ]
        return lazy_module(self.source, key, lambda: self.module).compile(target, **options)

    @hidden_frames
    def lower(self, stage: str, **options: Any) -> Module:  # noqa: ANN401, those of Module
        """Return the module at a later stage; the arguments are those of `Module.lower`."""
        return self.module.lower(stage, **options)

    @hidden_frames
    def explore(self, target: object = None, *, debug: bool = False) -> Page:
        """Return a page with all stages; the arguments are those of `Module.explore`."""
        return self.module.explore(target, debug=debug)

    @hidden_frames
    def tune(
        self,
        choices: Mapping[str, Sequence[object]] | None = None,
        /,
        args: Sequence[object] | Mapping[str, object] | None = None,
        **options: Any,  # noqa: ANN401, those of Module.tune or tt.autotune
    ) -> Tuning | Autotuning:
        """Search for the fastest schedule, or for the fastest values of constants.

        Args:
            choices: values to try for `tt.const` parameters, as for `tt.autotune`; None searches
                schedules, as `Module.tune` does.
            args: arguments of the launches for choices; None for random data.
            options: the other arguments of `tt.autotune`, or those of `Module.tune`.

        Raises:
            ArgumentError: the choices or arguments are odd.
            DeviceError: there is no device, or nothing runs.

        >>> import tinytc_mlir as tt
        >>> @tt.kernel
        ... def double(x: tt.f32[None], TILE: tt.const):
        ...     for i, n in tt.foreach_tile(x.shape[0], TILE):
        ...         x[i] = 2 * x[i]
        >>> double.tune({"TILE": [8]}, target="cpu", groups=1).best
        {'TILE': 8}
        """
        if choices is None:
            return self.module.tune(self.name, **options)
        from ..tuning.autotune import search

        return search(self, choices, args, **options)

    @hidden_frames
    def vjp(
        self, *, wrt: Sequence[str] | None = None, atomic: bool = False, buffers: bool = True
    ) -> Derivative:
        """Return the reverse derivative of the kernel; the arguments are those of `Module.vjp`.

        >>> import tinytc_mlir as tt
        >>> @tt.kernel
        ... def scale(a: tt.f64, x: tt.f64[None]):
        ...     for i in tt.foreach(x.shape[0]):
        ...         x[i] = a * x[i]
        >>> scale.vjp(wrt=["a"], atomic=True).parameter_names
        ('a', 'x', 'a_adjoint', 'x_adjoint')
        """
        return self.module.vjp(self.name, wrt=wrt, atomic=atomic, buffers=buffers)

    @hidden_frames
    def jvp(self, *, wrt: Sequence[str] | None = None) -> Derivative:
        """Return the forward derivative of the kernel; the arguments are those of `Module.jvp`."""
        return self.module.jvp(self.name, wrt=wrt)

    @hidden_frames
    def save(self, path: str | os.PathLike[str], target: object = None) -> None:
        """Compile for a target and write a file that `tt.load` reads."""
        self.compile(target).save(path)

    # For tt.autotune --------------------------------------------------------------------------

    @property
    def constant_names(self) -> list[str]:
        """The names of `tt.const` parameters that have no value yet."""
        return [name for name in self._constant_names if name not in self.constants]

    @property
    def parameter_names(self) -> list[str]:
        """The names of all parameters."""
        return [argument.arg for argument in self.source.tree.args.args]

    def text_of(self, constants: Mapping[str, object], args: object) -> str:
        """Return the program for values of the constants, and arguments like these."""
        found = self.with_constants(constants) if constants else self
        named = args if isinstance(args, Mapping) else {}
        return found.typed(*(args if isinstance(args, (list, tuple)) else ()), **named).text

    # Launches -------------------------------------------------------------------------------

    @hidden_frames
    def kernel(self, queue: object = None, arguments: Sequence[object] = ()) -> Kernel:
        """Return the compiled kernel for the device of a queue, or of arguments without one."""
        from ..compiler import target_name

        target = target_of(arguments) if queue is None else target_name(queue)
        if target not in self._programs:
            self._programs[target] = self.compile(target)
        found = self._programs[target][self.name]
        if queue is None and are_plain(arguments):
            self._kernel = found
        return found

    def __call__(
        self,
        /,
        *values: object,
        groups: Groups = None,
        queue: object = None,
        verify: bool = False,
        copy: bool = True,
        **named: object,
    ) -> None:
        """Compile the kernel, if that has not been done, launch it and wait until it has finished.

        The arguments are those of `Kernel`; `tt.const` parameters are given by name, or before in
        square brackets.
        """
        try:  # in place of the decorator, which would take longer
            found = self._kernel
            if found is None or queue is not None or named or not are_plain(values):
                found, named = self.compiled_for(values, named, queue)
            else:
                self.source.check_outside()
            found(*values, groups=groups, queue=queue, verify=verify, copy=copy, **named)
        except TinyTCError as error:
            without_frames(error)
            raise

    def compiled_for(
        self, values: Sequence[object], named: Mapping[str, object], queue: object = None
    ) -> tuple[Kernel, dict[str, Any]]:
        """Return the compiled kernel for arguments like these, and those by name without constants.

        Args:
            values: arguments by position.
            named: arguments by name.
            queue: dpctl queue or device to compile for.
        """
        self.source.check_outside()
        passed = {n: v for n, v in named.items() if n not in self._constant_names}
        with self.source.lock:
            return self.typed(*values, **named).kernel(queue, [*values, *passed.values()]), passed

    @hidden_frames
    def python(self, /, *values: object, groups: Groups = None, **named: object) -> None:
        """Run the function itself on NumPy arrays, one group after the other; debuggers stop in it.

        Loops of `tt.foreach` and `tt.parallel` run as one work-item, and what several do together
        is refused: `tt.interpret` runs that, and finds races, which are hidden here.

        Args:
            values: arguments by position, without those of `tt.const` parameters.
            groups: number of groups; None is that of the launch, which the kernel must be compiled
                for.
            named: arguments by name.

        Raises:
            ArgumentError: an argument is missing, or the function does what NumPy cannot.
        """
        from ..runtime.launches.arguments import checked_counts
        from .on_numpy import run

        kernel = self.typed(*values, **named)
        names = [n for n, t in kernel._annotations.items() if not isinstance(t, Const)]
        given = dict(zip(names, values, strict=False)) | kernel.constants
        given |= {n: v for n, v in named.items() if n in names}
        missing = [n for n in names if n not in given]
        if missing or len(values) > len(names):
            raise ArgumentError(
                f"{self.name}: expected the arguments {', '.join(names)}, got {len(values)}"
            )
        if groups is None:
            signature = kernel.compile("cpu")[self.name].signature
            counts = signature.counts(None, signature.parts([given[n] for n in names], {}))
        else:
            try:
                counts = checked_counts(groups)
            except ValueError as error:
                raise ArgumentError(f"{self.name}: {error}", argument="groups") from None
        run(kernel.source, kernel._annotations, given, counts)

    @hidden_frames
    def submit(
        self,
        /,
        *values: object,
        groups: Groups = None,
        queue: object = None,
        depends: Iterable[object] = (),
        **named: object,
    ) -> Event:
        """Launch the kernel and return at once; the arguments are those of `Kernel.submit`."""
        found, named = self.compiled_for(values, named, queue)
        return found.submit(*values, groups=groups, queue=queue, depends=depends, **named)

    @hidden_frames
    def bind(
        self, /, *values: object, groups: Groups = None, queue: object = None, **named: object
    ) -> BoundKernel:
        """Return the kernel with its arguments; the arguments are those of `Kernel.bind`."""
        found, named = self.compiled_for(values, named, queue)
        return found.bind(*values, groups=groups, queue=queue, **named)

    def __reduce__(self) -> Any:  # noqa: ANN401, also a name
        if self._family is not None:
            parent, *rest = self._family
            return parent._child, tuple(rest)
        return global_name(self) or (_restored, (self.source.state(), self.options))

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={v!r}" for n, v in self.constants.items())
        return (
            f"<KernelFunction {self.name}{f'[{values}]' if values else ''} of "
            f"{self.source.filename!r}>"
        )


def _restored(state: tuple[Any, ...], options: dict[str, object]) -> KernelFunction:
    """Return a kernel that was pickled with its source."""
    return KernelFunction(restored_source(*state), None, options)


@overload
def kernel(function: Callable[..., Any], /) -> KernelFunction: ...
@overload
def kernel(**options: object) -> Callable[[Callable[..., Any]], KernelFunction]: ...


@hidden_frames
def kernel(
    function: Callable[..., Any] | None = None, /, **options: object
) -> KernelFunction | Callable[[Callable[..., Any]], KernelFunction]:
    """Return a function as a kernel; it is read now, and compiled when it is first called.

    Args:
        function: the function, whose body is in the part of Python that kernels have.
        options: attributes of the kernel: `subgroup_size`, `work_group_size`.

    Raises:
        ParseError: the source of the function cannot be read, or has changed since.
    """
    if function is None:
        return hidden_frames(lambda found: KernelFunction(source_of(found), found, options))
    return KernelFunction(source_of(function), function, options)
