"""Lanes without a row store nothing, whatever the driver does with the conditions on them.

Two instructions write the same matrix, in work-groups of one subgroup whose lanes do not
divide the rows. The matrices of a batch lie one after the other, between guard zones, and
every launch starts from the same memory: an element that a lane without a row stores is in
the next matrix or in the guard zone. TINYTC_TEST_LAUNCHES sets the number of launches.
"""

import dataclasses
import os
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import COMPLEX, DTYPES
from tinytc_mlir.compiler import ABIS

LAUNCHES = int(os.environ.get("TINYTC_TEST_LAUNCHES", "5"))
GROUPS = 13
GUARD = 128
"""More elements than a subgroup has lanes, so that no lane can write beyond them."""
TYPES = ("f32", "f64", "c32", "c64")
TRANSPOSES = ("n.n", "n.t", "t.n", "t.t")


@dataclasses.dataclass(frozen=True)
class Kernel:
    """First an update of C that ignores what it holds, then one that reads it.

    Args:
        rows: rows and columns of C.
        length: length of the second product.
        first: `outer` (a gemm of length 1) or `ger`.
        second: transposes of the second product.
        beta: factor of C in the second product.
        is_group: whether operands are groups of matrices rather than one batch.
    """

    type_: str
    rows: int
    length: int
    first: str
    second: str
    beta: int
    is_group: bool

    def shapes(self):
        """Return the shapes of the matrices of one group."""
        n, k, swapped = self.rows, self.length, self.second.split(".")
        vector = (n,) if self.first == "ger" else (n, 1)
        return {
            "u": vector,
            "v": vector if self.first == "ger" else (1, n),
            "A": (n, k) if swapped[0] == "n" else (k, n),
            "B": (k, n) if swapped[1] == "n" else (n, k),
            "C": (n, n),
        }

    def text(self, name, subgroup_size):
        """Return the kernel as a function."""
        parameters, views = [], []
        for operand, shape in self.shapes().items():
            sizes = "x".join(map(str, shape))
            matrix = f"memref<{self.type_}x{sizes}>"
            if self.is_group:
                parameters.append(f"%{operand}: group<{matrix}x?>")
                views.append(f"%{operand}0 = load %{operand}[%g] : {matrix}")
            else:
                parameters.append(f"%{operand}: memref<{self.type_}x{sizes}x?>")
                every = ",".join(":" * len(shape))
                views.append(f"%{operand}0 = subview %{operand}[{every},%g] : {matrix}")
        first = "ger" if self.first == "ger" else "gemm.n.n"
        return "\n".join(
            [
                f"func @{name}(%alpha: {self.type_}, {', '.join(parameters)})",
                f"attributes {{subgroup_size={subgroup_size},",
                f"work_group_size=[{subgroup_size},1]}} {{",
                "%g = builtin.group_id : index",
                *views,
                *(f"%{word} = {self.constant(value)}" for word, value in self.factors().items()),
                f"{first} %alpha, %u0, %v0, %zero, %C0",
                f"gemm.{self.second} %one, %A0, %B0, %beta, %C0",
                "}\n",
            ]
        )

    def factors(self):
        return {"zero": 0, "one": 1, "beta": self.beta}

    def constant(self, value):
        written = f"[{value:.1f}, 0.0]" if self.type_ in COMPLEX else f"{value:.1f}"
        return f"constant {written} : {self.type_}"


class Batch:
    """Matrices of all groups, one after the other between two guard zones."""

    def __init__(self, shape, dtype, rng):
        elements = GROUPS * int(np.prod(shape))
        self.memory = tt.empty(elements + 2 * GUARD, dtype)
        inside = self.memory[GUARD : GUARD + elements]
        self.all = inside.reshape((*shape, GROUPS), order="F")
        self.all[...] = rng.integers(-3, 4, self.all.shape)
        self.start = np.array(self.memory)

    def argument(self, is_group):
        members = [self.all[..., g] for g in range(GROUPS)]
        return tt.Group(members) if is_group else self.all


def expected(kernel, operands, alpha):
    u, v, a, b = (np.array(operands[name].all) for name in ("u", "v", "A", "B"))
    n = kernel.rows
    outer = u.reshape(n, 1, GROUPS) * v.reshape(1, n, GROUPS)
    first, second = kernel.second.split(".")
    a = a if first == "n" else a.swapaxes(0, 1)
    b = b if second == "n" else b.swapaxes(0, 1)
    return np.einsum("ikg,kjg->ijg", a, b) + kernel.beta * alpha * outer


def find_mistake(launch, kernel, rng):
    """Return what is wrong after one of the launches, or nothing."""
    dtype = DTYPES[kernel.type_]
    operands = {name: Batch(shape, dtype, rng) for name, shape in kernel.shapes().items()}
    arguments = [operand.argument(kernel.is_group) for operand in operands.values()]
    dest = operands["C"]
    dest.memory[...] = 77
    wanted = np.array(dest.memory)
    wanted[GUARD:-GUARD] = expected(kernel, operands, 2).ravel(order="F")
    for number in range(LAUNCHES):
        dest.memory[...] = 77
        launch(2, *arguments, groups=GROUPS)
        wrong = np.flatnonzero(dest.memory != wanted)
        if wrong.size:
            return f"launch {number}: {wrong.size} elements, the first at {wrong[0] - GUARD}"
    return ""


def kernels(subgroup_size):
    """Return kernels of every type with some numbers of rows left over, at random."""
    rng = random.Random(subgroup_size)
    rests = {1, 3, subgroup_size // 4 + 1, subgroup_size // 2 + 1, subgroup_size - 1}
    for type_ in TYPES:
        for rest in sorted(rests):
            yield Kernel(
                type_,
                rest + subgroup_size * rng.choice((0, 0, 1)) * (subgroup_size < 64),
                rng.choice((5, 9, 17)),
                rng.choice(("outer", "outer", "ger")),
                rng.choice(TRANSPOSES),
                rng.choice((-1, 2)),
                rng.choice((True, False)),
            )


@pytest.mark.similar
@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("subgroup_size", [4, 8, 16, 32, 64])
def test_nothing_is_stored_without_a_row(subgroup_size, abi):
    pending = list(kernels(subgroup_size))
    text = "".join(kernel.text(f"k{i}", subgroup_size) for i, kernel in enumerate(pending))
    program = tt.Context().parse(text).compile(abi=abi)
    rng = np.random.default_rng(subgroup_size)
    mistakes = {
        kernel: mistake
        for i, kernel in enumerate(pending)
        if (mistake := find_mistake(program[f"k{i}"], kernel, rng))
    }
    assert not mistakes
