# SPDX-License-Identifier: BSD-3-Clause
"""Types of parameters and values: `f32`, `f32[56, 9, None]`, `group[...]`, `coopmatrix[...]`.

Annotations are objects of these classes, and so are the types of values while a function is read.
Nothing here needs MLIR or the front-end: kernels whose programs are in the cache load neither.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from ..errors import ArgumentError, describe, hint
from ..scalars import SCALAR_TYPES
from ..shapes import Boxes, packed_stride
from ..zero_patterns import boxes_of

if TYPE_CHECKING:
    from ..scalars import Dtype

Size: TypeAlias = int | None
Promise: TypeAlias = int | tuple[int, ...] | Boxes
Known: TypeAlias = Mapping[str, Promise]
USES = ("matrix_a", "matrix_b", "matrix_acc")
_MOST_MODES = 99  # of a promise on its own; the type's own order is checked later
_KNOWN = ("alignment", "nonzero", "shape_gcd", "stride_gcd", "offset_gcd")


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A scalar type; in square brackets, the sizes of a memref, `None` for a dynamic one.

    >>> f32 = Scalar("f32")
    >>> f32[56, 9, None]
    f32[56, 9, None]
    >>> f32[8, 8].strided(1, None)
    f32[8, 8].strided(1, None)
    >>> f32["n", "n + 1"]
    f32['n', 'n + 1']
    """

    name: str

    def __getitem__(self, shape: object) -> Any:  # noqa: ANN401, Memref or Element
        items = shape if isinstance(shape, tuple) else (shape,)
        if any(isinstance(item, str) for item in items):
            sizes([item for item in items if not isinstance(item, str)], "a size")
            return Element(self, items)
        return Memref(self, sizes(shape, "a size"))

    def __call__(self, value: object) -> NoReturn:
        """Convert a number; only kernels do."""
        raise TypeError(f"expected {self.name}(...) in a kernel, got it in Python")

    @property
    def dtype(self) -> Dtype:
        """Dtype that arrays of this type usually have.

        >>> import numpy as np
        >>> np.zeros(2, Scalar("f16")).dtype
        dtype('float16')
        """
        return SCALAR_TYPES[self.name].array_dtype

    @property
    def kind(self) -> str:
        """The kind of scalar: "bool", "integer", "floating" or "complex"."""
        return SCALAR_TYPES[self.name].kind

    @property
    def real(self) -> Scalar:
        """Type of the components of a complex type, else the type itself."""
        return Scalar(SCALAR_TYPES[self.name].real.name)

    def __repr__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True)
class Element:
    """Type of a parameter of a batched function, with the names of its sizes.

    Args:
        element: type of the elements.
        shape: size of each mode: a number, a name as in `"n"` or `"n + 1"`, or None.
        boxes: where elements may be other than zero; None for everywhere.
    """

    element: Scalar
    shape: tuple[int | str | None, ...]
    boxes: Boxes | None = None

    def nonzero(self, pattern: object) -> Element:
        """Return the type of an array that is zero outside of a pattern, as `Memref.nonzero`."""
        return dataclasses.replace(self, boxes=boxes_of(pattern, len(self.shape)))

    def __repr__(self) -> str:
        text = f"{self.element}[{', '.join(map(repr, self.shape))}]"
        return text if self.boxes is None else f"{text}.nonzero({self.boxes})"


@dataclasses.dataclass(frozen=True)
class Memref:
    """Type of an array or of a part of one.

    Args:
        element: type of the elements.
        shape: size of each mode, None for a dynamic one.
        stride: strides in elements, None for the packed layout.
        space: "global" or "local".
        known: what a parameter promises: `alignment`, `nonzero`, `shape_gcd`, `stride_gcd`.
    """

    element: Scalar
    shape: tuple[Size, ...]
    stride: tuple[Size, ...] | None = None
    space: str = "global"
    known: tuple[tuple[str, Promise], ...] = ()

    def strided(self, *stride: Size) -> Memref:
        """Return the type with these strides, in elements."""
        given = sizes(stride, "a stride")
        if len(given) != len(self.shape):
            raise TypeError(f"expected {len(self.shape)} strides, got {len(given)}")
        return dataclasses.replace(self, stride=None if given == self.packed else given)

    def promise(self, **known: int | Sequence[Any]) -> Memref:
        """Return the type of a parameter whose arrays keep a promise.

        Args:
            known: `alignment` in bytes, `shape_gcd`, `stride_gcd` or `nonzero`.

        >>> Scalar("f32")[None].promise(shape_gcd=[4])
        f32[None].promise(shape_gcd=(4,))
        """
        return dataclasses.replace(self, known=promises(known))

    def nonzero(self, pattern: object) -> Memref:
        """Return the type of an array that is zero, and stays zero, outside of a pattern.

        Kernels skip products with what is zero, whatever the other factor is.

        Args:
            pattern: boxes, `(begin, end, begin, end)` for each block of rows and columns; or an
                array of bool, where elements may be other than zero. It is about the first modes,
                whose sizes must be known; modes that follow have the pattern for each index.

        Raises:
            TypeError: it is no pattern, or has more modes than the array.

        >>> Scalar("f64")[8, 8, None].nonzero([(0, 4, 0, 8), (4, 8, 4, 8)])
        f64[8, 8, None].promise(nonzero=((0, 4, 0, 8), (4, 8, 4, 8)))
        """
        return self.promise(nonzero=boxes_of(pattern, len(self.shape)))

    @property
    def packed(self) -> tuple[Size, ...]:
        """The strides of the packed layout."""
        return packed_stride(self.shape)

    @property
    def strides(self) -> tuple[Size, ...]:
        """The strides in elements, None for dynamic ones."""
        return self.packed if self.stride is None else self.stride

    def __repr__(self) -> str:
        text = f"{self.element}[{', '.join(map(str, self.shape)) or '()'}]"
        if self.stride is not None:
            text += f".strided({', '.join(map(str, self.stride))})"
        return text + _promised(self.known)


@dataclasses.dataclass(frozen=True)
class Group:
    """Type of a group of arrays, `group[f32[56, 9]]`; a second item is the offset.

    Args:
        memref: type of a member.
        offset: offset of the members, None for a dynamic one.
        size: number of members, None for a dynamic one.
        known: what a parameter promises.
    """

    memref: Memref
    offset: Size = 0
    size: Size = None
    known: tuple[tuple[str, Promise], ...] = ()

    def promise(self, **known: int | Sequence[Any]) -> Group:
        """Return the type of a parameter whose arrays keep a promise."""
        return dataclasses.replace(self, known=promises(known))

    def nonzero(self, pattern: object) -> Group:
        """Return the type of a group of arrays with a pattern of zeros, as `Memref.nonzero`."""
        return self.promise(nonzero=boxes_of(pattern, len(self.memref.shape)))

    def __repr__(self) -> str:
        rest = "" if (self.offset, self.size) == (0, None) else f", {self.offset}, {self.size}"
        return f"group[{self.memref}{rest}]" + _promised(self.known)


@dataclasses.dataclass(frozen=True)
class Coopmatrix:
    """Type of a matrix that a subgroup holds, `coopmatrix[f32, 16, 8, "matrix_acc"]`."""

    element: Scalar
    rows: int
    columns: int
    use: str

    def __repr__(self) -> str:
        return f"coopmatrix[{self.element}, {self.rows}, {self.columns}, {self.use!r}]"


Type: TypeAlias = Scalar | Memref | Group | Coopmatrix
TYPES = (Scalar, Memref, Group, Coopmatrix)


class GroupOf:
    """The object `tt.group`: `tt.group[memref]`, `tt.group[memref, offset]` and the size after."""

    def __getitem__(self, items: object) -> Group:
        memref, *rest = items if isinstance(items, tuple) else (items,)
        if not isinstance(memref, Memref) or len(rest) > 2:
            raise TypeError(f"expected group[memref, offset, size], got {describe(items)}")
        given = sizes(rest, "an offset or a size")
        offset = given[0] if given else 0
        return Group(memref, offset, given[1] if len(given) > 1 else None)

    def __repr__(self) -> str:
        return "group"


class CoopmatrixOf:
    """The object `tt.coopmatrix`, for `tt.coopmatrix[type, rows, columns, use]`."""

    def __getitem__(self, items: object) -> Coopmatrix:
        if not isinstance(items, tuple) or len(items) != 4 or not isinstance(items[0], Scalar):
            raise TypeError(f"expected coopmatrix[type, rows, columns, use], got {describe(items)}")
        element, rows, columns, use = items
        if use not in USES:
            raise TypeError(f"expected one of {', '.join(USES)}, got {use!r}{hint(str(use), USES)}")
        if type(rows) is not int or type(columns) is not int:
            raise TypeError(f"expected integers, got {describe(rows)} and {describe(columns)}")
        return Coopmatrix(element, rows, columns, use)

    def __repr__(self) -> str:
        return "coopmatrix"


class Const:
    """The object `tt.const`, which annotates a parameter that is known at compile time."""

    def __repr__(self) -> str:
        return "const"


SCALARS = {name: Scalar(name) for name in SCALAR_TYPES}
OBJECTS: dict[str, object] = {
    **SCALARS,
    "group": GroupOf(),
    "coopmatrix": CoopmatrixOf(),
    "const": Const(),
}
"""Names of `tt` that are no instructions."""


def type_of(kernel: str, name: str, value: Any) -> Type:  # noqa: ANN401, any array
    """Return the type that an array gives to a parameter without annotation."""
    if type(value) is bool:
        return Scalar("bool")
    dtype = str(getattr(value, "dtype", None)).removeprefix("torch.")
    names = {each.name: (each.numpy, each.dtype_names()[0]) for each in SCALAR_TYPES.values()}
    found = [each for each, dtypes in names.items() if dtype in dtypes]
    if not found or not hasattr(value, "shape"):
        what, given = "an array or a number", describe(value)
        if hasattr(value, "shape") and dtype != "None":
            dtypes = dict.fromkeys(last for each, (_, last) in names.items() if each != "bool")
            what, given = f"an array of {', '.join(dtypes)}", f"dtype {dtype}"
        message = f"expected {what} for a parameter without a type, got {given}"
        raise ArgumentError(f"{kernel}: {name}: {message}", argument=name)
    scalar = Scalar(found[0])
    return Memref(scalar, tuple(size or None for size in value.shape)) if value.shape else scalar


def sizes(shape: object, what: str) -> tuple[Size, ...]:
    """Return checked sizes.

    Raises:
        TypeError: one is neither an integer nor None.
    """
    items = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for item in items:
        if item is not None and type(item) is not int:
            raise TypeError(f"expected {what} (an integer or None), got {describe(item)}")
    return items


def promises(known: Mapping[str, object]) -> tuple[tuple[str, Promise], ...]:
    """Return the attributes of a parameter as an annotation keeps them."""
    found: list[tuple[str, Promise]] = []
    for name, value in known.items():
        if name not in _KNOWN:
            raise TypeError(f"expected {', '.join(_KNOWN)}, got {name!r}{hint(name, _KNOWN)}")
        if name == "nonzero":
            found.append((name, boxes_of(value, _MOST_MODES)))
            continue
        items = tuple(value) if isinstance(value, (tuple, list)) else value
        if not all(type(each) is int for each in (items if isinstance(items, tuple) else (items,))):
            raise TypeError(f"expected integers for {name}, got {describe(value)}")
        found.append((name, items))  # type: ignore[arg-type]
    return tuple(found)


def _promised(known: tuple[tuple[str, object], ...]) -> str:
    listed = ", ".join(f"{name}={value}" for name, value in known)
    return f".promise({listed})" if listed else ""
