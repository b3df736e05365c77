"""Products on tile registers with random sizes, tiles, layouts and updates; NumPy is the judge."""

import dataclasses
import random

import numpy as np
from mlir import ir

import tinytc_mlir as tt
from native.guarded import GuardedArray
from tinytc_mlir.scalars import SCALAR_TYPES

TARGET = "x86-64-v4-amx"
GROUPS = 2
RESULTS = {"i8": ("i32",), "bf16": ("f32", "bf16")}


@dataclasses.dataclass(frozen=True)
class TileProduct:
    """A kernel `f(alpha, A, B, beta, C)` of a batch.

    Args:
        type_: type of A and B.
        result: type of C.
        shape: M, N and K.
        transpose: "n" or "t" for A and for B.
        padding: elements between the columns of A, of B and of C.
        alpha: a constant, None for a parameter.
        beta: likewise.
        is_atomic: whether C is increased atomically.
        tile: rows, columns and words of a tile, empty for what the compiler chooses.
        subgroup_size: that of the kernel.
    """

    type_: str
    result: str
    shape: tuple[int, int, int]
    transpose: str = "nn"
    padding: tuple[int, int, int] = (0, 0, 0)
    alpha: int | None = 1
    beta: int | None = 0
    is_atomic: bool = False
    tile: tuple[int, ...] = ()
    subgroup_size: int = 16

    @property
    def shapes(self):
        """Shapes of A, B and C as they are stored."""
        m, n, k = self.shape
        flips = ["t" in self.transpose[0], "t" in self.transpose[1], False]
        shapes = [(m, k), (k, n), (m, n)]
        return [each[::-1] if flip else each for each, flip in zip(shapes, flips, strict=True)]

    @property
    def types(self):
        """Types of A, B and C."""
        return [self.type_, self.type_, self.result]

    @property
    def text(self):
        """The program."""
        arrays, views = [], []
        for name, type_, (rows, columns), more in zip(
            "ABC", self.types, self.shapes, self.padding, strict=True
        ):
            far, matrix = rows + more, f"{type_}x{rows}x{columns}"
            arrays.append(f"%{name}: memref<{matrix}x?,strided<1,{far},{far * columns}>>")
            view = f"memref<{matrix},strided<1,{far}>>"
            views.append(f"%{name.lower()} = subview %{name}[:, :, %g] : {view}")
        for name, value, type_ in (
            ("alpha", self.alpha, self.type_),
            ("beta", self.beta, self.result),
        ):
            given = f"%given_{name}: {type_}"
            arrays.append(given if value is None else f"%unused_{name}: {type_}")
            literal = value if type_[0] == "i" else float(value or 0)
            views.append(f"%{name} = constant {literal} : {type_}" if value is not None else "")
        alpha = "%given_alpha" if self.alpha is None else "%alpha"
        beta = "%given_beta" if self.beta is None else "%beta"
        flag, lines = ".atomic" if self.is_atomic else "", "\n  ".join(views)
        attributes = f"attributes{{subgroup_size={self.subgroup_size}}}"
        return f"""func @f({", ".join(arrays)}) {attributes} {{
  %g = builtin.group_id : index
  {lines}
  gemm{flag}.{".".join(self.transpose)} {alpha}, %a, %b, {beta}, %c
}}"""

    def parse(self):
        """Return the module, whose product has the tile."""
        return parsed([self], ["f"])

    def arrays(self, rng, at_end=True):
        """Return A, B and C between guard pages, with numbers between columns."""
        made = []
        for type_, (rows, columns), more in zip(self.types, self.shapes, self.padding, strict=True):
            far = rows + more
            count = far * columns * GROUPS - more
            elements = random_numbers(rng, type_, count)
            stride = (1, far, far * columns)
            made.append(GuardedArray(elements, (rows, columns, GROUPS), stride, at_end))
        return made

    def expected(self, alpha, a, b, beta, c):
        """Return C, in f64 or in i64."""
        a, b, c = (wide(type_, each) for type_, each in zip(self.types, (a, b, c), strict=True))
        a = a.swapaxes(0, 1) if self.transpose[0] == "t" else a
        b = b.swapaxes(0, 1) if self.transpose[1] == "t" else b
        return alpha * np.einsum("ikg,kjg->ijg", a, b) + beta * c

    def check(self, seed, alpha=3, beta=-2):
        """Run it before and after guard pages; nothing but elements of C may change."""
        rng = np.random.default_rng(seed)
        alpha = alpha if self.alpha is None else self.alpha
        beta = beta if self.beta is None else self.beta
        kernel = self.parse().compile(TARGET)["f"]
        for at_end in (False, True):
            arrays = self.arrays(rng, at_end)
            expected = self.expected(alpha, *arrays[:2], beta, arrays[2])
            kernel(*arrays, alpha, beta, groups=GROUPS)
            found = arrays[2].copy()
            self.check_memory(arrays)
            self.compare(wide(self.result, found), expected)

    def check_memory(self, arrays):
        """Check that nothing but elements of C has changed."""
        for array in arrays:
            memory, before = array.copied
            if array is arrays[2]:
                array[...] = before_of(array)
            np.testing.assert_array_equal(memory, before)

    def compare(self, found, expected):
        """Compare numbers: those of f32 and bf16 within the roundings of K sums."""
        if self.result == "i32":
            np.testing.assert_array_equal(found, expected.astype(np.int32))
            return
        epsilon = SCALAR_TYPES[self.result].epsilon
        limit = 16 * self.shape[2] * 2.0**-24 + epsilon * np.abs(expected)
        assert (np.abs(found - expected) <= limit).all(), np.abs(found - expected).max()


def parsed(products, names):
    """Return a module of products, whose kernels have names."""
    pairs = zip(products, names, strict=True)
    texts = [product.text.replace("@f(", f"@{name}(") for product, name in pairs]
    module, rest = tt.Context().parse("\n".join(texts)), iter(products)

    def mark(op):
        if op.name == "tinytc.gemm" and (tile := next(rest).tile):
            sizes = "rows = {}, columns = {}, unroll = {}".format(*tile)
            text = f"#tinytc.strategy<kind = tile_registers, {sizes}>"
            op.attributes["tinytc.strategy"] = ir.Attribute.parse(text, op.context)
        return ir.WalkResult.ADVANCE

    module.operation.walk(mark)
    return module


def before_of(array):
    """Return the elements that an array had at first."""
    memory = array.copied[1]
    return np.lib.stride_tricks.as_strided(memory, array.shape, array.strides)


def random_numbers(rng, type_, count):
    """Return numbers as memory holds them: all integers, or those around 1."""
    scalar_type = SCALAR_TYPES[type_]
    if type_.startswith("i"):
        info = np.iinfo(scalar_type.dtype)
        return rng.integers(info.min, info.max, count, scalar_type.dtype, endpoint=True)
    numbers = rng.uniform(-2, 2, count).astype(scalar_type.value_dtype)
    return scalar_type.to_memory(numbers)


def wide(type_, memory):
    """Return numbers of memory in i64 or in f64."""
    scalar_type = SCALAR_TYPES[type_]
    if type_.startswith("i"):
        return np.asarray(memory).astype(np.int64)
    return np.asarray(scalar_type.from_memory(np.asarray(memory))).astype(np.float64)


def random_product(seed, tiles=((1, 5, 8, 12, 16, 16),) * 3):
    """Return a product in which everything is random; `tiles` has sizes to choose from."""
    rng = random.Random(seed)
    type_ = rng.choice(list(RESULTS))
    result = rng.choice(RESULTS[type_])
    shape = tuple(rng.choice((1, 2, 5, 16, 17, 32, 35, 48, 66)) for _ in range(3))
    is_direct = rng.random() < 0.5
    is_atomic = not is_direct and result != "bf16" and rng.random() < 0.3
    return TileProduct(
        type_,
        result,
        shape,
        rng.choice(("nn", "nt", "tn", "tt")),
        tuple(rng.choice((0, 0, 3, 16)) for _ in range(3)),
        alpha=1 if is_direct else rng.choice((None, -2)),
        beta=rng.choice((0, 1) if is_direct or is_atomic else (None, 1, 0, 2)),
        is_atomic=is_atomic,
        tile=tuple(rng.choice(sizes) for sizes in tiles),
        subgroup_size=rng.choice((4, 8, 16, 16, 16, 32)),
    )
