"""Kernels of factorisations as cases, and matrices of small integers."""

import numpy as np

from cases.collective_cases import collective_case
from cases.operands import Writer
from interpreting import COMPLEX

_NUMBERS = "%one = constant {one} : {type}\n%zero = constant {zero} : {type}\n"


def integers(rng, type_, shape, choices=(-1, 0, 0, 1)):
    """Return an array of small numbers, which are complex if the type is."""
    count = int(np.prod(shape))
    real = np.array(rng.choices(choices, k=count), float).reshape(shape)
    if type_ not in COMPLEX:
        return real
    return real + 1j * np.array(rng.choices(choices, k=count), float).reshape(shape)


def triangle(rng, type_, size, word, diagonal=(1, 2)):
    """Return a triangle whose diagonal is positive."""
    full = integers(rng, type_, (size, size))
    strict = np.tril(full, -1) if word == "l" else np.triu(full, 1)
    return strict + np.diag(rng.choices(diagonal, k=size))


class Kernel:
    """The operands and the text of a case.

    Args:
        rng: what chooses.
        type_: type of the matrices.
        layout: layout of the operand that is updated last.
    """

    def __init__(self, rng, type_, layout):
        self.rng, self.type, self.writer = rng, type_, Writer(rng)
        self.layout, self.operands = layout, []
        self.is_private = self.writer.operand("X", layout, type_, (2, 2)).is_private

    def read(self, name, values, type_=None):
        """Add an operand that is only read."""
        operand = self.writer.operand(name, "packed", type_ or self.type, values.shape, values)
        self.operands.append(operand)

    def written(self, name, type_, shape):
        """Add an operand that each group writes, in a layout that has one for each group."""
        layout = "batch" if self.is_private else "packed"
        self.operands.append(self.writer.operand(name, layout, type_, shape))

    def case(self, name, last, shape, *lines, tolerance=0.0):
        """Return the case, whose last operand is the one with the layout."""
        self.operands.append(self.writer.operand(last, self.layout, self.type, shape))
        one, zero = ("[1.0,0.0]", "[0.0,0.0]") if self.type in COMPLEX else ("1.0", "0.0")
        text = _NUMBERS.format(one=one, zero=zero, type=self.type) + "\n".join(lines)
        name = f"{name} {self.type} {shape} {self.layout}"
        case = collective_case(self.rng, name, text, self.operands)
        case.tolerance = tolerance
        return case


def triangular(rng, type_, size, layout):
    """Return a kernel, words of an instruction with a triangle, and its other operand's shape."""
    side, word = rng.choice(("", ".right")), rng.choice("lu")
    form, unit = rng.choice("ntcr"), rng.choice(("", ".unit"))
    kernel = Kernel(rng, type_, layout)
    columns = rng.choice((1, 3, 16, 20))
    return kernel, side, word, form, unit, (columns, size) if side else (size, columns)
