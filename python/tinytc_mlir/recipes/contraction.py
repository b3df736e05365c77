# SPDX-License-Identifier: BSD-3-Clause
"""Writes contractions of tensors as instructions on matrices and vectors.

`kernel_text` decides which tensors are contracted in what order; here each step becomes one
instruction, in loops over the indices that the instruction's matrices cannot have.
"""

from __future__ import annotations

from collections.abc import Sequence

from .writer import Memref, Tensor, Writer


class ContractionWriter(Writer):
    """Collects the instructions of a kernel, those of contractions included."""

    def contract(self, alpha: str, x: Tensor, y: Tensor, beta: str, z: Tensor) -> None:
        """Write `z := alpha sum(x y) + beta z`, summed over the indices that z lacks."""
        u = self._without(x, y.indices + z.indices)
        v = self._without(y, u.indices + z.indices)
        self._contract(alpha, u, v, beta, z)
        for tensor, summed in ((x, u), (y, v)):
            if summed is not tensor:
                self.release(summed)

    def _contract(self, alpha: str, x: Tensor, y: Tensor, beta: str, z: Tensor) -> None:
        """Write a contraction of tensors whose indices the other one or the result has."""
        left = "".join(i for i in x.indices if i not in y.indices)
        right = "".join(i for i in y.indices if i not in x.indices)
        inner = "".join(i for i in x.indices if i in y.indices and i not in z.indices)
        if inner and not left and not right:
            products = self.temporary(x.indices)
            self._contract(self.number(1), x, y, self.number(0), products)
            self.reduce(alpha, products, beta, z)
            self.release(products)
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
        result = self.temporary(kept)
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
            and all(_is_run(first[start:end], tensor) for tensor in tensors)
        ]
        return max(runs, key=self._size, default="")

    def _view(self, tensor: Tensor, *runs: str) -> tuple[str, list[str]]:
        """Return a memref with one mode for each run, and the runs in its order.

        The other indices have the values of the loops' variables.
        """
        ordered = sorted(filter(None, runs), key=tensor.indices.index)
        kept = "".join(ordered)
        strides = dict(zip(tensor.indices, tensor.memref.strides, strict=True))
        modes = [(self.sizes[i], strides[i]) for i in tensor.indices if i in kept]
        value = tensor.memref.value
        if kept != tensor.indices:
            slices = (f"0:{self.sizes[i]}" if i in kept else self.own(i) for i in tensor.indices)
            value = self._part(f"subview {value}[{', '.join(slices)}]", tensor, modes)
        last = len(modes)
        for run in reversed(ordered):
            start = last - len(run)
            if len(run) > 1:
                modes[start:last] = [(self._size(run), modes[start][1])]
                value = self._part(f"fuse {value}[{start}, {last - 1}]", tensor, modes)
            last = start
        return value, ordered

    def _part(
        self, instruction: str, tensor: Tensor, modes: Sequence[tuple[int, int | None]]
    ) -> str:
        shape, strides = tuple(size for size, _ in modes), tuple(stride for _, stride in modes)
        memref = Memref(self._value(), shape, strides, tensor.memref.space)
        return self.view(instruction, memref).value

    def _product(self, alpha: str, scalar: Tensor) -> str:
        """Return alpha times an element, given by the loops' variables."""
        place = ", ".join(self.own(i) for i in scalar.indices)
        element, product = self._value(), self._value()
        self._lines += [
            f"{element} = load {scalar.memref.value}[{place}] : {self._type}",
            f"{product} = mul {alpha}, {element} : {self._type}",
        ]
        return product


def _is_run(indices: str, tensor: Tensor) -> bool:
    """Whether indices are those of neighbouring modes that can be fused."""
    start = tensor.indices.find(indices)
    if start < 0:
        return False
    modes = range(start, start + len(indices) - 1)
    shape, strides = tensor.memref.shape, tensor.memref.strides
    return all(strides[n + 1] == (strides[n] or 0) * shape[n] for n in modes)
