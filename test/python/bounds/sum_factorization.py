"""Mass and stiffness matrices of hexahedral elements, applied by sum factorisation.

Blocks of elements lie in the first mode. The matrices of one dimension have columns whose distance
is a power of 2, with zeros in between: products load square blocks that reach into these.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

BLOCK = 4  # elements of a group
ORDERS = range(2, 9)  # points in each dimension
EPSILON = np.finfo(np.float32).eps


def leading_dimension(points):
    """Return the distance of columns: a power of 2."""
    return 1 << (points - 1).bit_length()


class _Writer:
    """Writes the instructions of a kernel.

    Args:
        rows: rows of the matrix of one dimension.
        points: its columns, the points of quadrature.
    """

    def __init__(self, rows, points):
        self.rows, self.points, self.leading = rows, points, leading_dimension(points)
        self.lines = ["%zero = constant 0 : index", "%one = constant 1.0 : f32"]
        self.lines += ["%null = constant 0.0 : f32", "%g = group_id : index"]
        self.constants = set()

    def constant(self, number):
        if number not in self.constants:
            self.constants.add(number)
            self.lines.insert(0, f"%c{number} = constant {number} : index")
        return f"%c{number}"

    def element(self, name, shape):
        """Write the part of an array that is the group's."""
        slices = ",".join(f"0:{size}" for size in shape)
        sizes = "x".join(map(str, shape))
        self.lines.append(f"%{name}_g = subview %{name}[{slices},%g] : memref<f32x{sizes}>")
        return f"{name}_g"

    def alloca(self, name, shape):
        self.lines.append(f"%{name} = alloca : {_local(shape)}")
        return name

    def _matrix(self, tensor, shape, mode, space):
        """Return a view of a tensor with the modes before, at, and after one, and its shape."""
        name, sizes = tensor, list(shape)
        for first, last in ((mode + 1, len(shape) - 1), (0, mode - 1)):
            if last > first:
                sizes[first : last + 1] = [int(np.prod(sizes[first : last + 1]))]
                view = f"{name}f{first}{len(self.lines)}"
                self.lines.append(f"%{view} = fuse %{name}[{first},{last}] : {space(sizes)}")
                name = view
        return name, sizes

    def multiply(self, basis, source, shape, dest, mode, *, transposed=False, spaces, update=False):
        """Write the product of a mode of a tensor with the basis, or its transpose."""
        columns = self.rows if transposed else self.points
        result = [*shape[:mode], columns, *shape[mode + 1 :]]
        a, sizes = self._matrix(source, shape, mode, spaces[0])
        c, out_sizes = self._matrix(dest, result, mode, spaces[1])
        has_slices = len(sizes) == 3
        if has_slices:
            for name, own, space in (("s", sizes, spaces[0]), ("d", out_sizes, spaces[1])):
                of = a if name == "s" else c
                text = f"%{name} = subview %{of}[0:{own[0]},0:{own[1]},%slice] : {space(own[:2])}"
                self.lines += (
                    [] if name == "d" else [f"for %slice = %zero, {self.constant(sizes[2])} {{"]
                )
                self.lines.append(text)
            a, c = "s", "d"
        load = "cooperative_matrix_load"
        acc = f"coopmatrix<f32x{BLOCK}x{columns},matrix_acc>"
        start = f"{load} %{c}[%row,%zero]" if update else "constant 0.0"
        turned = ".t" if transposed else ".n"
        rows = self.constant(sizes[0])
        self.lines += [
            f"foreach_tile (%row) = (%zero),({rows}) as (%height) <= ({BLOCK}) {{",
            f"%old = {start} : {acc}",
            f"%a = {load}.cols_checked %{a}[%row,%zero] : "
            f"coopmatrix<f32x{BLOCK}x{self.leading},matrix_a>",
            f"%b = {load}{turned} %{basis}[%zero,%zero] : "
            f"coopmatrix<f32x{self.leading}x{columns},matrix_b>",
            f"%new = cooperative_matrix_mul_add %a, %b, %old : {acc}",
            f"cooperative_matrix_store %new, %{c}[%row,%zero]",
            "}",
        ]
        self.lines += ["}"] * has_slices
        return result

    def function(self, name, parameters):
        body = "\n".join(self.lines)
        attributes = f"attributes{{subgroup_size={BLOCK},work_group_size=[{2 * BLOCK},1]}}"
        return f"func @{name}({', '.join(parameters)}) {attributes} {{\n{body}\n}}"


def _local(shape):
    return f"memref<f32x{'x'.join(map(str, shape))},local>"


def _global(shape):
    return f"memref<f32x{'x'.join(map(str, shape))},strided<{','.join('?' * len(shape))}>>"


def _basis(rows, points):
    leading = leading_dimension(points)
    names = ("basis0", "basis1", "basis2")
    return [f"%{name}: memref<f32x{rows}x{points},strided<1,{leading}>>" for name in names]


def mass(points):
    """Return the kernel that applies the mass matrix: weights at points, unknowns in between."""
    rows = points - 1
    writer = _Writer(rows, points)
    unknowns, weights = [BLOCK, rows, rows, rows], [BLOCK] + [points] * 3
    parameters = _basis(rows, points)
    for name, shape in (("weight", weights), ("source", unknowns), ("result", unknowns)):
        parameters.append(f"%{name}: memref<f32x{'x'.join(map(str, shape))}x?>")
    source = writer.element("source", unknowns)
    shape, spaces = unknowns, (_global, _local)
    for mode in (3, 2, 1):
        wider = [*shape[:mode], points, *shape[mode + 1 :]]
        dest = writer.alloca(f"up{mode}", wider)
        basis = f"basis{3 - mode}"
        shape = writer.multiply(basis, source, shape, dest, mode, spaces=spaces)
        source, spaces = dest, (_local, _local)
    weight = writer.element("weight", weights)
    writer.lines += [
        f"%{name}v = fuse %{name}[0,3] : memref<f32x{int(np.prod(weights))}{space}>"
        for name, space in ((weight, ""), (source, ",local"))
    ]
    writer.lines.append(f"hadamard %one, %{weight}v, %{source}v, %null, %{source}v")
    for mode in (1, 2, 3):
        narrower = [*shape[:mode], rows, *shape[mode + 1 :]]
        if mode == 3:
            dest, spaces = writer.element("result", unknowns), (_local, _global)
        else:
            dest = writer.alloca(f"down{mode}", narrower)
        basis = f"basis{3 - mode}"
        shape = writer.multiply(basis, source, shape, dest, mode, transposed=True, spaces=spaces)
        source = dest
    return writer.function("mass", parameters)


PAIRS = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5}


def stiffness(points):
    """Return the kernel that applies the stiffness matrix with 6 metric terms at each point."""
    writer = _Writer(points, points)
    shape = [BLOCK] + [points] * 3
    sizes = "x".join(map(str, shape))
    parameters = [
        *_basis(points, points),
        f"%metric: memref<f32x{sizes}x6x?>",
        f"%source: memref<f32x{sizes}x?>",
        f"%result: memref<f32x{sizes}x?>",
    ]
    source, result = writer.element("source", shape), writer.element("result", shape)
    for d in range(3):
        slope = writer.alloca(f"slope{d}", shape)
        writer.multiply(f"basis{d}", source, shape, slope, 3 - d, spaces=(_global, _local))
    length = int(np.prod(shape))
    for d in range(3):
        writer.lines.append(f"%slope{d}v = fuse %slope{d}[0,3] : memref<f32x{length},local>")
        writer.alloca(f"flux{d}", shape)
        writer.lines.append(f"%flux{d}v = fuse %flux{d}[0,3] : memref<f32x{length},local>")
    for k in range(6):
        slices = ",".join(f"0:{size}" for size in shape)
        part = f"%m{k} = subview %metric[{slices},{k},%g] : memref<f32x{sizes}>"
        writer.lines += [part, f"%m{k}v = fuse %m{k}[0,3] : memref<f32x{length}>"]
    for d in range(3):
        for e in range(3):
            k = PAIRS[min(d, e), max(d, e)]
            old = "%one" if e else "%null"
            writer.lines.append(f"hadamard %one, %m{k}v, %slope{e}v, {old}, %flux{d}v")
    for d in range(3):
        writer.multiply(
            f"basis{d}",
            f"flux{d}",
            shape,
            result,
            3 - d,
            transposed=True,
            spaces=(_local, _global),
            update=d > 0,
        )
    return writer.function("stiffness", parameters)


def apply_mass(bases, weight, source):
    """Return what the kernel of `mass` computes, in double precision."""
    b0, b1, b2 = (basis.astype(np.float64) for basis in bases)
    values = np.einsum("bijkg,ip,jq,kr->bpqrg", source, b2, b1, b0, optimize=True)
    return np.einsum("bpqrg,ip,jq,kr->bijkg", values * weight, b2, b1, b0, optimize=True)


def apply_stiffness(bases, metric, source):
    """Return what the kernel of `stiffness` computes, in double precision."""
    b0, b1, b2 = (basis.astype(np.float64) for basis in bases)
    rules = [("bijkg,kr->bijrg", b0), ("bijkg,jq->biqkg", b1), ("bijkg,ip->bpjkg", b2)]
    slopes = [np.einsum(rule, source, basis) for rule, basis in rules]
    backs = [("bijrg,kr->bijkg", b0), ("biqkg,jq->bijkg", b1), ("bpjkg,ip->bijkg", b2)]
    result = 0
    for d, (rule, basis) in enumerate(backs):
        flux = sum(metric[..., PAIRS[min(d, e), max(d, e)], :] * slopes[e] for e in range(3))
        result = result + np.einsum(rule, flux, basis)
    return result


@dataclasses.dataclass(frozen=True)
class Problem:
    """A kernel with its arguments.

    Args:
        name: name of the kernel.
        points: points in each dimension.
        text: its program.
        bases: matrices of one dimension, whose columns have padding.
        arrays: weights or metric terms, unknowns, and the result.
        apply: what it computes, in double precision.
    """

    name: str
    points: int
    text: str
    bases: list[np.ndarray]
    arrays: list[np.ndarray]
    apply: Callable[..., np.ndarray]

    def reference(self):
        """Return the result in double precision."""
        return self.apply(self.bases, *(np.asarray(array) for array in self.arrays[:2]))

    def tolerance(self):
        """Return the largest error: each of six products sums up as many numbers as points."""
        largest = max(1, np.abs(np.array(self.bases)).max()) ** 6 * self.points**4
        return 16 * self.points * EPSILON * largest


def mass_problem(points, groups, place):
    """Return the mass matrix with random numbers, in arrays that `place` makes."""
    rng, rows = np.random.default_rng(points), points - 1
    unknowns, at_points = (BLOCK, *[rows] * 3, groups), (BLOCK, *[points] * 3, groups)
    bases, arrays = _operands(rows, points, rng, (at_points, unknowns, unknowns), place)
    return Problem("mass", points, mass(points), bases, arrays, apply_mass)


def stiffness_problem(points, groups, place):
    """Return the stiffness matrix with random numbers, in arrays that `place` makes."""
    rng, shape = np.random.default_rng(points), (BLOCK, *[points] * 3, groups)
    shapes = ((*shape[:-1], 6, groups), shape, shape)
    bases, arrays = _operands(points, points, rng, shapes, place)
    return Problem("stiffness", points, stiffness(points), bases, arrays, apply_stiffness)


def problems(groups, place):
    """Yield all of them: each of so many groups."""
    for make in (mass_problem, stiffness_problem):
        for points in ORDERS:
            yield make(points, groups, place)


def _padded(rows, points, rng, place):
    """Return a matrix of one dimension, and zeros between and after its columns."""
    leading = leading_dimension(points)
    memory = place(np.zeros((leading, leading), np.float32, order="F"))
    memory[:rows, :points] = rng.uniform(-1, 1, (rows, points))
    return memory[:rows, :points]


def _operands(rows, points, rng, shapes, place):
    bases = [_padded(rows, points, rng, place) for _ in range(3)]
    arrays = [
        place(np.asfortranarray(rng.uniform(-1, 1, shape).astype(np.float32))) for shape in shapes
    ]
    return bases, arrays
