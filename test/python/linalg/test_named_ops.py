"""linalg ops on memrefs, in all layouts and types, against NumPy."""

import itertools

import numpy as np
import pytest
from kernels import TYPES, Operand, function, launch

LAYOUTS = [("C", False), ("F", False), ("C", True), ("F", True)]


def operands(shapes, type_="f32", order="C", is_dynamic=False, seed=0):
    rng = np.random.default_rng(seed)
    return [Operand(rng, type_, shape, order, is_dynamic) for shape in shapes]


M, N, K, B = 5, 17, 3, 4
MAPS = """
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
"""


def product(name, maps=""):
    return f"linalg.{name} {maps} ins(%a, %b : T0, T1) outs(%c : T2)"


PRODUCTS = {
    "matmul": (product("matmul"), "mk,kn->mn"),
    "matmul_ta": (product("matmul", "indexing_maps = [#km, #kn, #mn]"), "km,kn->mn"),
    "matmul_tb": (product("matmul", "indexing_maps = [#mk, #nk, #mn]"), "mk,nk->mn"),
    "matmul_ta_tb": (product("matmul", "indexing_maps = [#km, #nk, #mn]"), "km,nk->mn"),
    "contract": (product("contract", "indexing_maps = [#nk, #mk, #mn]"), "nk,mk->mn"),
    "matvec": (product("matvec"), "mk,k->m"),
    "vecmat": (product("vecmat"), "k,kn->n"),
    "dot": (product("dot"), "k,k->"),
    "batch_matmul": (product("batch_matmul"), "bmk,bkn->bmn"),
    "batch_matmul_tb": (
        product("batch_matmul", "indexing_maps = [#bmk, #bnk, #bmn]"),
        "bmk,bnk->bmn",
    ),
    "batch_matvec": (product("batch_matvec"), "bmk,bk->bm"),
    "batch_vecmat": (product("batch_vecmat"), "bk,bkn->bn"),
    "batch_reduce_matmul": (product("batch_reduce_matmul"), "bmk,bkn->mn"),
}
SIZES = {"m": M, "n": N, "k": K, "b": B}


def check_product(name, type_, order="C", is_dynamic=False):
    body, formula = PRODUCTS[name]
    letters = formula.replace("->", ",").split(",")
    shapes = [tuple(SIZES[letter] for letter in word) for word in letters]
    a, b, c = arrays = operands(shapes, type_, order, is_dynamic)
    groups = None if "->b" in formula else 1
    launch(function(body, arrays, maps=MAPS), arrays, groups=groups)
    wide = np.result_type(a.values, np.float32 if type_ in ("f16", "bf16") else a.values)
    expected = c.values + np.einsum(formula, a.values.astype(wide), b.values.astype(wide))
    c.check(expected, type_, terms=K * B)
    a.check(a.values, type_)


@pytest.mark.similar
@pytest.mark.parametrize(("order", "is_dynamic"), LAYOUTS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name, order, is_dynamic):
    check_product(name, "f32", order, is_dynamic)


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", ["matmul", "matvec", "dot", "batch_matmul", "batch_reduce_matmul"])
def test_types_of_products(name, type_):
    check_product(name, type_)


def test_mixed_orders():
    a, b, c = arrays = [
        Operand(np.random.default_rng(1), "f64", shape, order)
        for shape, order in (((M, K), "F"), ((K, N), "C"), ((M, N), "F"))
    ]
    launch(function(product("matmul"), arrays), arrays)
    c.check(c.values + a.values @ b.values, "f64", terms=K)


@pytest.mark.parametrize("name", ["matmul", "matvec", "vecmat", "dot"])
@pytest.mark.parametrize(("narrow", "wide"), [("f16", "f32"), ("bf16", "f32"), ("f32", "f64")])
def test_wider_result(name, narrow, wide):
    rng = np.random.default_rng(2)
    body, formula = PRODUCTS[name]
    words = formula.replace("->", ",").split(",")
    types = (narrow, narrow, wide)
    a, b, c = arrays = [
        Operand(rng, type_, tuple(SIZES[letter] for letter in word))
        for type_, word in zip(types, words, strict=True)
    ]
    launch(function(body, arrays), arrays)
    x, y = (operand.values.astype(c.values.dtype) for operand in (a, b))
    c.check(c.values + np.einsum(formula, x, y), wide, terms=K)


@pytest.mark.parametrize(("order", "is_dynamic"), LAYOUTS)
@pytest.mark.parametrize("axis", [0, 1])
def test_sum_of_a_wider_type(axis, order, is_dynamic):
    rng = np.random.default_rng(4)
    a = Operand(rng, "f16", (M, N), order, is_dynamic)
    b = Operand(rng, "f32", ((M, N)[1 - axis],), order, is_dynamic)
    maps = f"affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ({'ji'[axis]})>"
    kinds = ["reduction", "parallel"] if axis == 0 else ["parallel", "reduction"]
    body = f"""
      linalg.generic {{indexing_maps = [{maps}], iterator_types = {str(kinds).replace("'", '"')}}}
        ins(%a : T0) outs(%b : T1) {{
      ^bb0(%x: f16, %old: f32):
        %y = arith.extf %x : f16 to f32
        %s = arith.addf %y, %old : f32
        linalg.yield %s : f32
      }}"""
    launch(function(body, [a, b]), [a, b])
    b.check(b.values + a.values.astype("f4").sum(axis), "f32", terms=N)


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_long_dot_product(is_dynamic):
    rng = np.random.default_rng(5)
    a, b = (Operand(rng, "f64", (1003,), "C", is_dynamic) for _ in range(2))
    c = Operand(rng, "f64", ())
    launch(function(product("dot"), [a, b, c]), [a, b, c])
    c.check(c.values + a.values @ b.values, "f64", terms=1003)


def conjugated_sum(formula, conjugates):
    """Return a linalg.generic whose inputs are conjugated or not."""
    inputs, output = formula.split("->")
    words = [*inputs.split(","), output]
    loops = sorted(set(formula) - set(",->"))
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(w)})>" for w in words)
    kinds = ", ".join('"parallel"' if loop in output else '"reduction"' for loop in loops)
    names, type_ = "xyz"[: len(words)], "complex<f32>"
    lines = [
        f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
        f"ins({', '.join('%' + n for n in 'ab'[: len(conjugates)])} : "
        f"{', '.join(f'T{i}' for i in range(len(conjugates)))})",
        f"outs(%{'abc'[len(conjugates)]} : T{len(conjugates)}) {{",
        f"^bb0({', '.join(f'%{n}: {type_}' for n in names)}):",
    ]
    factors = [f"%{n}" for n in names[:-1]]
    for place, (name, is_conjugate) in enumerate(zip(names, conjugates, strict=False)):
        if is_conjugate:
            factors[place] = f"%{name}_conjugate"
            lines.append(f"{factors[place]} = complex.conj %{name} : {type_}")
    if len(factors) == 2:
        lines.append(f"%product = complex.mul {', '.join(factors)} : {type_}")
        factors = ["%product"]
    lines.append(f"%sum = complex.add %{names[-1]}, {factors[0]} : {type_}")
    return "\n".join([*lines, f"linalg.yield %sum : {type_}", "}"])


@pytest.mark.similar
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("formula", ["km,nk->mn", "mk,kn->mn", "mk,k->m", "k,k->", "mk->m", "k->"])
def test_conjugates(formula, order):
    inputs, output = formula.split("->")
    shapes = [tuple(SIZES[letter] for letter in w) for w in (*inputs.split(","), output)]
    for conjugates in itertools.product((False, True), repeat=len(shapes) - 1):
        arrays = operands(shapes, "complex<f32>", order)
        launch(function(conjugated_sum(formula, conjugates), arrays), arrays, groups=1)
        values = (
            a.values.conj() if is_conjugate else a.values
            for a, is_conjugate in zip(arrays, conjugates, strict=False)
        )
        c = arrays[-1]
        c.check(c.values + np.einsum(formula, *values), "complex<f32>", terms=K)


ADD = """
(%x: ET, %y: ET) {
  %sum = OP %x, %y : ET
  linalg.yield %sum : ET
}"""
ELEMENTWISE = {
    "fill": ("linalg.fill ins(%s : ET) outs(%b : T1)", lambda a, s: np.full((M, N), s)),
    "copy": ("linalg.copy ins(%a : T0) outs(%b : T1)", lambda a, s: a),
    "memref.copy": ("memref.copy %a, %b : T0 to T1", lambda a, s: a),
    "add": ("linalg.add ins(%a, %a : T0, T0) outs(%b : T1)", lambda a, s: a + a),
    "mul": ("linalg.mul ins(%a, %a : T0, T0) outs(%b : T1)", lambda a, s: a * a),
    "map": ("linalg.map ins(%a, %a : T0, T0) outs(%b : T1)" + ADD, lambda a, s: a + a),
    "elementwise": (
        "linalg.elementwise kind=#linalg.elementwise_kind<sub> ins(%a, %b : T0, T1) outs(%b : T1)",
        None,
    ),
}


@pytest.mark.similar
@pytest.mark.parametrize(("order", "is_dynamic"), LAYOUTS)
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name, type_, order, is_dynamic):
    body, expected = ELEMENTWISE[name]
    op = {"i32": "arith.addi", "complex<f32>": "complex.add"}.get(type_, "arith.addf")
    body = body.replace("ET", type_).replace("OP", op)
    if name == "map":  # its region also takes the old element
        body = body.replace(f"%y: {type_})", f"%y: {type_}, %old: {type_})")
    a, b = arrays = operands([(M, N)] * 2, type_, order, is_dynamic)
    value = 3 if type_ == "i32" else 1.5
    want = expected(a.values, value) if expected else a.values - b.values
    launch(function(body, arrays, f"%s: {type_}"), arrays, value)
    b.check(want, type_)


@pytest.mark.parametrize(("order", "is_dynamic"), LAYOUTS)
def test_transpose_and_broadcast(order, is_dynamic):
    shapes = [(M, N, K), (K, M, N), (M,), (M, N)]
    a, b, c, d = arrays = operands(shapes, "f64", order, is_dynamic)
    body = """
      linalg.transpose ins(%a : T0) outs(%b : T1) permutation = [2, 0, 1]
      linalg.broadcast ins(%c : T2) outs(%d : T3) dimensions = [1]
    """
    launch(function(body, arrays), arrays)
    b.check(a.values.transpose(2, 0, 1), "f64")
    d.check(np.broadcast_to(c.values[:, None], (M, N)), "f64")


@pytest.mark.parametrize(("order", "is_dynamic"), LAYOUTS)
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_reduce(axes, order, is_dynamic):
    shape = (M, N, K)
    rest = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    a, b = arrays = operands([shape, rest], "f32", order, is_dynamic)
    body = f"linalg.reduce ins(%a : T0) outs(%b : T1) dimensions = {list(axes)}"
    launch(function(body + ADD.replace("ET", "f32").replace("OP", "arith.addf"), arrays), arrays)
    b.check(b.values + a.values.sum(axes), "f32", terms=M * N * K)


def test_a_generic_with_indices_and_two_outputs():
    body = """
      linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>,
                         affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : T0) outs(%b, %c : T1, T2) {
      ^bb0(%x: i32, %y: i32, %z: i32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = arith.subi %i, %j : index
        %n = arith.index_cast %k : index to i32
        %p = arith.muli %x, %n : i32
        %q = arith.maxsi %z, %x : i32
        linalg.yield %p, %q : i32, i32
      }"""
    body = body.replace('"parallel", "reduction"', '"parallel", "parallel"')
    body = body.replace("affine_map<(i, j) -> (i)>", "affine_map<(i, j) -> (i, j)>")
    a, b, c = arrays = operands([(N, M), (M, N), (M, N)], "i32")
    launch(function(body, arrays), arrays)
    i, j = np.indices((M, N))
    b.check(a.values.T * (i - j), "i32")
    c.check(np.maximum(c.values, a.values.T), "i32")


def test_a_convolution_is_a_sum_like_others():
    image, weights, result = arrays = operands([(9, 8), (3, 2), (7, 7)], "f64")
    launch(function("linalg.conv_2d ins(%a, %b : T0, T1) outs(%c : T2)", arrays), arrays)
    windows = np.lib.stride_tricks.sliding_window_view(image.values, (3, 2))
    result.check(result.values + (windows * weights.values).sum((2, 3)), "f64", terms=6)
