"""Functions on memrefs in MLIR's text, and arrays for them."""

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES

#: Names of scalar types in MLIR and in the language, and their precision.
TYPES = {
    "f32": ("f32", np.finfo(np.float32).eps),
    "f64": ("f64", np.finfo(np.float64).eps),
    "f16": ("f16", np.finfo(np.float16).eps),
    "bf16": ("bf16", 2.0**-7),
    "i32": ("i32", 0),
    "complex<f32>": ("c32", np.finfo(np.float32).eps),
}
#: Elements around each array, which no kernel may touch.
GUARD = 3


class Operand:
    """A memref with guard zones on all sides.

    Args:
        rng: source of the values.
        type: element type in MLIR.
        shape: sizes of the dimensions.
        order: "C" or "F".
        is_dynamic: whether sizes and strides are dynamic in the type.
    """

    def __init__(self, rng, type_, shape, order="C", is_dynamic=False):
        self.scalar = SCALAR_TYPES[TYPES[type_][0]]
        padded = [size + 2 * GUARD for size in shape]
        if self.scalar.kind == "integer":
            values = rng.integers(-5, 6, padded)
        else:
            values = rng.uniform(-1, 1, padded)
            if self.scalar.kind == "complex":
                values = values + 1j * rng.uniform(-1, 1, padded)
        values = values.astype(self.scalar.value_dtype)
        self.whole = np.array(self.scalar.to_memory(values), order=order)
        self.before = self.whole.copy()
        self.inside = (*(slice(GUARD, GUARD + size) for size in shape), ...)
        array = self.array = self.whole[self.inside]
        strides = [step // array.itemsize for step in array.strides]
        layout = ", ".join("?" if is_dynamic and step != 1 else str(step) for step in strides)
        sizes = "".join(f"{'?' if is_dynamic else size}x" for size in shape)
        self.type = f"memref<{sizes}{type_}, strided<[{layout}]>>" if shape else f"memref<{type_}>"

    @property
    def values(self):
        """The values that the array began with, in the precision of NumPy."""
        return self.scalar.from_memory(self.before[self.inside])

    def check(self, expected, type_, terms=1):
        """Check the values, and that those around them are the same as before."""
        actual = self.scalar.from_memory(self.array)
        # Each side rounds each of the terms, of at most 1, and each sum; complex parts have two.
        tolerance = 4 * (terms + 2) * TYPES[type_][1]
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
        self.whole[self.inside] = self.before[self.inside]
        assert self.whole.tobytes() == self.before.tobytes()


def function(body, operands, scalars="", maps=""):
    """Return a module with a function @f on operands a, b, ... of these types."""
    names = "abcdefgh"
    parameters = [
        f"%{name}: {operand.type}" for name, operand in zip(names, operands, strict=False)
    ]
    types = {f"T{n}": operand.type for n, operand in enumerate(operands)}
    for key, type_ in types.items():
        body = body.replace(key, type_)
    signature = ", ".join(filter(None, [*parameters, scalars]))
    return f"{maps}\nfunc.func @f({signature}) {{\n{body}\n  return\n}}"


def launch(text, operands, *scalars, groups=1, **options):
    """Compile a module and run its function."""
    kernel = tt.Context().parse_mlir(text).compile("cpu", **options)["f"]
    kernel(*(operand.array for operand in operands), *scalars, groups=groups)
