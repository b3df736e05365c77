"""Writes contractions of packed tensors as instructions on matrices and vectors.

`einsum` decides which tensors are contracted in what order; here each step becomes one instruction,
in loops over the indices that the instruction's matrices cannot have.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..frontend.spelling import memref_text
from ..shapes import packed_stride
from .recipe import constant_text


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor in packed column-major order.

    Args:
        value: the memref, with its `%`.
        indices: one letter for each mode.
        space: "global" or "local".
    """

    value: str
    indices: str
    space: str = "global"


class ContractionWriter:
    """Collects the instructions of a kernel.

    Args:
        type_: scalar type of all tensors.
        sizes: size of each index.
    """

    def __init__(self, type_: str, sizes: Mapping[str, int]) -> None:
        self._type = type_
        self._sizes = sizes
        self._constants: dict[str, str] = {}
        self._lines: list[str] = []
        self._values = 0
        self._trips = 1
        self._calls = 0

    @property
    def cost(self) -> tuple[int, int]:
        """How often collective instructions run, and the number of instructions of the text."""
        return self._calls, len(self._lines)

    def lines(self) -> list[str]:
        """Return the instructions, constants first."""
        return [*self._constants.values(), *self._lines]

    def comment(self, text: str) -> None:
        """Write a comment."""
        self._lines.append(f"; {text}")

    def number(self, value: int) -> str:
        """Return a constant of the tensors' type, 0 or 1."""
        return self._constant("zero" if value == 0 else "one", value, self._type)

    def temporary(self, name: str, indices: str) -> Tensor:
        """Return a new tensor in local memory."""
        self._lines.append(f"%{name} = alloca : {self._memref_of(indices, 'local')}")
        return Tensor(f"%{name}", indices, "local")

    def member(self, batch: Tensor) -> Tensor:
        """Return the group's tensor of a batch."""
        index = "%group"
        self._constants.setdefault(index, f"{index} = group_id.x : index")
        value = batch.value.replace("%", "%this_", 1)
        slices = [*(f"0:{self._sizes[letter]}" for letter in batch.indices), index]
        type_ = self._memref_of(batch.indices, batch.space)
        self._lines.append(f"{value} = subview {batch.value}[{', '.join(slices)}] : {type_}")
        return dataclasses.replace(batch, value=value)

    def contract(self, alpha: str, x: Tensor, y: Tensor, beta: str, z: Tensor) -> None:
        """Write `z := alpha sum(x y) + beta z`, summed over the indices that z lacks."""
        x, y = self._without(x, y.indices + z.indices), self._without(y, x.indices + z.indices)
        left = "".join(i for i in x.indices if i not in y.indices)
        right = "".join(i for i in y.indices if i not in x.indices)
        inner = "".join(i for i in x.indices if i in y.indices and i not in z.indices)
        if inner and not left and not right:
            products = self.temporary(self._new_name(), x.indices)
            self.contract(self.number(1), x, y, self.number(0), products)
            self.reduce(alpha, products, beta, z)
            return
        m, n, k = self._run(left, x, z), self._run(right, y, z), self._run(inner, x, y)
        common = self._run("".join(i for i in x.indices if i in y.indices), x, y, z)
        is_elementwise = not k and not (m and n) and common
        if is_elementwise and self._size(common) >= self._size(m + n):
            m = n = ""
        else:
            common = ""
        with self._loops(z.indices, m + n + common), self._sums(inner, k, beta) as beta_here:
            if common:
                operands = [self._view(t, common)[0] for t in (x, y, z)]
                self._call("hadamard", alpha, operands[0], operands[1], beta_here, operands[2])
            elif m and n and k:
                self._gemm(alpha, (x, m), (y, n), k, beta_here, z)
            elif k:
                matrix, vector, kept = (x, y, m) if m else (y, x, n)
                self._gemv(alpha, matrix, vector, (kept, k), beta_here, z)
            elif m and n:
                self._ger(alpha, (x, m), (y, n), beta_here, z)
            else:
                vector, scalar, kept = (y, x, n) if n else (x, y, m)
                factor = self._product(alpha, scalar)
                source, target = self._view(vector, kept)[0], self._view(z, kept)[0]
                self._call("axpby.n", factor, source, beta_here, target)

    def reduce(self, alpha: str, x: Tensor, beta: str, z: Tensor) -> None:
        """Write `z := alpha sum(x) + beta z`, summed over the indices that z lacks."""
        summed = "".join(i for i in x.indices if i not in z.indices)
        if not summed:
            self._copy(alpha, x, beta, z)
            return
        m, s = self._run(z.indices, x, z), self._run(summed, x)
        with self._loops(z.indices, m), self._sums(summed, s, beta) as beta_here:
            source, runs = self._view(x, m, s)
            target, _ = self._view(z, m)
            mode = "t" if m and runs[0] == s else "n"
            self._call(f"sum.{mode}", alpha, source, beta_here, target)

    def _copy(self, alpha: str, x: Tensor, beta: str, z: Tensor) -> None:
        first = self._run(z.indices, x, z)
        second = self._run("".join(i for i in z.indices if i not in first), x, z)
        with self._loops(z.indices, first + second):
            source, source_runs = self._view(x, first, second)
            target, target_runs = self._view(z, first, second)
            mode = "n" if source_runs == target_runs else "t"
            self._call(f"axpby.{mode}", alpha, source, beta, target)

    def _gemm(
        self, alpha: str, x: tuple[Tensor, str], y: tuple[Tensor, str], k: str, beta: str, z: Tensor
    ) -> None:
        c, runs = self._view(z, x[1], y[1])
        if runs[0] != x[1]:  # the transpose of the product is the product of the transposes
            x, y = y, x
        a, a_runs = self._view(x[0], x[1], k)
        b, b_runs = self._view(y[0], k, y[1])
        modes = f"{'t' if a_runs[0] == k else 'n'}.{'n' if b_runs[0] == k else 't'}"
        self._call(f"gemm.{modes}", alpha, a, b, beta, c)

    def _gemv(
        self,
        alpha: str,
        matrix: Tensor,
        vector: Tensor,
        runs: tuple[str, str],
        beta: str,
        z: Tensor,
    ) -> None:
        kept, k = runs
        a, a_runs = self._view(matrix, kept, k)
        b, c = self._view(vector, k)[0], self._view(z, kept)[0]
        self._call(f"gemv.{'t' if a_runs[0] == k else 'n'}", alpha, a, b, beta, c)

    def _ger(
        self, alpha: str, x: tuple[Tensor, str], y: tuple[Tensor, str], beta: str, z: Tensor
    ) -> None:
        c, runs = self._view(z, x[1], y[1])
        if runs[0] != x[1]:
            x, y = y, x
        a, b = self._view(*x)[0], self._view(*y)[0]
        self._call("ger", alpha, a, b, beta, c)

    def _without(self, x: Tensor, needed: str) -> Tensor:
        """Return a tensor summed over the indices that nobody needs."""
        kept = "".join(i for i in x.indices if i in needed)
        if kept == x.indices:
            return x
        result = self.temporary(self._new_name(), kept)
        self.reduce(self.number(1), x, self.number(0), result)
        return result

    def _run(self, allowed: str, *tensors: Tensor) -> str:
        """Return the indices of largest size that are neighbours, in one order, in all tensors."""
        first = tensors[0].indices
        runs = [
            first[start:end]
            for start in range(len(first))
            for end in range(start + 1, len(first) + 1)
            if set(first[start:end]) <= set(allowed)
            and all(first[start:end] in tensor.indices for tensor in tensors)
        ]
        return max(runs, key=self._size, default="")

    def _view(self, tensor: Tensor, *runs: str) -> tuple[str, list[str]]:
        """Return a memref with one mode for each run, and the runs in its order.

        The other indices have the values of the loops' variables.
        """
        ordered = sorted(filter(None, runs), key=tensor.indices.index)
        kept = "".join(ordered)
        shape = [self._sizes[i] for i in tensor.indices]
        strides = dict(zip(tensor.indices, packed_stride(shape), strict=True))
        modes = [(self._sizes[i], strides[i]) for i in tensor.indices if i in kept]
        value = tensor.value
        if kept != tensor.indices:
            slices = [f"0:{self._sizes[i]}" if i in kept else f"%{i}" for i in tensor.indices]
            value = self._assign(f"subview {value}[{', '.join(slices)}]", tensor, modes)
        last = len(modes)
        for run in reversed(ordered):
            start = last - len(run)
            if len(run) > 1:
                modes[start:last] = [(self._size(run), modes[start][1])]
                value = self._assign(f"fuse {value}[{start}, {last - 1}]", tensor, modes)
            last = start
        return value, ordered

    def _assign(
        self, instruction: str, tensor: Tensor, modes: Sequence[tuple[int | None, int | None]]
    ) -> str:
        name = f"%{self._new_name()}"
        shape, strides = [size for size, _ in modes], [stride for _, stride in modes]
        type_ = memref_text(self._type, shape, strides, tensor.space)
        self._lines.append(f"{name} = {instruction} : {type_}")
        return name

    def _product(self, alpha: str, scalar: Tensor) -> str:
        """Return alpha times an element, given by the loops' variables."""
        place = ", ".join(f"%{i}" for i in scalar.indices)
        element, product = f"%{self._new_name()}", f"%{self._new_name()}"
        self._lines += [
            f"{element} = load {scalar.value}[{place}] : {self._type}",
            f"{product} = mul {alpha}, {element} : {self._type}",
        ]
        return product

    @contextlib.contextmanager
    def _loops(self, indices: str, done: str) -> Iterator[None]:
        """Write loops over the indices that are not done by the instruction inside."""
        looped = [i for i in reversed(indices) if i not in done]
        for i in looped:
            self._open_loop(i)
        yield
        self._close_loops(looped)

    @contextlib.contextmanager
    def _sums(self, indices: str, done: str, beta: str) -> Iterator[str]:
        """Write loops that sum up; yield beta in the first step and 1 in the others."""
        looped = [i for i in reversed(indices) if i not in done]
        for i in looped:
            self._open_loop(i)
            is_first, factor = f"%{self._new_name()}", f"%{self._new_name()}"
            self._lines += [
                f"{is_first} = equal %{i}, {self._constant('c0', 0, 'index')} : bool",
                f"{factor} = if {is_first} -> ({self._type}) {{",
                f"yield ({beta})",
                "} else {",
                f"yield ({self.number(1)})",
                "}",
            ]
            beta = factor
        yield beta
        self._close_loops(looped)

    def _open_loop(self, index: str) -> None:
        size = self._sizes[index]
        self._trips *= size
        first, end = (self._constant(f"c{n}", n, "index") for n in (0, size))
        self._lines.append(f"for %{index} = {first}, {end} {{")

    def _close_loops(self, indices: Iterable[str]) -> None:
        for i in indices:
            self._trips //= self._sizes[i]
            self._lines.append("}")

    def _call(self, name: str, *operands: str) -> None:
        self._calls += self._trips
        self._lines.append(f"{name} {', '.join(operands)}")

    def _constant(self, name: str, value: int, type_: str) -> str:
        text = f"%{name} = constant {constant_text(value, type_)} : {type_}"
        self._constants.setdefault(name, text)
        return f"%{name}"

    def _new_name(self) -> str:
        self._values += 1
        return f"v{self._values}"

    def _size(self, indices: str) -> int:
        return math.prod(self._sizes[i] for i in indices)

    def _memref_of(self, indices: str, space: str) -> str:
        return memref_text(self._type, [self._sizes[i] for i in indices], None, space)
