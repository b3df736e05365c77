"""Random patterns of zeros, and programs with them."""

import numpy as np

from nearness import whole_numbers
from tinytc_mlir.zero_patterns import boxes_of, mask_of

DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex128}


def random_boxes(rng, shape, count):
    """Return boxes of a matrix, which may overlap."""
    boxes = []
    for _ in range(count):
        ends = [sorted(rng.choice(size + 1, 2, replace=False)) for size in shape]
        boxes.append(tuple(int(bound) for end in ends for bound in end))
    return tuple(boxes)


def matrix(rng, type_, shape, boxes=None):
    """Return a matrix without zeros but those of a pattern."""
    values = whole_numbers(rng, shape, DTYPES[type_])
    if boxes is not None:
        values = np.where(mask_of(boxes, shape), values, 0)
    return np.asfortranarray(values, DTYPES[type_])


def promise(boxes):
    return "" if boxes is None else f" {{nonzero={[list(box) for box in boxes]}}}"


def form(op, values):
    """Return op(X) of a matrix."""
    values = values.T if op in "tc" else values
    return values.conj() if op in "rc" else values


class Gemm:
    """A product with patterns of zeros on both factors.

    Args:
        rng: draws all of it.
        type_: element type.
        ops: the forms of the factors.
        beta: a constant, or None for a parameter.
        sizes: M, N and K.
    """

    def __init__(self, rng, type_, ops, beta, sizes):
        m, n, k = sizes
        self.type_, self.ops, self.beta, self.rng, self.sizes = type_, ops, beta, rng, sizes
        self.shapes = [(m, k), (k, n)]
        self.shapes = [s[::-1] if o in "tc" else s for s, o in zip(self.shapes, ops, strict=True)]
        counts = rng.integers(0, 5, 2)
        self.boxes = [
            random_boxes(rng, shape, count) if count else None
            for shape, count in zip(self.shapes, counts, strict=True)
        ]
        if self.boxes == [None, None]:
            self.boxes[0] = random_boxes(rng, self.shapes[0], 2)

    @property
    def text(self):
        t, (m, n, _) = self.type_, self.sizes
        a, b = (
            f"memref<{t}x{s[0]}x{s[1]}>{promise(boxes)}"
            for s, boxes in zip(self.shapes, self.boxes, strict=True)
        )
        constant = f"[{self.beta}, 0.0]" if t == "c64" else self.beta
        beta = "" if self.beta is None else f"  %beta = constant {constant} : {t}\n"
        scalar = f", %beta: {t}" if self.beta is None else ""
        return (
            f"func @f(%alpha: {t}, %A: {a}, %B: {b}, %C: memref<{t}x{m}x{n}>{scalar}) {{\n{beta}"
            f"  gemm.{'.'.join(self.ops)} %alpha, %A, %B, %beta, %C\n}}\n"
        )

    def arguments(self):
        """Return arguments, and C after the launch."""
        a, b = (
            matrix(self.rng, self.type_, shape, boxes)
            for shape, boxes in zip(self.shapes, self.boxes, strict=True)
        )
        c = matrix(self.rng, self.type_, self.sizes[:2])
        beta = 0.5 if self.beta is None else self.beta
        if beta == 0:
            c[...] = np.nan
        product = 1.5 * (form(self.ops[0], a) @ form(self.ops[1], b))
        expected = product if beta == 0 else product + beta * c
        scalars = {"beta": beta} if self.beta is None else {}
        return {"alpha": 1.5, "A": a, "B": b, "C": c, **scalars}, expected


def block_patterns(rng, edges):
    """Return boxes for a matrix of blocks, some of which are zero."""
    count = len(edges) - 1
    kept = rng.random((count, count)) < 0.5
    mask = np.zeros((edges[-1], edges[-1]), bool)
    for i in range(count):
        for j in range(count):
            mask[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = kept[i, j]
    return boxes_of(mask, 2)
