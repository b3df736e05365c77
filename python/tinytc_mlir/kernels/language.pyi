# SPDX-License-Identifier: BSD-3-Clause
"""Types and instructions that kernels name after `tt`, for type checkers and editors.

test/python/python_kernels/language_stub.py writes this file from the dialect's ODS.
"""

import builtins
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from . import values_of_kernels as _values
from .values_of_kernels import Matrix as _Matrix
from .values_of_kernels import Members as _Members
from .values_of_kernels import Number as _Number
from .values_of_kernels import Operand as _Operand
from .values_of_kernels import Typed as _Typed
from .values_of_kernels import View as _View

if _values.MYPY:
    bf16: Any

    bool: Any

    c32: Any

    c64: Any

    f16: Any

    f32: Any

    f64: Any

    i16: Any

    i32: Any

    i64: Any

    i8: Any

    index: Any

    group: Any

else:
    class bf16(_Typed): ...
    class bool(_Typed): ...
    class c32(_Typed): ...
    class c64(_Typed): ...
    class f16(_Typed): ...
    class f32(_Typed): ...
    class f64(_Typed): ...
    class i16(_Typed): ...
    class i32(_Typed): ...
    class i64(_Typed): ...
    class i8(_Typed): ...
    class index(_Typed): ...
    class group(_Members): ...

coopmatrix: Any
const: TypeAlias = Any

def abs(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Absolute value.

    Returns |a|.
    """

def add(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Sum of operands.

    Returns a + b.
    """

def and_(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Bitwise and.

    Returns the bitwise conjunction of a and b.
    """

def assert_(condition: _Operand, text: builtins.str) -> None:
    """Report in debug builds that a condition does not hold.

    States that the condition holds. A debug build and the interpreter report where it does
    not; other builds contain neither the assertion nor what only it uses.
    """

def associated(source: _View, type: Any = None) -> _Number:
    """Whether there is memory behind a memref or a group.

    Returns whether the base pointer is not null: a launch may pass none for a parameter. A
    view is associated if the memref that it is a view of is, whatever its offset; local
    memory always is.
    """

class _atomic_add:
    """Atomic addition to one element of a memref."""

    cross_device: _atomic_add
    device: _atomic_add
    work_group: _atomic_add
    subgroup: _atomic_add
    relaxed: _atomic_add
    acquire: _atomic_add
    release: _atomic_add
    acquire_release: _atomic_add
    sequentially_consistent: _atomic_add
    def __call__(
        self, value: _Operand, dest: _View, *indices: _Operand, type: Any = None
    ) -> _Number:
        """Atomic addition to one element of a memref.

        Adds the value to the element at the indices in one step, the parts of complex
        numbers one by one. The result is the element before the update. Scope and semantics
        are those of `atomic_load`.
        """

atomic_add: _atomic_add

class _atomic_load:
    """Atomic read of one element of a memref."""

    cross_device: _atomic_load
    device: _atomic_load
    work_group: _atomic_load
    subgroup: _atomic_load
    relaxed: _atomic_load
    acquire: _atomic_load
    release: _atomic_load
    acquire_release: _atomic_load
    sequentially_consistent: _atomic_load
    def __call__(self, source: _View, *indices: _Operand, type: Any = None) -> _Number:
        """Atomic read of one element of a memref.

        Returns the element at the indices, read in one step. The real and the imaginary
        part of a complex element are read one by one.
        """

atomic_load: _atomic_load

class _atomic_max:
    """Atomic maximum of one element of a memref."""

    cross_device: _atomic_max
    device: _atomic_max
    work_group: _atomic_max
    subgroup: _atomic_max
    relaxed: _atomic_max
    acquire: _atomic_max
    release: _atomic_max
    acquire_release: _atomic_max
    sequentially_consistent: _atomic_max
    def __call__(
        self, value: _Operand, dest: _View, *indices: _Operand, type: Any = None
    ) -> _Number:
        """Atomic maximum of one element of a memref.

        Replaces the element at the indices by the larger one of it and the value, as
        `arith.max` does, in one step. The result is the element before the update. Scope
        and semantics are those of `atomic_load`.
        """

atomic_max: _atomic_max

class _atomic_min:
    """Atomic minimum of one element of a memref."""

    cross_device: _atomic_min
    device: _atomic_min
    work_group: _atomic_min
    subgroup: _atomic_min
    relaxed: _atomic_min
    acquire: _atomic_min
    release: _atomic_min
    acquire_release: _atomic_min
    sequentially_consistent: _atomic_min
    def __call__(
        self, value: _Operand, dest: _View, *indices: _Operand, type: Any = None
    ) -> _Number:
        """Atomic minimum of one element of a memref.

        Replaces the element at the indices by the smaller one of it and the value, as
        `arith.min` does, in one step. The result is the element before the update. Scope
        and semantics are those of `atomic_load`.
        """

atomic_min: _atomic_min

class _atomic_store:
    """Atomic write of one element of a memref."""

    cross_device: _atomic_store
    device: _atomic_store
    work_group: _atomic_store
    subgroup: _atomic_store
    relaxed: _atomic_store
    acquire: _atomic_store
    release: _atomic_store
    acquire_release: _atomic_store
    sequentially_consistent: _atomic_store
    def __call__(self, value: _Operand, dest: _View, *indices: _Operand) -> None:
        """Atomic write of one element of a memref.

        Writes the value to the element at the indices in one step. The real and the
        imaginary part of a complex value are written one by one. Scope and semantics are
        those of `atomic_load`.
        """

atomic_store: _atomic_store

class _axpby:
    """Scaled sum of vectors or matrices."""

    n: _axpby
    t: _axpby
    atomic: _axpby
    def __call__(self, alpha: _Operand, a: _View, beta: _Operand, b: _View) -> None:
        """Scaled sum of vectors or matrices.

        B := alpha op(A) + beta B, where op(A) is the transpose of a matrix A if the
        modifier is `t`, else A. B is not read where beta is 0.
        """

axpby: _axpby

class _barrier:
    """Control barrier of the work-group with memory fences."""

    global_: _barrier
    local: _barrier
    def __call__(
        self,
    ) -> None:
        """Control barrier of the work-group with memory fences.

        No work-item passes the barrier before all work-items of the work-group have reached
        it; all of them must reach it. The modifiers name the memory whose accesses before
        the barrier are visible to the work-group after it.
        """

barrier: _barrier

def bitcast(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Bits of a scalar or of a coopmatrix as another type.

    Returns the value whose bits are those of a, component by component for a cooperative
    matrix. The real part of a c32 is in the lower half of an i64.
    """

def cast(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Conversion of a scalar or of a coopmatrix.

    Converts a, component by component for a cooperative matrix. Integers are sign-extended
    or truncated; floating-point numbers are rounded to nearest, or toward zero if the
    result is an integer; the imaginary part of a converted real is zero.
    """

def ceil(a: _Operand, type: Any = None) -> _Number:
    """Rounding up.

    Returns the smallest integer that is not below a.
    """

def conj(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Complex conjugate.

    Returns the complex conjugate of a.
    """

def constant(value: Any, type: Any = None) -> Any:
    """Constant value.

    Returns a constant; all components of a cooperative matrix are set to it.
    """

def cooperative_matrix_apply(*matrices: _Matrix, type: Any = None) -> Iterator[tuple[Any, ...]]:
    """Yields row, column and components; the last name that the body changes is the result."""

class _cooperative_matrix_atomic_add:
    """Cooperative matrix added by atomic additions."""

    n: _cooperative_matrix_atomic_add
    t: _cooperative_matrix_atomic_add
    rows_checked: _cooperative_matrix_atomic_add
    cols_checked: _cooperative_matrix_atomic_add
    both_checked: _cooperative_matrix_atomic_add
    cross_device: _cooperative_matrix_atomic_add
    device: _cooperative_matrix_atomic_add
    work_group: _cooperative_matrix_atomic_add
    subgroup: _cooperative_matrix_atomic_add
    relaxed: _cooperative_matrix_atomic_add
    acquire: _cooperative_matrix_atomic_add
    release: _cooperative_matrix_atomic_add
    acquire_release: _cooperative_matrix_atomic_add
    sequentially_consistent: _cooperative_matrix_atomic_add
    def __call__(
        self, matrix: _Matrix, dest: _View, x: _Operand, y: _Operand, type: Any = None
    ) -> _Matrix:
        """Cooperative matrix added by atomic additions.

        Adds the components of a matrix A to the elements M_ij, each in one step, the parts
        of complex numbers one by one. M_ij is M(x + i, y + j), or M(x + j, y + i) if the
        modifier is `t`. The components of the result are the elements before the update.
        Checked rows, columns or both are not updated where they are outside M, and the
        result is 0 there. Scope and semantics are those of `atomic_load`.
        """

cooperative_matrix_atomic_add: _cooperative_matrix_atomic_add

class _cooperative_matrix_atomic_load:
    """Cooperative matrix read by atomic loads."""

    n: _cooperative_matrix_atomic_load
    t: _cooperative_matrix_atomic_load
    rows_checked: _cooperative_matrix_atomic_load
    cols_checked: _cooperative_matrix_atomic_load
    both_checked: _cooperative_matrix_atomic_load
    cross_device: _cooperative_matrix_atomic_load
    device: _cooperative_matrix_atomic_load
    work_group: _cooperative_matrix_atomic_load
    subgroup: _cooperative_matrix_atomic_load
    relaxed: _cooperative_matrix_atomic_load
    acquire: _cooperative_matrix_atomic_load
    release: _cooperative_matrix_atomic_load
    acquire_release: _cooperative_matrix_atomic_load
    sequentially_consistent: _cooperative_matrix_atomic_load
    def __call__(self, source: _View, x: _Operand, y: _Operand, type: Any = None) -> _Matrix:
        """Cooperative matrix read by atomic loads.

        A_ij := M(x + i, y + j), or M(x + j, y + i) if the modifier is `t`, each component
        by an atomic load of its own. Checked rows, columns or both are 0 where they are
        outside M. Scope and semantics are those of `atomic_load`.
        """

cooperative_matrix_atomic_load: _cooperative_matrix_atomic_load

class _cooperative_matrix_atomic_max:
    """Atomic maximum with a cooperative matrix."""

    n: _cooperative_matrix_atomic_max
    t: _cooperative_matrix_atomic_max
    rows_checked: _cooperative_matrix_atomic_max
    cols_checked: _cooperative_matrix_atomic_max
    both_checked: _cooperative_matrix_atomic_max
    cross_device: _cooperative_matrix_atomic_max
    device: _cooperative_matrix_atomic_max
    work_group: _cooperative_matrix_atomic_max
    subgroup: _cooperative_matrix_atomic_max
    relaxed: _cooperative_matrix_atomic_max
    acquire: _cooperative_matrix_atomic_max
    release: _cooperative_matrix_atomic_max
    acquire_release: _cooperative_matrix_atomic_max
    sequentially_consistent: _cooperative_matrix_atomic_max
    def __call__(
        self, matrix: _Matrix, dest: _View, x: _Operand, y: _Operand, type: Any = None
    ) -> _Matrix:
        """Atomic maximum with a cooperative matrix.

        Replaces the elements M_ij by the larger one of M_ij and A_ij, as `arith.max` does,
        each in one step. M_ij is M(x + i, y + j), or M(x + j, y + i) if the modifier is
        `t`. The components of the result are the elements before the update. Checked rows,
        columns or both are not updated where they are outside M, and the result is 0 there.
        Scope and semantics are those of `atomic_load`.
        """

cooperative_matrix_atomic_max: _cooperative_matrix_atomic_max

class _cooperative_matrix_atomic_min:
    """Atomic minimum with a cooperative matrix."""

    n: _cooperative_matrix_atomic_min
    t: _cooperative_matrix_atomic_min
    rows_checked: _cooperative_matrix_atomic_min
    cols_checked: _cooperative_matrix_atomic_min
    both_checked: _cooperative_matrix_atomic_min
    cross_device: _cooperative_matrix_atomic_min
    device: _cooperative_matrix_atomic_min
    work_group: _cooperative_matrix_atomic_min
    subgroup: _cooperative_matrix_atomic_min
    relaxed: _cooperative_matrix_atomic_min
    acquire: _cooperative_matrix_atomic_min
    release: _cooperative_matrix_atomic_min
    acquire_release: _cooperative_matrix_atomic_min
    sequentially_consistent: _cooperative_matrix_atomic_min
    def __call__(
        self, matrix: _Matrix, dest: _View, x: _Operand, y: _Operand, type: Any = None
    ) -> _Matrix:
        """Atomic minimum with a cooperative matrix.

        Replaces the elements M_ij by the smaller one of M_ij and A_ij, as `arith.min` does,
        each in one step. M_ij is M(x + i, y + j), or M(x + j, y + i) if the modifier is
        `t`. The components of the result are the elements before the update. Checked rows,
        columns or both are not updated where they are outside M, and the result is 0 there.
        Scope and semantics are those of `atomic_load`.
        """

cooperative_matrix_atomic_min: _cooperative_matrix_atomic_min

class _cooperative_matrix_atomic_store:
    """Cooperative matrix written by atomic stores."""

    n: _cooperative_matrix_atomic_store
    t: _cooperative_matrix_atomic_store
    rows_checked: _cooperative_matrix_atomic_store
    cols_checked: _cooperative_matrix_atomic_store
    both_checked: _cooperative_matrix_atomic_store
    cross_device: _cooperative_matrix_atomic_store
    device: _cooperative_matrix_atomic_store
    work_group: _cooperative_matrix_atomic_store
    subgroup: _cooperative_matrix_atomic_store
    relaxed: _cooperative_matrix_atomic_store
    acquire: _cooperative_matrix_atomic_store
    release: _cooperative_matrix_atomic_store
    acquire_release: _cooperative_matrix_atomic_store
    sequentially_consistent: _cooperative_matrix_atomic_store
    def __call__(self, matrix: _Matrix, dest: _View, x: _Operand, y: _Operand) -> None:
        """Cooperative matrix written by atomic stores.

        M(x + i, y + j) := A_ij, or M(x + j, y + i) := A_ij if the modifier is `t`, each
        component by an atomic store of its own. Checked rows, columns or both are not
        written where they are outside M. Scope and semantics are those of `atomic_load`.
        """

cooperative_matrix_atomic_store: _cooperative_matrix_atomic_store

def cooperative_matrix_construct(scalar: _Operand, type: Any = None) -> _Matrix:
    """Cooperative matrix whose components are all equal.

    Returns the matrix whose components are the scalar.
    """

def cooperative_matrix_extract(matrix: _Matrix, index: builtins.int, type: Any = None) -> _Number:
    """Component that the work-item holds.

    Returns an entry of the vector of components that the work-item holds of the matrix; 0
    where the entry is padding. The layout says which component that is:
    docs/decisions/coopmatrix-layout.md.
    """

def cooperative_matrix_insert(
    scalar: _Operand, matrix: _Matrix, index: builtins.int, type: Any = None
) -> _Matrix:
    """Cooperative matrix with another component.

    Returns the matrix in which the scalar replaces an entry of the vector of components
    that the work-item holds; where the entry is padding, nothing changes. Each work-item
    inserts a scalar of its own.
    """

class _cooperative_matrix_load:
    """Cooperative matrix read from a matrix in memory."""

    n: _cooperative_matrix_load
    t: _cooperative_matrix_load
    rows_checked: _cooperative_matrix_load
    cols_checked: _cooperative_matrix_load
    both_checked: _cooperative_matrix_load
    def __call__(self, source: _View, x: _Operand, y: _Operand, type: Any = None) -> _Matrix:
        """Cooperative matrix read from a matrix in memory.

        A_ij := M(x + i, y + j), or M(x + j, y + i) if the modifier is `t`. Checked rows,
        columns or both are 0 where they are outside M.
        """

cooperative_matrix_load: _cooperative_matrix_load

def cooperative_matrix_mul_add(a: _Matrix, b: _Matrix, c: _Matrix, type: Any = None) -> _Matrix:
    """Product of cooperative matrices plus a third.

    Returns A B + C.
    """

def cooperative_matrix_prefetch(
    level: builtins.int,
    source: _View,
    x: _Operand,
    y: _Operand,
    rows: builtins.int,
    columns: builtins.int,
) -> None:
    """Hint that a block of a matrix will be loaded.

    Asks for M(x + i, y + j), 0 <= i < rows, 0 <= j < columns, in the cache of a level, 0
    being the nearest. A hint: it may be ignored, and the block may lie outside M.
    """

class _cooperative_matrix_reduce_add:
    """Sums of the rows or the columns of a cooperative matrix."""

    row: _cooperative_matrix_reduce_add
    column: _cooperative_matrix_reduce_add
    def __call__(self, matrix: _Matrix, type: Any = None) -> _Matrix:
        """Sums of the rows or the columns of a cooperative matrix.

        Returns the sums of rows or columns. With `row`, component i of the M x 1 result is
        that of row i of the M x N matrix, with `column`, component j of the 1 x N result is
        that of column j. The order in which components are combined is not defined.
        """

cooperative_matrix_reduce_add: _cooperative_matrix_reduce_add

class _cooperative_matrix_reduce_max:
    """Maxima of the rows or the columns of a cooperative matrix."""

    row: _cooperative_matrix_reduce_max
    column: _cooperative_matrix_reduce_max
    def __call__(self, matrix: _Matrix, type: Any = None) -> _Matrix:
        """Maxima of the rows or the columns of a cooperative matrix.

        Returns the largest components of rows or columns. With `row`, component i of the M
        x 1 result is that of row i of the M x N matrix, with `column`, component j of the 1
        x N result is that of column j. The order in which components are combined is not
        defined.
        """

cooperative_matrix_reduce_max: _cooperative_matrix_reduce_max

class _cooperative_matrix_reduce_min:
    """Minima of the rows or the columns of a cooperative matrix."""

    row: _cooperative_matrix_reduce_min
    column: _cooperative_matrix_reduce_min
    def __call__(self, matrix: _Matrix, type: Any = None) -> _Matrix:
        """Minima of the rows or the columns of a cooperative matrix.

        Returns the smallest components of rows or columns. With `row`, component i of the M
        x 1 result is that of row i of the M x N matrix, with `column`, component j of the 1
        x N result is that of column j. The order in which components are combined is not
        defined.
        """

cooperative_matrix_reduce_min: _cooperative_matrix_reduce_min

def cooperative_matrix_scale(scalar: _Operand, matrix: _Matrix, type: Any = None) -> _Matrix:
    """Cooperative matrix times a scalar.

    Returns the matrix, each component multiplied by the scalar.
    """

class _cooperative_matrix_store:
    """Cooperative matrix written to a matrix in memory."""

    n: _cooperative_matrix_store
    t: _cooperative_matrix_store
    rows_checked: _cooperative_matrix_store
    cols_checked: _cooperative_matrix_store
    both_checked: _cooperative_matrix_store
    atomic: _cooperative_matrix_store
    atomic_add: _cooperative_matrix_store
    def __call__(self, matrix: _Matrix, dest: _View, x: _Operand, y: _Operand) -> None:
        """Cooperative matrix written to a matrix in memory.

        M(x + i, y + j) := A_ij, or M(x + j, y + i) := A_ij if the modifier is `t`. Checked
        rows, columns or both of A are not written where they are outside M. The memory
        order of `atomic` and `atomic_add` is relaxed; `atomic_add` adds to M. The real and
        the imaginary part of a complex component may be updated one by one.
        """

cooperative_matrix_store: _cooperative_matrix_store

def cos(a: _Operand, type: Any = None) -> _Number:
    """Cosine.

    Returns the cosine of a, in radians.
    """

class _cumsum:
    """Cumulative sum along one mode."""

    atomic: _cumsum
    def __call__(
        self, alpha: _Operand, a: _View, mode: builtins.int, beta: _Operand, b: _View
    ) -> None:
        """Cumulative sum along one mode.

        B(..., j, ...) := alpha (A(..., 0, ...) + ... + A(..., j, ...)) + beta B(..., j,
        ...) along the mode. B is not read where beta is 0.
        """

cumsum: _cumsum

def div(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Quotient of operands.

    Returns a / b, rounded toward zero for integers, which must not be divided by zero.
    """

def equal(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Equal.

    Returns whether a = b; integers are signed.
    """

def exp(a: _Operand, type: Any = None) -> _Number:
    """Exponential function.

    Returns e^a.
    """

def exp2(a: _Operand, type: Any = None) -> _Number:
    """Power of two.

    Returns 2^a.
    """

def expand(source: _View, mode: builtins.int, sizes: Any, *, type: Any = None) -> _View:
    """Returns a view with one mode split into several."""

def expandc2r(source: _View, type: Any = None) -> _View:
    """View of complex numbers as their parts.

    Returns a view of a tensor of complex numbers as one of real numbers, whose new first
    mode has size 2: index 0 is the real part, index 1 the imaginary part.
    """

def expm1(a: _Operand, type: Any = None) -> _Number:
    """Exponential function less 1.

    Returns e^a - 1, exact for small a.
    """

def floor(a: _Operand, type: Any = None) -> _Number:
    """Rounding down.

    Returns the largest integer that is not above a.
    """

def fma(a: _Operand, b: _Operand, c: _Operand, type: Any = None) -> _Number:
    """Product and sum with one rounding.

    Returns a b + c with one rounding.
    """

def foreach(*ranges: Any) -> Iterator[Any]:
    """Yields the indices of a grid, which work-items share."""

def foreach_tile(*ranges: Any) -> Iterator[tuple[_Number, ...]]:
    """Yields where tiles begin, and their extents; the last operand is the size of a tile."""

def fuse(source: _View, from_: builtins.int, to: builtins.int, type: Any = None) -> _View:
    """View with adjacent modes joined into one.

    Returns a view of the source in which one mode replaces the modes `from` to `to`.
    """

class _gemm:
    """General matrix-matrix product."""

    n: _gemm
    t: _gemm
    atomic: _gemm
    def __call__(self, alpha: _Operand, a: _View, b: _View, beta: _Operand, c: _View) -> None:
        """General matrix-matrix product.

        C := alpha op_1(A) op_2(B) + beta C, where op_i(X) is the transpose of X if the i-th
        modifier is `t`, else X. C is not read where beta is 0.
        """

gemm: _gemm

class _gemv:
    """General matrix-vector product."""

    n: _gemv
    t: _gemv
    atomic: _gemv
    def __call__(self, alpha: _Operand, a: _View, b: _View, beta: _Operand, c: _View) -> None:
        """General matrix-vector product.

        c := alpha op(A) b + beta c, where op(A) is the transpose of A if the modifier is
        `t`, else A. c is not read where beta is 0.
        """

gemv: _gemv

class _ger:
    """General rank-1 update."""

    atomic: _ger
    def __call__(self, alpha: _Operand, a: _View, b: _View, beta: _Operand, c: _View) -> None:
        """General rank-1 update.

        C := alpha a b^T + beta C. C is not read where beta is 0.
        """

ger: _ger

def greater_than(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Greater than.

    Returns whether a > b; integers are signed.
    """

def greater_than_equal(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Greater than or equal.

    Returns whether a >= b; integers are signed.
    """

class _group_id(_Number):
    """Index of the work-group."""

    x: _Number
    y: _Number
    z: _Number

group_id: _group_id

class _group_size(_Number):
    """Number of work-groups."""

    x: _Number
    y: _Number
    z: _Number

group_size: _group_size

class _hadamard:
    """Element-wise product of vectors or matrices."""

    atomic: _hadamard
    def __call__(self, alpha: _Operand, a: _View, b: _View, beta: _Operand, c: _View) -> None:
        """Element-wise product of vectors or matrices.

        c_i := alpha a_i b_i + beta c_i for vectors, C_ij := alpha A_ij B_ij + beta C_ij for
        matrices. c is not read where beta is 0.
        """

hadamard: _hadamard

class _hadamard_product:
    """Element-wise product of vectors or matrices."""

    atomic: _hadamard_product
    def __call__(self, alpha: _Operand, a: _View, b: _View, beta: _Operand, c: _View) -> None:
        """Element-wise product of vectors or matrices.

        c_i := alpha a_i b_i + beta c_i for vectors, C_ij := alpha A_ij B_ij + beta C_ij for
        matrices. c is not read where beta is 0.
        """

hadamard_product: _hadamard_product

def hypot(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Length of a vector of two components.

    Returns sqrt(a^2 + b^2) without overflow on the way.
    """

def im(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Imaginary part.

    Returns the imaginary part of a.
    """

def less_than(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Less than.

    Returns whether a < b; integers are signed.
    """

def less_than_equal(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Less than or equal.

    Returns whether a <= b; integers are signed.
    """

def lifetime_stop(memref: _View) -> None:
    """End of the life of an alloca.

    Ends the life of local memory before the end of its block, so that the memory can be
    reused.
    """

def local(type: Any, shape: Any = None, **options: Any) -> _View:
    """Returns local memory of the group."""

def log(a: _Operand, type: Any = None) -> _Number:
    """Natural logarithm.

    Returns the natural logarithm of a.
    """

def log1p(a: _Operand, type: Any = None) -> _Number:
    """Natural logarithm of 1 plus the operand.

    Returns the natural logarithm of 1 + a, exact for small a.
    """

def log2(a: _Operand, type: Any = None) -> _Number:
    """Logarithm to base 2.

    Returns the logarithm of a to base 2.
    """

def max(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Maximum of operands.

    Returns the larger of a and b; integers are signed.
    """

def min(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Minimum of operands.

    Returns the smaller of a and b; integers are signed.
    """

def mul(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Product of operands.

    Returns a b.
    """

def native_cos(a: _Operand, type: Any = None) -> _Number:
    """Cosine with implementation-defined error.

    Returns the cosine of a, in radians, with an error that the implementation defines.
    """

def native_exp(a: _Operand, type: Any = None) -> _Number:
    """Exponential function with implementation-defined error.

    Returns e^a with an error that the implementation defines.
    """

def native_exp2(a: _Operand, type: Any = None) -> _Number:
    """Power of two with implementation-defined error.

    Returns 2^a with an error that the implementation defines.
    """

def native_log(a: _Operand, type: Any = None) -> _Number:
    """Natural logarithm with implementation-defined error.

    Returns the natural logarithm of a with an error that the implementation defines.
    """

def native_log2(a: _Operand, type: Any = None) -> _Number:
    """Logarithm to base 2 with implementation-defined error.

    Returns the logarithm of a to base 2 with an error that the implementation defines.
    """

def native_sin(a: _Operand, type: Any = None) -> _Number:
    """Sine with implementation-defined error.

    Returns the sine of a, in radians, with an error that the implementation defines.
    """

def neg(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Negation.

    Returns -a.
    """

def not_(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Bitwise not.

    Returns the bitwise complement of a.
    """

def not_equal(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Not equal.

    Returns whether a != b; integers are signed.
    """

class _num_groups(_Number):
    """Number of work-groups."""

    x: _Number
    y: _Number
    z: _Number

num_groups: _num_groups

class _num_subgroups(_Number):
    """Number of subgroups in the work-group."""

    x: _Number
    y: _Number
    z: _Number

num_subgroups: _num_subgroups

def or_(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Bitwise or.

    Returns the bitwise disjunction of a and b.
    """

def outer(x: _View, y: _View) -> _View:
    """Returns the outer product, in an assignment."""

def parallel() -> AbstractContextManager[None]:
    """Begins a region that each work-item runs."""

def pow(a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Power.

    Returns a^b.
    """

def print(text: builtins.str, *values: _Operand) -> None:
    """Print of numbers in debug builds.

    Prints the text and the values, as `text: value, value`, with the group and the work-
    item. A debug build prints after the launch, the interpreter at once; other builds
    contain neither the print nor what only it uses. In a collective region it prints once
    for a group.
    """

def re(a: _Operand | _Matrix, type: Any = None) -> Any:
    """Real part.

    Returns the real part of a.
    """

def rem(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Remainder of the division of operands.

    Returns the remainder of a / b with the sign of a; the divisor of integers must not be
    zero.
    """

def rsqrt(a: _Operand, type: Any = None) -> _Number:
    """Reciprocal of the square root.

    Returns 1 / sqrt(a).
    """

def select(condition: _Operand, a: _Operand, b: _Operand, type: Any = None) -> _Number:
    """Choice between two values.

    Returns a where the condition is true, else b. Both are computed.
    """

def shl(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Left shift.

    Shifts a to the left by b bits, b taken modulo the number of bits of a.
    """

def shr(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Arithmetic right shift.

    Shifts a to the right by b bits, b taken modulo the number of bits of a, and keeps the
    sign.
    """

def sin(a: _Operand, type: Any = None) -> _Number:
    """Sine.

    Returns the sine of a, in radians.
    """

def size(source: _View, mode: builtins.int, type: Any = None) -> _Number:
    """Size of a mode or of a group.

    Returns the size of a mode of a memref, or the number of elements of a group.
    """

def sqrt(a: _Operand, type: Any = None) -> _Number:
    """Square root.

    Returns the square root of a.
    """

class _store:
    """Write of one element of a memref."""

    atomic: _store
    atomic_add: _store
    def __call__(self, value: _Operand, dest: _View, *indices: _Operand) -> None:
        """Write of one element of a memref.

        Writes the value to the element at the indices. The memory order of `atomic` and
        `atomic_add` is relaxed; `atomic_add` adds the value to the element in one step. The
        real and the imaginary part of a complex value may be updated one by one.
        """

store: _store

def sub(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Difference of operands.

    Returns a - b.
    """

class _subgroup_add:
    """Sum over the subgroup."""

    exclusive_scan: _subgroup_add
    inclusive_scan: _subgroup_add
    reduce: _subgroup_add
    def __call__(self, a: _Operand, type: Any = None) -> _Number:
        """Sum over the subgroup.

        Combines the values x_i of the work-items with o = +; the identity is 0. Work-item i
        gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o x_i for `inclusive_scan`,
        and x_0 o ... o x_{n-1} for `reduce`.
        """

subgroup_add: _subgroup_add

def subgroup_broadcast(a: _Operand, lane: _Operand, type: Any = None) -> _Number:
    """Value of one work-item, broadcast to its subgroup.

    Returns the value of a in the work-item with the subgroup local id `lane`.
    """

def subgroup_exclusive_scan_add(a: _Operand, type: Any = None) -> _Number:
    """Sum over the subgroup.

    Combines the values x_i of the work-items with o = +; the identity is 0. Work-item i
    gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o x_i for `inclusive_scan`, and
    x_0 o ... o x_{n-1} for `reduce`.
    """

def subgroup_exclusive_scan_max(a: _Operand, type: Any = None) -> _Number:
    """Maximum over the subgroup.

    Combines the values x_i of the work-items with o = max; the identity is -inf, or the
    smallest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o
    x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
    """

def subgroup_exclusive_scan_min(a: _Operand, type: Any = None) -> _Number:
    """Minimum over the subgroup.

    Combines the values x_i of the work-items with o = min; the identity is +inf, or the
    largest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o
    x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
    """

class _subgroup_id(_Number):
    """Index of the subgroup in the work-group."""

    x: _Number
    y: _Number
    z: _Number

subgroup_id: _subgroup_id

def subgroup_inclusive_scan_add(a: _Operand, type: Any = None) -> _Number:
    """Sum over the subgroup.

    Combines the values x_i of the work-items with o = +; the identity is 0. Work-item i
    gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o x_i for `inclusive_scan`, and
    x_0 o ... o x_{n-1} for `reduce`.
    """

def subgroup_inclusive_scan_max(a: _Operand, type: Any = None) -> _Number:
    """Maximum over the subgroup.

    Combines the values x_i of the work-items with o = max; the identity is -inf, or the
    smallest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o
    x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
    """

def subgroup_inclusive_scan_min(a: _Operand, type: Any = None) -> _Number:
    """Minimum over the subgroup.

    Combines the values x_i of the work-items with o = min; the identity is +inf, or the
    largest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o
    x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
    """

class _subgroup_linear_id(_Number):
    """Index of the subgroup in the work-group."""

    x: _Number
    y: _Number
    z: _Number

subgroup_linear_id: _subgroup_linear_id

subgroup_local_id: _Number

class _subgroup_max:
    """Maximum over the subgroup."""

    exclusive_scan: _subgroup_max
    inclusive_scan: _subgroup_max
    reduce: _subgroup_max
    def __call__(self, a: _Operand, type: Any = None) -> _Number:
        """Maximum over the subgroup.

        Combines the values x_i of the work-items with o = max; the identity is -inf, or the
        smallest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o
        ... o x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
        """

subgroup_max: _subgroup_max

class _subgroup_min:
    """Minimum over the subgroup."""

    exclusive_scan: _subgroup_min
    inclusive_scan: _subgroup_min
    reduce: _subgroup_min
    def __call__(self, a: _Operand, type: Any = None) -> _Number:
        """Minimum over the subgroup.

        Combines the values x_i of the work-items with o = min; the identity is +inf, or the
        largest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o
        ... o x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
        """

subgroup_min: _subgroup_min

def subgroup_reduce_add(a: _Operand, type: Any = None) -> _Number:
    """Sum over the subgroup.

    Combines the values x_i of the work-items with o = +; the identity is 0. Work-item i
    gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o x_i for `inclusive_scan`, and
    x_0 o ... o x_{n-1} for `reduce`.
    """

def subgroup_reduce_max(a: _Operand, type: Any = None) -> _Number:
    """Maximum over the subgroup.

    Combines the values x_i of the work-items with o = max; the identity is -inf, or the
    smallest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o
    x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
    """

def subgroup_reduce_min(a: _Operand, type: Any = None) -> _Number:
    """Minimum over the subgroup.

    Combines the values x_i of the work-items with o = min; the identity is +inf, or the
    largest integer. Work-item i gets x_0 o ... o x_{i-1} for `exclusive_scan`, x_0 o ... o
    x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for `reduce`.
    """

subgroup_size: _Number

def subview(part: _View, *, type: Any = None) -> _View:
    """Returns a part of an array."""

class _sum:
    """Sum of the rows, the columns or all elements."""

    n: _sum
    t: _sum
    atomic: _sum
    def __call__(self, alpha: _Operand, a: _View, beta: _Operand, b: _View) -> None:
        """Sum of the rows, the columns or all elements.

        b := alpha op(A) 1 + beta b for a vector b, where op(A) is the transpose of A if the
        modifier is `t`, else A; b := alpha <a, 1> + beta b for a scalar b. b is not read
        where beta is 0.
        """

sum: _sum

def tanh(a: _Operand, type: Any = None) -> _Number:
    """Hyperbolic tangent.

    Returns the hyperbolic tangent of a.
    """

def xor(a: _Operand | _Matrix, b: _Operand | _Matrix, type: Any = None) -> Any:
    """Bitwise exclusive or.

    Returns the bitwise exclusive disjunction of a and b.
    """
