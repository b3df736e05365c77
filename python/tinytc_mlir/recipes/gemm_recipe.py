# SPDX-License-Identifier: BSD-3-Clause
"""How all recipes of products of matrices are launched."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..runtime.kernel import BoundKernel, Kernel
from ..runtime.launches.arguments import Groups
from ..runtime.launches.event import Event
from .recipe import Checker, Recipe, ScalarLike, Size, check_apart


class KernelLaunch(NamedTuple):
    """A launch of a kernel.

    Args:
        kernel: the kernel.
        arguments: its arguments.
        groups: how many groups there are in each dimension.
    """

    kernel: Kernel
    arguments: tuple[object, ...]
    groups: Groups


class Product(NamedTuple):
    """The arguments of a recipe."""

    alpha: ScalarLike
    a: object
    b: object
    beta: ScalarLike
    c: object
    howmany: Size | None
    queue: object


def _submitted(submits: Iterable[Callable[..., Event]], depends: Iterable[object]) -> Event:
    """Submit launches, each of which depends on the one before; return the last event."""
    events: list[Event] = []
    for submit in submits:
        events.append(submit(depends=events[-1:] or depends))
    events[-1].keep(events[:-1])
    return events[-1]


class BoundGemm:
    """Products with fixed arguments, of several kernels; made by `GemmRecipe.bind`.

    Args:
        kernels: the launches in their order.

    >>> BoundGemm([])()
    """

    def __init__(self, kernels: list[BoundKernel]) -> None:
        self._kernels = kernels

    def __call__(self) -> None:
        """Compute the products and wait until they are done."""
        for kernel in self._kernels:
            kernel()

    def submit(self, *, depends: Iterable[object] = ()) -> Event:
        """Launch all kernels and return the event of the last one at once.

        Args:
            depends: events that must be over before the first kernel starts.
        """
        return _submitted((kernel.submit for kernel in self._kernels), depends)


class GemmRecipe(Recipe, abc.ABC):
    """Kernels for `C := alpha op(A) op(B) + beta C`, or for a batch of such products.

    >>> import tinytc_mlir as tt
    >>> isinstance(tt.recipes.tall_and_skinny("f32", 2, 3, target="cpu"), GemmRecipe)
    True
    """

    @abc.abstractmethod
    def _launches(self, product: Product) -> Iterator[KernelLaunch]:
        """Yield the launches in their order."""

    def _checked(self, product: Product) -> Iterator[KernelLaunch]:
        operands = (("A", product.a), ("B", product.b))
        check_apart(Checker(self._recipe or self._name), "C", product.c, operands)
        return self._launches(product)

    def __call__(
        self,
        alpha: ScalarLike,
        a: object,
        b: object,
        beta: ScalarLike,
        c: object,
        *,
        howmany: Size | None = None,
        queue: object = None,
    ) -> None:
        """Compute `C := alpha op(A) op(B) + beta C` and wait until it is done.

        With a beta of zero, C is not read.

        Args:
            alpha: factor of the products.
            a: (M, K) array of NumPy or in USM, or (K, M) if A is transposed, with the strides that
                the recipe was made for; of a batch (M, K, howmany) or (K, M, howmany), without the
                last mode if its stride is 0.
            b: (K, N) or (N, K) array, likewise.
            beta: factor of C.
            c: (M, N) array, of a batch (M, N, howmany).
            howmany: number of products of a batch; None for all.
            queue: dpctl queue or device to launch on.

        Raises:
            ArgumentError: an array or a factor does not fit, or the target lacks the type; nothing
                was launched.
            LoweringError: the target rejects the program for another reason.
            DeviceError: there is no device, or it lacks a feature.
        """
        for kernel, arguments, groups in self._checked(
            Product(alpha, a, b, beta, c, howmany, queue)
        ):
            kernel(*arguments, groups=groups, queue=queue)

    def submit(  # noqa: PLR0913  as a call
        self,
        alpha: ScalarLike,
        a: object,
        b: object,
        beta: ScalarLike,
        c: object,
        *,
        howmany: Size | None = None,
        queue: object = None,
        depends: Iterable[object] = (),
    ) -> Event:
        """Launch the products and return the event of the last kernel.

        The arguments are those of a call; C is in USM memory. The first kernel starts when the
        events in `depends` are over.

        Raises:
            ArgumentError: an array or a factor does not fit; nothing was launched.
        """
        launches = self._checked(Product(alpha, a, b, beta, c, howmany, queue))
        submits = (
            functools.partial(kernel.submit, *arguments, groups=groups, queue=queue)
            for kernel, arguments, groups in launches
        )
        return _submitted(submits, depends)

    def bind(
        self,
        alpha: ScalarLike,
        a: object,
        b: object,
        beta: ScalarLike,
        c: object,
        *,
        howmany: Size | None = None,
        queue: object = None,
    ) -> BoundKernel | BoundGemm:
        """Return the launches with their arguments checked, to repeat them at little cost.

        Two of them that may run at the same time must be bound twice: slices of `ozaki_gemm` have
        memory of their own in each. The arguments are those of a call; all arrays are in USM
        memory.

        Raises:
            ArgumentError: an array or a factor does not fit.
        """
        launches = self._checked(Product(alpha, a, b, beta, c, howmany, queue))
        bound = [
            kernel.bind(*arguments, groups=groups, queue=queue)
            for kernel, arguments, groups in launches
        ]
        return bound[0] if len(bound) == 1 else BoundGemm(bound)
