"""Random products of small matrices in all types that GPUs multiply, as cases.

Matrix units get factors whose columns are whole blocks of memory, and others that are not.
"""

import random

from cases.case import Case, buffer, literal

SIZES = (4, 7, 8, 9, 13, 16, 17, 20, 24, 31, 32, 33, 35, 48, 56, 64, 65, 96)
#: Type of the factors and of the result, with how often they occur.
TYPES = {
    ("f16", "f16"): 6,
    ("bf16", "bf16"): 6,
    ("i8", "i8"): 6,
    ("f16", "f32"): 6,
    ("bf16", "f32"): 6,
    ("i8", "i32"): 6,
    ("f32", "f32"): 3,
    ("f64", "f64"): 4,
    ("c32", "c32"): 1,
    ("c64", "c64"): 1,
    ("i16", "i16"): 1,
    ("i32", "i32"): 1,
    ("i64", "i64"): 1,
}
MOST_PRODUCTS = 200_000
GROUPS = 3


class _Matrix:
    """A parameter: one matrix for all groups, or one for each."""

    def __init__(self, rng, name, type_, shape, *, is_dynamic, is_group):
        self.name, self.is_group = name, is_group
        pad = rng.choice((0, 0, 1, 3, -shape[0] % 16, 16 - shape[0] % 16))
        stride = (1, shape[0] + pad)
        sizes = ("?", "?") if is_dynamic else shape
        step = "?" if is_dynamic else stride[1]
        self.type = f"memref<{type_}x{sizes[0]}x{sizes[1]},strided<1,{step}>>"
        members = [buffer(rng, type_, shape, stride) for _ in range(GROUPS if is_group else 1)]
        value = (members, 0, None) if is_group else members[0]
        self.parameter = (f"group<{self.type}x?>" if is_group else self.type, value)

    def load(self):
        """Return the instructions that a use needs, and its name."""
        if not self.is_group:
            return "", f"%{self.name}"
        return f"%{self.name}g = load %{self.name}[%g] : {self.type}\n", f"%{self.name}g"


def product(seed, types=TYPES):
    """Return a product, or a product and a sum, of random sizes, types, layouts and factors."""
    rng = random.Random(seed)
    (factor, result), *_ = rng.choices(list(types), list(types.values()))
    m, n, k = (rng.choice(rng.choice((SIZES, (16, 32, 64)))) for _ in range(3))
    while m * n * k > MOST_PRODUCTS:
        m, k = max(m // 2, 4), max(k // 2, 4)
    transposes = rng.choice("nt"), rng.choice("nt")
    shapes = ((m, k), (k, n), (m, n))
    form = {"is_dynamic": rng.random() < 0.35, "is_group": rng.random() < 0.3}
    matrices = []
    for name, type_, shape, flag in zip(
        "ABC", (factor, factor, result), shapes, (*transposes, "n"), strict=True
    ):
        matrices.append(_Matrix(rng, name, type_, shape[:: -1 if flag == "t" else 1], **form))
    lines, (a, b, c) = zip(*(matrix.load() for matrix in matrices), strict=True)
    alpha, beta = rng.choice((1, 2, -1)), rng.choice((0, 0, 1, 2))
    body = f"%alpha = constant {literal(factor, alpha)} : {factor}\n"
    body += f"%beta = constant {literal(result, beta)} : {result}\n"
    if form["is_group"]:
        body += "%g = builtin.group_id : index\n" + "".join(lines)
    operation = f"gemm.{'.'.join(transposes)}"
    if factor == result and not form["is_dynamic"] and rng.random() < 0.2:
        body += f"%t = alloca : memref<{result}x{m}x{n}>\n"
        body += f"%zero = constant {literal(result, 0)} : {result}\n"
        body += f"{operation} %alpha, {a}, {b}, %zero, %t\naxpby.n %alpha, %t, %beta, {c}"
    else:
        body += f"{operation} %alpha, {a}, {b}, %beta, {c}"
    name = f"product {seed}: {factor} {result} {m}x{n}x{k} {operation} {form}"
    parameters = {matrix.name: matrix.parameter for matrix in matrices}
    return Case(name, body, parameters, groups=GROUPS if form["is_group"] else 1)
