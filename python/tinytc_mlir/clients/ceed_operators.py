# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that apply mass and diffusion of hexahedra to blocks of elements, from nodes to nodes.

A group is a block of 8 elements side by side, as libCEED's blocked back ends have them. It gathers
the values at its nodes, contracts them to the quadrature points, multiplies them by the operator's
data there, and contracts back. The sums at nodes that elements share are left to the caller, who
also orders places and data by blocks: that is done once, and vectors of 8 are loaded at once then.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

BLOCK = 8  # elements that libCEED's blocked back ends compute side by side
MASS, DIFFUSION = "mass", "diffusion"
#: Where libCEED's gallery has the entries of the symmetric matrix of diffusion at a point.
_SYMMETRIC = ((0, 5, 4), (5, 1, 3), (4, 3, 2))


@dataclasses.dataclass(frozen=True)
class OperatorKernel:
    """The kernel of an operator.

    Args:
        kind: MASS or DIFFUSION.
        nodes: number of nodes in 1-D.
        points: number of quadrature points in 1-D.
    """

    kind: str
    nodes: int
    points: int

    @property
    def name(self) -> str:
        """Name of the kernel."""
        return f"{self.kind}_{self.nodes}_{self.points}"

    @property
    def local_bytes(self) -> int:
        """Size of the local arrays."""
        largest, slopes = max(self.nodes, self.points) ** 3, 2 * self.points**3
        return 8 * BLOCK * (2 * largest + (slopes if self.kind == DIFFUSION else 0))

    @property
    def entries(self) -> int:
        """Number of data at a point."""
        return 1 if self.kind == MASS else 6

    def text(self) -> str:
        """Return the kernel in the language."""
        nodes, points = self.nodes**3, self.points**3
        parameters = [
            f"%interpolation: memref<f64x{self.nodes}x{self.points}>",
            f"%derivative: memref<f64x{self.points}x{self.points}>",
            f"%data: memref<f64x{BLOCK}x{points}x{self.entries}x?>",
            f"%places: memref<i32x{BLOCK}x{nodes}x?>",
            "%u: memref<f64x?>",
            f"%result: memref<f64x{BLOCK}x{nodes}>",
        ]
        body = "\n  ".join(_Body(self).lines)
        return f"func @{self.name}({', '.join(parameters)}) {{\n  {body}\n}}\n"


class _Body:
    """Writes the instructions of a kernel. Arrays are local, with 8 elements first."""

    def __init__(self, kernel: OperatorKernel) -> None:
        self._nodes, self._points = kernel.nodes, kernel.points
        self._count = 0
        self.lines = [
            "%zero = constant 0.0 : f64",
            "%one = constant 1.0 : f64",
            "%group = group_id : index",
        ]
        largest = BLOCK * max(self._nodes, self._points) ** 3
        buffers = [self._array(largest) for _ in "01"]
        self.lines += self._each(
            self._nodes**3,
            "%at = load %places[%l,%i,%group] : i32",
            "%node = cast %at : index",
            "%x = load %u[%node] : f64",
            f"store %x, {buffers[0]}[%place]",
        )
        shape = [self._nodes] * 3
        for axis in range(3):
            self._contract(buffers, shape, axis, self._points, ("%interpolation", "n"))
            buffers.reverse()
        if kernel.kind == MASS:
            self._multiply(buffers[0])
        else:
            self._diffuse(buffers)
        for axis in (2, 1, 0):
            self._contract(buffers, shape, axis, self._nodes, ("%interpolation", "t"))
            buffers.reverse()
        self.lines += self._each(
            self._nodes**3, f"%x = load {buffers[0]}[%place] : f64", "store %x, %result[%l,%i]"
        )

    def _array(self, size: int) -> str:
        self._count += 1
        self.lines.append(f"%array{self._count} = alloca : memref<f64x{size},local>")
        return f"%array{self._count}"

    @staticmethod
    def _each(size: int, *lines: str) -> Iterator[str]:
        """Yield a loop over a block's elements and some of their values."""
        yield f"foreach (%l,%i) = (0,0),({BLOCK},{size}) {{"
        yield f"  %before = arith.mul %i, {BLOCK} : index"
        yield "  %place = arith.add %before, %l : index"
        yield from (f"  {line}" for line in lines)
        yield "}"

    def _contract(
        self,
        arrays: list[str],
        shape: list[int],
        axis: int,
        to: int,
        factor: tuple[str, str],
        beta: str = "%zero",
    ) -> None:
        """Contract an axis of the first array into the second, and change its size in `shape`.

        `factor` is the matrix and whether it is transposed, "t" or "n".
        """
        matrix, form = factor
        self._count += 1
        number, start = self._count, shape[axis]
        rows = BLOCK * math.prod(shape[:axis])
        after = math.prod(shape[axis + 1 :])
        shape[axis] = to
        names = []
        for letter, array, size in (("a", arrays[0], start), ("c", arrays[1], to)):
            name, whole = f"%{letter}{number}", f"%{letter}_all{number}"
            length = rows * size * after
            self.lines += [
                f"{whole} = subview {array}[0:{length}] : memref<f64x{length},local>",
                f"{name} = expand {whole}[0->{rows}x{size}x{after}] "
                f": memref<f64x{rows}x{size}x{after},local>",
            ]
            names.append((name, size))
        self.lines.append(f"for %j{number} = 0, {after} {{")
        for name, size in names:
            view = f"memref<f64x{rows}x{size},local>"
            self.lines.append(f"  {name}_part = subview {name}[:,:,%j{number}] : {view}")
        (a, _), (c, _) = names
        self.lines += [f"  gemm.n.{form} %one, {a}_part, {matrix}, {beta}, {c}_part", "}"]

    def _multiply(self, array: str) -> None:
        self.lines += self._each(
            self._points**3,
            f"%x = load {array}[%place] : f64",
            "%w = load %data[%l,%i,0,%group] : f64",
            "%y = arith.mul %x, %w : f64",
            f"store %y, {array}[%place]",
        )

    def _diffuse(self, arrays: list[str]) -> None:
        """Replace values at the points by what the derivatives of the results are tested with."""
        points = self._points
        slopes = [arrays[1], *(self._array(BLOCK * points**3) for _ in range(2))]
        for axis, slope in enumerate(slopes):
            self._contract([arrays[0], slope], [points] * 3, axis, points, ("%derivative", "n"))
        lines = [f"%x{k} = load {slope}[%place] : f64" for k, slope in enumerate(slopes)]
        lines += [f"%w{k} = load %data[%l,%i,{k},%group] : f64" for k in range(6)]
        for row, (slope, entries) in enumerate(zip(slopes, _SYMMETRIC, strict=True)):
            first, second, third = entries
            lines += [
                f"%y{row}_0 = arith.mul %w{first}, %x0 : f64",
                f"%y{row}_1 = fma %w{second}, %x1, %y{row}_0 : f64",
                f"%y{row}_2 = fma %w{third}, %x2, %y{row}_1 : f64",
                f"store %y{row}_2, {slope}[%place]",
            ]
        self.lines += self._each(points**3, *lines)
        for axis, slope in enumerate(slopes):
            beta = "%one" if axis else "%zero"
            shape = [points] * 3
            self._contract([slope, arrays[0]], shape, axis, points, ("%derivative", "t"), beta)
