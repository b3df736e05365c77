"""Collective instructions against plain NumPy in double precision."""

import numpy as np
import pytest

from interpreting import array, random, run
from tinytc_mlir.reference import tolerance

TYPES = ("i8", "i16", "i32", "i64", "f16", "f32", "f64", "c32", "c64")
SHAPES = [(1, 1, 1), (3, 5, 2), (7, 1, 4), (16, 13, 1)]
SCALES = [(1, 0), (2, 1), (-1, 3), (0, 2)]


def wide(values):
    """Return the values in a type that is exact for small test data."""
    values = np.asarray(values)
    return values.astype({"i": np.int64, "f": np.float64, "c": np.complex128}[values.dtype.kind])


def memref(type_, *shape):
    return f"memref<{''.join([type_, *(f'x{size}' for size in shape)])}>"


def literal(type_, value):
    if type_[0] == "c":
        return f"[{value}.0, 0.0] : {type_}"
    return f"{value} : {type_}" if type_[0] == "i" else f"{value}.0 : {type_}"


def check(type_, instruction, inputs, output, formula, *, scales, terms=1):
    """Compare an instruction on the operands %A, %B, ..., %C with a formula of the inputs."""
    alpha, beta = scales
    names = "AB"[: len(inputs)]
    operands = [*zip(names, inputs, strict=True), ("C", output)]
    parameters = ", ".join(f"%{name}: {memref(type_, *x.shape)}" for name, x in operands)
    text = f"""
    func @f({parameters}) {{
        %alpha = constant {literal(type_, alpha)}
        %beta = constant {literal(type_, beta)}
        {instruction}
    }}"""
    expected = alpha * formula(*map(wide, inputs)) + beta * wide(output)
    magnitude = abs(alpha) * formula(*(abs(wide(x)) for x in inputs)) + abs(beta * wide(output))
    run(text, *inputs, output)
    if np.dtype(output.dtype).kind == "i":
        assert np.array_equal(output, expected.astype(output.dtype))
    else:
        assert (abs(output - expected) <= tolerance(type_, magnitude, terms=terms)).all()


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("transposes", ["n.n", "n.t", "t.n", "t.t"])
@pytest.mark.parametrize("scales", SCALES)
def test_gemm(type_, transposes, scales):
    rng = np.random.default_rng(0)
    for m, n, k in SHAPES:
        a = random(rng, type_, *((k, m) if transposes[0] == "t" else (m, k)))
        b = random(rng, type_, *((n, k) if transposes[2] == "t" else (k, n)))
        check(
            type_,
            f"gemm.{transposes} %alpha, %A, %B, %beta, %C",
            [a, b],
            random(rng, type_, m, n),
            lambda x, y: (
                (x.T if transposes[0] == "t" else x) @ (y.T if transposes[2] == "t" else y)
            ),
            scales=scales,
            terms=k,
        )


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("transpose", "nt")
def test_gemv(type_, transpose):
    rng = np.random.default_rng(1)
    for m, k, _ in SHAPES:
        a = random(rng, type_, *((k, m) if transpose == "t" else (m, k)))
        check(
            type_,
            f"gemv.{transpose} %alpha, %A, %B, %beta, %C",
            [a, random(rng, type_, k)],
            random(rng, type_, m),
            lambda x, y: (x.T if transpose == "t" else x) @ y,
            scales=(2, 3),
            terms=k,
        )


@pytest.mark.parametrize("type_", TYPES)
def test_ger_and_hadamard_product(type_):
    rng = np.random.default_rng(2)
    for m, n, _ in SHAPES:
        a, b, c = random(rng, type_, m), random(rng, type_, n), random(rng, type_, m, n)
        check(type_, "ger %alpha, %A, %B, %beta, %C", [a, b], c, np.multiply.outer, scales=(2, 3))
        for shape in [(m,), (m, n)]:
            a, b, c = (random(rng, type_, *shape) for _ in range(3))
            check(
                type_,
                "hadamard_product %alpha, %A, %B, %beta, %C",
                [a, b],
                c,
                np.multiply,
                scales=(-1, 2),
            )


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("transpose", "nt")
def test_axpby(type_, transpose):
    rng = np.random.default_rng(3)
    for shape in [(), (1,), (5,), (3, 4)]:
        a = random(rng, type_, *shape)
        c = random(rng, type_, *(shape[::-1] if transpose == "t" else shape))
        check(
            type_,
            f"axpby.{transpose} %alpha, %A, %beta, %C",
            [a],
            c,
            lambda x: x.T if transpose == "t" else x,
            scales=(2, 3),
        )


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("transpose", "nt")
def test_sum(type_, transpose):
    rng = np.random.default_rng(4)
    for m, n, _ in SHAPES:
        a = random(rng, type_, m, n)
        c = random(rng, type_, n if transpose == "t" else m)
        check(
            type_,
            f"sum.{transpose} %alpha, %A, %beta, %C",
            [a],
            c,
            lambda x: x.sum(axis=0 if transpose == "t" else 1),
            scales=(2, -1),
            terms=n,
        )
        check(
            type_,
            f"sum.{transpose} %alpha, %A, %beta, %C",
            [random(rng, type_, m)],
            random(rng, type_),
            lambda x: x.sum(),
            scales=(3, 1),
            terms=m,
        )


@pytest.mark.parametrize("type_", TYPES)
def test_cumsum(type_):
    rng = np.random.default_rng(5)
    for shape in [(1,), (5,), (3, 4), (2, 3, 4)]:
        for mode in range(len(shape)):
            for word in ("cumsum", "cumsum.reverse"):
                step = -1 if word == "cumsum.reverse" else 1
                order = tuple(
                    slice(None, None, step if m == mode else 1) for m in range(len(shape))
                )
                check(
                    type_,
                    f"{word} %alpha, %A, {mode}, %beta, %C",
                    [random(rng, type_, *shape)],
                    random(rng, type_, *shape),
                    lambda x, axis=mode, order=order: np.cumsum(x[order], axis=axis)[order],
                    scales=(2, 3),
                    terms=shape[mode],
                )


def test_known_values():
    a, b, c = array([[1, 2], [3, 4]], "i32"), array([[5, 6], [7, 8]], "i32"), array([[1, 1]] * 2)
    text = """
    func @f(%A: memref<i32x2x2>, %B: memref<i32x2x2>, %C: memref<f64x2x2>) {
        %alpha = constant 1 : i8
        %beta = constant 10.0 : f32
        gemm.n.n %alpha, %A, %B, %beta, %C
    }"""
    c = array([[1, 1], [1, 1]], "f64")
    run(text, a, b, c)
    assert c.tolist() == [[29, 32], [53, 60]]


def test_mixed_precision_accumulates_in_the_type_of_the_result():
    text = """
    func @f(%A: memref<i8x1x4>, %B: memref<i8x4x1>, %C: memref<i32x1x1>) {
        %alpha = constant 1 : i8
        %beta = constant 0 : i32
        gemm.n.n %alpha, %A, %B, %beta, %C
    }"""
    c = array([[7]], "i32")
    run(text, array([[127] * 4], "i8"), array([[127]] * 4, "i8"), c)
    assert c == 4 * 127**2


def test_f16_accumulates_in_f32():
    text = """
    func @f(%A: memref<f16x3>, %b: memref<f16>) {
        %one = constant 1.0 : f16
        %zero = constant 0.0 : f16
        sum.n %one, %A, %zero, %b
    }"""
    b = array(0, "f16")
    run(text, array([2048, 1, 1], "f16"), b)
    assert b == 2050  # each partial sum rounded to f16 would give 2048


@pytest.mark.parametrize(
    ("instruction", "shapes"),
    [
        ("axpby.n %alpha, %A, %beta, %C", ["2x2", "2x2"]),
        ("cumsum %alpha, %A, 1, %beta, %C", ["2x2", "2x2"]),
        ("gemm.n.t %alpha, %A, %B, %beta, %C", ["2x2", "2x2", "2x2"]),
        ("gemv.t %alpha, %A, %B, %beta, %C", ["2x2", "2", "2"]),
        ("ger %alpha, %A, %B, %beta, %C", ["2", "2", "2x2"]),
        ("hadamard_product %alpha, %A, %B, %beta, %C", ["2x2", "2x2", "2x2"]),
        ("sum.n %alpha, %A, %beta, %C", ["2x2", "2"]),
    ],
)
@pytest.mark.parametrize(
    ("modifier", "beta"),
    [
        ("", "constant 0.0 : f32"),
        ("", "arith.sub %one, %alpha : f32"),
        (".atomic", "constant 0.0 : f32"),
    ],
)
def test_nan_of_the_result_does_not_spread_if_beta_is_0(instruction, shapes, modifier, beta):
    mnemonic, operands = instruction.split(" ", 1)
    names = ["A", "B", "C"] if len(shapes) == 3 else ["A", "C"]
    parameters = ", ".join(
        f"%{name}: memref<f32x{shape}>" for name, shape in zip(names, shapes, strict=True)
    )
    text = f"""
    func @f(%alpha: f32, {parameters}) {{
        %one = constant 1.0 : f32
        %beta = {beta}
        {mnemonic}{modifier} {operands}
    }}"""
    arrays = [np.ones([int(size) for size in shape.split("x")], np.float32) for shape in shapes]
    arrays[-1][...] = np.nan
    run(text, 1.0, *map(np.asfortranarray, arrays[:-1]), out := np.asfortranarray(arrays[-1]))
    assert np.isfinite(out).all()


def test_atomic_updates_of_all_groups_add_up():
    text = """
    func @f(%A: memref<f32x2x2>, %C: memref<f32x2x2>) {
        %one = constant 1.0 : f32
        gemm.n.n.atomic %one, %A, %A, %one, %C
    }"""
    a, c = array([[1, 1], [0, 1]]), array([[1, 1], [1, 1]])
    run(text, a, c, groups=3)
    assert c.tolist() == [[4, 7], [1, 4]]


def test_padding_between_columns_stays():
    text = """
    func @f(%A: memref<f32x2x2>, %C: memref<f32x2x2,strided<1,4>>) {
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        axpby.t %one, %A, %zero, %C
    }"""
    whole = np.full((4, 2), -1, np.float32, order="F")
    run(text, array([[1, 2], [3, 4]]), whole[:2])
    assert whole.tolist() == [[1, 3], [2, 4], [-1, -1], [-1, -1]]


def test_dynamic_sizes_and_strides():
    text = """
    func @f(%A: memref<f32x?x?,strided<1,?>>, %b: memref<f32x?>) {
        %one = constant 1.0 : f32
        sum.n %one, %A, %one, %b
    }"""
    a = np.arange(12, dtype=np.float32).reshape(4, 3, order="F")
    b = np.zeros(2, np.float32)
    run(text, a[1:3], b)
    assert b.tolist() == [1 + 5 + 9, 2 + 6 + 10]
