"""Launches of one instruction on parts of arrays, whose other elements must stay as they are."""

import numpy as np

import tinytc_mlir as tt
from cases.matrices import TYPES
from tinytc_mlir.reference import interpret

ALPHA, BETA = 0.75, 0.5
"""What the kernels call %alpha and %beta."""
_TYPES = {np.dtype(dtype).name: name for name, dtype in {**TYPES, "i32": np.int32}.items()}


class Launch:
    """A kernel of one instruction, and its arrays by name.

    Args:
        type_: type of the matrices.
        size: their order.
        is_known: whether the program knows sizes and strides.
        count: number of groups.
    """

    def __init__(self, type_, size, is_known, count):
        self.type, self.size, self.is_known, self.count = type_, size, is_known, count
        self.arrays, self.lines, self.parameters = {}, ["%g = group_id.x : index"], ["%n: index"]
        for name, value in (("alpha", ALPHA), ("beta", BETA)):
            number = f"[{value}, 0.0]" if type_[0] == "c" else value
            self.lines.append(f"%{name} = constant {number} : {type_}")

    def add(self, name, values):
        """Add one array of shape (..., groups), of which all but the margin is an operand."""
        *shape, groups = values.shape
        margin = 2 * bool(self.size)
        whole = np.full([*(size + margin for size in shape), groups], 77, values.dtype, order="F")
        inner = tuple(slice(bool(margin), size + bool(margin)) for size in shape)
        whole[inner] = values
        self.arrays[name] = (whole, inner)
        type_ = _TYPES[values.dtype.name]
        strides = [1] if shape else []
        if len(shape) == 2:
            strides.append(whole.shape[0] if self.is_known else "?")
        known = self.is_known
        sizes = "x".join("?" if not known else str(n) for n in whole.shape[:-1])
        self.parameters.append(f"%{name}s: memref<{type_}{'x' * bool(sizes)}{sizes}x?>")
        offset = int(bool(margin))
        # Sizes that are not known are those of the order, or columns of the right side.
        slices = [f"{offset}:{n}" if known or n != self.size else f"{offset}:%n" for n in shape]
        types = ["?" if not known and n == self.size else str(n) for n in shape]
        layout = f",strided<{','.join(map(str, strides))}>" if strides else ""
        self.lines.append(
            f"%{name} = subview %{name}s[{', '.join([*slices, '%g'])}] : "
            f"memref<{'x'.join([type_, *types])}{layout}>"
        )

    def run(self, instruction, target):
        """Run the instruction; return the operands after it, with the groups first."""
        text = "\n".join([*self.lines, instruction])
        module = tt.Context().parse(f"func @f({', '.join(self.parameters)}) {{\n{text}\n}}\n")
        before = {name: whole.copy() for name, (whole, _) in self.arrays.items()}
        if target == "interpreter":
            interpret(module, "f", [self.size, *(w for w, _ in self.arrays.values())], self.count)
            after = {name: whole for name, (whole, _) in self.arrays.items()}
        else:
            place = tt.asarray if target == "cpu" else np.asfortranarray
            arrays = {name: place(whole) for name, (whole, _) in self.arrays.items()}
            kernel = module.compile(target)["f"]
            kernel(self.size, *arrays.values(), groups=self.count)
            after = {name: np.asarray(array) for name, array in arrays.items()}
        results = {}
        for name, (_, inner) in self.arrays.items():
            results[name] = np.moveaxis(after[name][inner], -1, 0).copy()
            after[name][inner] = before[name][inner]
            assert same(after[name], before[name]), f"{name}: written outside"
        return results


def same(a, b):
    """Return whether two arrays have the same bits."""
    return np.asfortranarray(a).tobytes() == np.asfortranarray(b).tobytes()
