# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one element that run for a batch, marked with `@tt.batched`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from ..errors import ArgumentError, TinyTCError
from ..kernels.source import FunctionSource, global_name, restored_source, source_of
from ..kernels.tracebacks import hidden_frames, without_frames
from .calls import run
from .described import DescribedFunction
from .signature import written

if TYPE_CHECKING:
    from .frameworks import BatchedDerivative, BatchedGradient


class BatchedFunction(DescribedFunction):
    """A function marked with `@tt.batched`, compiled for arguments when it is called with them.

    Args:
        source: the function as it is written.
        function: the function itself, None where only its source came along.
        signature: sizes of arguments and results as NumPy writes them, None for annotations.
    """

    def __init__(
        self, source: FunctionSource, function: Callable[..., Any] | None, signature: str | None
    ) -> None:
        super().__init__(source, function, signature)
        if function is not None:
            self._show_as(function)

    @property
    def signature(self) -> str:
        """Sizes of arguments and results as NumPy writes them, for `xarray.apply_ufunc` and dask.

        Raises:
            ArgumentError: an argument without sizes has none yet.
        """
        from .programs import sizes_of_results

        return written(self.sizes(), sizes_of_results(self))

    # Calls ----------------------------------------------------------------------------------

    def __call__(
        self,
        /,
        *values: Any,
        out: object = None,
        axes: object = None,
        axis: int | None = None,
        **named: Any,
    ) -> Any:
        """Run the function for all elements of a batch.

        Args:
            values: arguments: arrays of NumPy, or of PyTorch or JAX, whose first modes are the
                batch and broadcast as those of NumPy's generalised universal functions.
            out: arrays for the results, a tuple of them if there are several.
            axes: for each argument and result, the modes of the element.
            axis: the mode of the element of each argument, if each has at most one.
            named: arguments by name.

        Returns:
            An array for each result: one, or a tuple.

        Raises:
            CompileError: the function is none for such arguments; `diagnostics` says where and why.
            ArgumentError: an argument does not fit.
        """
        try:
            if named:
                values = self._positional(values, named)
            if out is not None or axes is not None or axis is not None:
                from .axes import run_with

                self.source.check_outside()
                return run_with(self, values, out, axes, axis)
            return run(self, values)
        except TinyTCError as error:
            without_frames(error)
            raise

    def _positional(self, values: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        given = dict(zip(self.names, values, strict=False)) | dict(named)
        if len(given) != len(values) + len(named) or set(given) != set(self.names):
            raise ArgumentError(
                f"{self.name}: expected the arguments {', '.join(self.names)}, got "
                f"{', '.join([f'{len(values)} by position', *named])}"
            )
        return tuple(given[name] for name in self.names)

    @property
    def torch(self) -> Callable[..., Any]:
        """The function on tensors of PyTorch, as an operation with all derivatives."""
        from .frameworks import enter_torch

        enter_torch(self)
        return self._torch  # type: ignore[no-any-return]

    @hidden_frames
    def jax(self, /, *values: Any) -> Any:
        """Run the function on arrays of JAX, as a primitive with all derivatives."""
        from .frameworks import run_jax

        self.source.check_outside()
        return run_jax(self, values)

    @hidden_frames
    def vjp(self, *, wrt: Sequence[str] | None = None, atomic: bool = False) -> BatchedDerivative:
        """Return the reverse derivative for arrays of NumPy.

        Args:
            wrt: names of arguments to differentiate with respect to; None for all that can be.
            atomic: let elements add to the gradient of what they share in any order.

        >>> import numpy as np
        >>> import tinytc_mlir as tt
        >>> @tt.batched
        ... def energy(x: tt.f64["n"]):
        ...     return tt.sum(x ** 2) / 2
        >>> energy.vjp()(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
        array([[ 1.,  2.],
               [30., 40.]])
        """
        from .frameworks import BatchedDerivative

        return BatchedDerivative(self, wrt, is_reverse=True, atomic=atomic)

    @hidden_frames
    def jvp(self, *, wrt: Sequence[str] | None = None) -> BatchedDerivative:
        """Return the forward derivative for arrays of NumPy; the argument is that of `vjp`."""
        from .frameworks import BatchedDerivative

        return BatchedDerivative(self, wrt, is_reverse=False)

    def gradient(
        self, wrt: Sequence[str] | None, of: object = None, *, atomic: bool = False
    ) -> BatchedGradient:
        """Return the gradient of the sum of all results, as `tt.grad` does."""
        from .frameworks import BatchedGradient

        if of is not None:
            message = f"expected no 'of' for a batched function, which names no results, got {of!r}"
            raise ArgumentError(f"{self.name}: {message}", argument="of")
        return BatchedGradient(self.vjp(wrt=wrt, atomic=atomic))

    @property
    @hidden_frames
    def text(self) -> str:
        """The program in the language, that of the last call, or for sizes of 3 and more."""
        from .programs import example_plan

        return (self._last or example_plan(self)).module.to_text()

    @hidden_frames
    def python(self, /, *values: Any, **named: Any) -> Any:
        """Run the function itself with NumPy, one element of the batch after the other."""
        from .on_numpy import run

        return run(self, self._positional(values, named) if named else values)

    def __reduce__(self) -> Any:
        return global_name(self) or (_restored, (self.source.state(), self._given))

    def __repr__(self) -> str:
        return f"<BatchedFunction {self.name}({', '.join(self.names)}) of {self.source.filename!r}>"


def _restored(state: tuple[Any, ...], signature: str | None) -> BatchedFunction:
    """Return a function that was pickled with its source."""
    return BatchedFunction(restored_source(*state), None, signature)


@overload
def batched(function: Callable[..., Any], /) -> BatchedFunction: ...
@overload
def batched(signature: str, /) -> Callable[[Callable[..., Any]], BatchedFunction]: ...


@hidden_frames
def batched(
    function: Callable[..., Any] | str, /
) -> BatchedFunction | Callable[[Callable[..., Any]], BatchedFunction]:
    """Return a function of one element as a function of a batch of them.

    The function is read, never executed; the first call compiles it.

    Args:
        function: the function, or a signature such as `"(n),(n,n)->(n)"` in place of annotations.

    Raises:
        ParseError: the source of the function cannot be read, or has changed since.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> @tt.batched
    ... def turned(A: tt.f64["n", "n"], x: tt.f64["n"]):
    ...     return A @ x / tt.norm(x)
    >>> turned(np.eye(2), np.array([[3.0, 4.0], [0.0, 2.0]]))
    array([[0.6, 0.8],
           [0. , 1. ]])
    >>> turned.signature
    '(n,n),(n)->(n)'
    """
    if isinstance(function, str):
        return hidden_frames(lambda found: BatchedFunction(source_of(found), found, function))
    return BatchedFunction(source_of(function), function, None)


__all__ = ["BatchedFunction", "batched"]
