# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for products of a tall matrix and a small one."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping

import numpy.typing as npt

from ..compiler import target_name
from ..errors import describe
from ..frontend.spelling import memref_text, size_text
from ..runtime.arrays.host_arrays import view_of
from ..runtime.bounds.group_bounds import GroupBound, Line
from ..runtime.bounds.launch_sums import LaunchValue, Term
from .gemm_recipe import GemmRecipe, KernelLaunch, Product
from .recipe import AsOperation, Checker, constant_text

# Rows of one work-group if the caller names none: the largest work-group of common GPUs, or less.
SUGGESTED_BLOCK = 128

_KERNEL = string.Template(
    """\
; C := alpha A B$beta_text, $m x $n x $k in blocks of $block rows
func @$name(%alpha: $type, %A: $A, %B: $B, %beta: $type, %C: $C) {
$zero  %g = group_id.x : index
  %block = constant $block : index
  %first = mul %g, %block : index
$body}
"""
)
_BLOCK = string.Template(
    """\
  %a$tag = subview %A[%first:$rows, 0:$k] : $a
  %c$tag = subview %C[%first:$rows, 0:$n] : $c
  gemm.n.n %alpha, %a$tag, %B, $beta, %c$tag
"""
)
# Few columns at a time are less code than all of them, for the driver to build.
_LAST_BLOCK = string.Template(
    """\
  %a_last = subview %A[%first:$rows, 0:$k] : $a
  for %j = 0, $n, $width {
    %b_last = subview %B[0:$k, %j:$width] : $b
    %c_last = subview %C[%first:$rows, %j:$width] : $c
    gemm.n.n %alpha, %a_last, %b_last, $beta, %c_last
  }
"""
)


class TallAndSkinny(GemmRecipe):
    """Products of a tall matrix and a small one; made by `tall_and_skinny`.

    Args:
        text: program in the tensor language.
        m_block_size: rows of one work-group.
        target: name of a target, a dpctl device or queue, or None for the default device.
    """

    _recipe = "tall_and_skinny"

    def __init__(
        self, text: str, m_block_size: int, leading: Mapping[str, int | None], target: object
    ) -> None:
        super().__init__(text, "gemm", target)
        self._m_block_size, self._leading = m_block_size, leading

    @property
    def m_block_size(self) -> int:
        """Rows of C that one work-group computes."""
        return self._m_block_size

    def _launches(self, product: Product) -> Iterator[KernelLaunch]:
        if product.howmany is not None:
            rule = f"expected None for a product that is no batch, got {describe(product.howmany)}"
            raise Checker("tall_and_skinny").error("howmany", rule)
        groups = self._groups(product.a, product.c)
        yield KernelLaunch(self.kernel(product.beta), product[:5], groups)

    def _as_operation(self) -> AsOperation:
        first = Line((Term(self._m_block_size),), ())
        rows = GroupBound("A", (0,), first, (Term(1, (LaunchValue("A", 0),)),))
        return super()._as_operation()._replace(shapes={"C": [("A", 0)]}, groups=[rows])

    def _groups(self, a: object, c: object) -> int:
        """Return the number of groups for the rows of A and C, which must be as many."""
        check = Checker("tall_and_skinny")
        try:
            rows, rows_of_a = (view_of(array).shape[:1] for array in (c, a))
        except ValueError:
            return 1  # the launch says what is wrong with the array
        if rows != rows_of_a and rows and rows_of_a:
            raise check.error("a", f"expected the {rows[0]} rows of C, got {rows_of_a[0]}")
        for name, most in self._leading.items():
            if rows and most is not None and rows[0] > most:
                raise check.error(name, f"expected at most ld{name} = {most} rows, got {rows[0]}")
        return -(-math.prod(rows) // self._m_block_size)


def tall_and_skinny(  # noqa: PLR0913  the parameters of the library's recipe
    dtype: npt.DTypeLike,
    n: int,
    k: int,
    *,
    m_block_size: int = 0,
    m: int | None = None,
    lda: int | None = None,
    ldb: int | None = None,
    ldc: int | None = None,
    alignment_a: int = 0,
    alignment_b: int = 0,
    alignment_c: int = 0,
    target: object = None,
) -> TallAndSkinny:
    """Return kernels for `C := alpha A B + beta C`, where A has many rows and B is small.

    Sizes and leading dimensions that are given are compiled into the kernels; the others are those
    of the arrays. A work-group computes some rows of C; the last one may have fewer.

    Args:
        dtype: element type of all matrices and factors: a name of the language, such as "c32", or
            a NumPy dtype; integers, floating and complex numbers.
        n: columns of B and C.
        k: columns of A and rows of B.
        m_block_size: rows of C that a work-group computes; 0 chooses. Leading dimensions of A and C
            that are given are at least as large.
        m: rows of A and C, None for any.
        lda: elements from one column of A to the next, None for any.
        ldb: likewise for B.
        ldc: likewise for C.
        alignment_a: bytes that the address of A is a multiple of, 0 for those of an element; the
            compiler relies on it, and launches check it.
        alignment_b: likewise for B.
        alignment_c: likewise for C.
        target: name of a target, a dpctl device or queue, or None for the default device.

    Returns:
        The recipe: call it with alpha, A, B, beta and C.

    Raises:
        ArgumentError: a parameter is not valid.
        LoweringError: there is no target of that name, and `m` is not given.
        DeviceError: the target is an object that is no device or queue, and `m` is not given.

    Source: Tiny Tensor Compiler 0.4, recipes `tall_and_skinny` and `tall_and_skinny_specialized`.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> gemm = tt.recipes.tall_and_skinny("f32", 2, 3, target="cpu")
    >>> a = np.ones((1000, 3), np.float32, order="F")
    >>> b = np.ones((3, 2), np.float32, order="F")
    >>> c = np.zeros((1000, 2), np.float32, order="F")
    >>> gemm(1.0, a, b, 0.0, c)
    >>> c[999]
    array([3., 3.], dtype=float32)
    """
    check = Checker("tall_and_skinny")
    type_ = check.type_name(dtype)
    n, k = check.size("n", n), check.size("k", k)
    m = None if m is None else check.size("m", m)
    block = check.block("m_block_size", m_block_size)
    values: dict[str, object] = {"type": type_, "m": "M" if m is None else m, "n": n, "k": k}
    strides: dict[str, tuple[int, int | None]] = {}
    for name, shape, leading, alignment in (
        ("A", (m, k), lda, alignment_a),
        ("B", (k, n), ldb, alignment_b),
        ("C", (m, n), ldc, alignment_c),
    ):
        letter = name.lower()
        # If M is not known, blocks of A and C have as many rows as the caller names, if any.
        rows, reason, size = shape[0], f"the rows of {name}", "n"
        if rows is None:
            rows, reason, size = block or None, "the rows of a block", "m_block_size"
        distance = None
        if leading is not None:
            size = f"ld{letter}"
            distance = check.at_least(size, leading, rows or 1, reason)
        strides[name] = (1, distance)
        check.memory(size, type_, (rows, shape[1]), strides[name])
        promised = check.alignment(f"alignment_{letter}", alignment)
        attributes = f" {{alignment={promised}}}" if promised else ""
        values[name] = memref_text(type_, shape, strides[name]) + attributes
    if not block:
        # A and C have no more rows than their leading dimensions.
        known = (m, strides["A"][1], strides["C"][1])
        block = min(SUGGESTED_BLOCK, *(SUGGESTED_BLOCK if each is None else each for each in known))
    values["block"] = block
    width = _last_columns(n) if m is None and target_name(target) == "cpu" else n
    body = _body(type_, (m, n, k), block, strides, width)
    zero = f"  %zero = constant {constant_text(0, type_)} : {type_}\n"
    texts = (
        _KERNEL.substitute(
            values,
            name="gemm",
            beta_text=" + beta C",
            zero="",
            body=body.substitute(beta="%beta"),
        ),
        _KERNEL.substitute(
            values, name="gemm_beta0", beta_text="", zero=zero, body=body.substitute(beta="%zero")
        ),
    )
    most_rows = {"a": lda, "c": ldc} if m is None else {}
    return TallAndSkinny("\n".join(texts), block, most_rows, target)


def _body(
    type_: str,
    sizes: tuple[int | None, int, int],
    block: int,
    strides: dict[str, tuple[int, int | None]],
    last_columns: int,
) -> string.Template:
    """Return the instructions of a work-group, with a variable `beta`.

    Args:
        type_: element type.
        sizes: M, N and K.
        block: rows of a work-group.
        strides: of A, B and C.
        last_columns: columns of C that the last work-group computes at once.
    """
    m, n, k = sizes

    def product(tag: str, rows: int | None, size: str, columns: int) -> str:
        template = _BLOCK if columns == n else _LAST_BLOCK
        return template.safe_substitute(
            tag=tag,
            rows=size,
            n=n,
            k=k,
            width=columns,
            a=memref_text(type_, (rows, k), strides["A"]),
            b=memref_text(type_, (k, columns), strides["B"]),
            c=memref_text(type_, (rows, columns), strides["C"]),
        )

    if m is not None and m % block == 0:
        return string.Template(product("", block, str(block), n))
    if m is not None and m < block:
        return string.Template(product("", m, str(m), n))
    last = None if m is None else m % block
    last_size = size_text(last).replace("?", "%rest")
    rows = "%rows = size %C[0] : index" if m is None else f"%rows = constant {m} : index"
    return string.Template(
        f"  {rows}\n"
        "  %rest = sub %rows, %first : index\n"
        "  %is_whole = greater_than_equal %rest, %block : bool\n"
        "  if %is_whole {\n"
        f"{product('', block, str(block), n)}"
        "  } else {\n"
        f"{product('_last', last, last_size, last_columns)}"
        "  }\n"
    )


def _last_columns(n: int) -> int:
    """Return how many of N columns the last work-group computes at once on a CPU."""
    if n <= 3:
        return n
    return next(width for width in (2, 3, 1) if n % width == 0)
