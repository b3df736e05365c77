"""Debug builds report accesses to views that break a rule, and sizes that do not fit."""

import numpy as np
import pytest

from cases.violations import expect, expect_nothing, launch
from interpreting import HEAD, ITEM, array

INDEX_MAX = 2**63 - 1


def zeros(*shape):
    return np.zeros(shape, np.float32, order="F")


@pytest.mark.parametrize(
    ("offset", "size", "message"),
    [
        (-1, 2, "expected slice 0 of 'A' to be within 0:8, got offset -1 and size 2"),
        (7, 2, "expected slice 0 of 'A' to be within 0:8, got offset 7 and size 2"),
        (0, 9, "within 0:8, got offset 0 and size 9"),
        (INDEX_MAX, INDEX_MAX, "within 0:8"),
        (-INDEX_MAX, INDEX_MAX, "within 0:8"),
        (0, 0, "expected size 0 of the subview to be positive, got 0"),
        (3, -1, "expected size 0 of the subview to be positive, got -1"),
    ],
)
@pytest.mark.parametrize("shape", ["8x2", "?x?"])
def test_subview(offset, size, message, shape):
    text = f"""
    func @f(%A: memref<f32x{shape}>, %i: index, %n: index) {{
        %x = constant 2.0 : f32
        %a = @@ subview %A[%i:%n,1] : memref<f32x?>
        axpby.n %x, %a, %x, %a
    }}"""
    (a,) = expect(text, message, np.ones((8, 2), np.float32), offset, size)
    assert a.is_untouched


def test_the_note_shows_the_access():
    text = """
    func @f(%A: memref<f32x8>, %i: index) {
        %0 = constant 0 : index
        %x = constant 2.0 : f32
        %a = subview %A[%i:4] : memref<f32x4>
        store %x, %a[%0]
    }"""
    error, _ = launch(text, zeros(8), 5)
    lines = str(error).splitlines()
    assert lines[0].startswith("test.ir:5:14: error: expected slice 0 of 'A' to be within 0:8")
    assert lines[1].strip() == "%a = subview %A[%i:4] : memref<f32x4>"
    assert lines[3:5] == [
        "test.ir:6:9: note: the view is accessed here",
        " " * 8 + "store %x, %a[%0]",
    ]


def test_element_of_a_mode_that_is_removed():
    text = """
    func @f(%A: memref<f32x8x?>, %i: index) {
        %x = constant 2.0 : f32
        %a = @@ subview %A[0:8,%i] : memref<f32x8>
        axpby.n %x, %a, %x, %a
    }"""
    message = "expected offset 1 of 'A' to be at least 0 and less than 3, got 3"
    expect(text, message, zeros(8, 3), 3)
    expect_nothing(text.replace("@@ ", ""), zeros(8, 3), 2)


def test_view_that_is_not_accessed():
    text = """
    func @f(%A: memref<f32x8>, %i: index, %n: index) {
        %0 = constant 0 : index
        %x = constant 2.0 : f32
        %a = subview %A[%i:%n] : memref<f32x?>
        %is_there = cmp.gt %n, %0 : bool
        if %is_there {
            axpby.n %x, %a, %x, %a
        }
        %size = size %a[0] : index
    }"""
    expect_nothing(text, zeros(8), 99, 0)
    expect_nothing(text, zeros(8), 4, 4)


def test_view_of_an_invalid_view():
    text = """
    func @f(%A: memref<f32x8x4>, %i: index) {
        %0 = constant 0 : index
        %x = constant 2.0 : f32
        %a = @@ subview %A[%i:4,0:4] : memref<f32x4x4,strided<1,8>>
        %b = subview %a[0:2,1:2] : memref<f32x2x2,strided<1,8>>
        foreach (%j)=(%0),(%i) {
            store %x, %b[%0,%0]
        }
    }"""
    expect(text, "within 0:8, got offset 6 and size 4", zeros(8, 4), 6)


def test_views_that_differ_between_lanes():
    text = f"""
    func @f(%A: memref<f32x8>, %I: memref<indexx8>) {HEAD} {{
        parallel {{
            {ITEM}
            %0 = constant 0 : index
            %x = constant 1.0 : f32
            %j = load %I[%i] : index
            %a = @@ subview %A[%j:1] : memref<f32x1>
            store %x, %a[%0]
        }}
    }}"""
    message = "got offset 8 and size 1 (group 0, subgroup 1, lane 2)"
    (a, _) = expect(text, message, zeros(8), np.array([0, 1, 2, 3, 4, 5, 8, 7]))
    assert a.array.tolist() == [1, 1, 1, 1, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((3, 5), "expected the product of the expand shape to be the size of mode 0 of 'A' = 12"),
        ((-3, -4), "expected the sizes of the expand shape to be positive, got -3"),
        ((0, 12), "expected the sizes of the expand shape to be positive, got 0"),
        ((2**32, 2**32), "= 12, got 4294967296 x 4294967296"),
        ((12, 2), "= 12, got 12 x 2"),
    ],
)
def test_expand(sizes, message):
    text = """
    func @f(%A: memref<f32x?>, %m: index, %n: index) {
        %x = constant 2.0 : f32
        %a = @@ expand %A[0 -> %m x %n] : memref<f32x?x?>
        axpby.n %x, %a, %x, %a
    }"""
    (a,) = expect(text, message, np.ones(12, np.float32), *sizes)
    assert a.is_untouched
    expect_nothing(text.replace("@@ ", ""), np.ones(12, np.float32), 3, 4)


def test_expand_with_more_sizes_than_a_message_shows():
    names = [f"%n{i}" for i in range(12)]
    parameters = ", ".join(f"{name}: index" for name in names)
    text = f"""
    func @f(%A: memref<f32x?>, {parameters}) {{
        %0 = constant 0 : index
        %x = constant 2.0 : f32
        %a = @@ expand %A[0 -> {" x ".join(names)}] : memref<f32{"x?" * 12}>
        store %x, %a[{",".join(["%0"] * 12)}]
    }}"""
    message = "= 4096, got 2 x 2 x 2 x 2 x 2 x 2 x 2 x 2 x ? x ? x ? x ? (group 0)"
    expect(text, message, zeros(4096), *[2] * 11, 3)
    expect_nothing(text.replace("@@ ", ""), zeros(4096), *[2] * 12)


def test_fuse():
    text = """
    func @f(%A: memref<f32x4x?,strided<1,?>>, %B: memref<f32x4x6>, %n: index) {
        %x = constant 2.0 : f32
        %b = subview %B[0:%n,0:6] : memref<f32x?x6,strided<1,4>>
        %a = @@ fuse %b[0,1] : memref<f32x?,strided<1>>
        axpby.n %x, %a, %x, %a
    }"""
    message = "expected stride 1 of 'b' to be stride times size of mode 0 = 3, got 4"
    (_, b) = expect(text, message, zeros(4, 2), np.ones((4, 6), np.float32), 3)
    assert b.is_untouched
    expect_nothing(text.replace("@@ ", ""), zeros(4, 2), np.ones((4, 6), np.float32), 4)


@pytest.mark.similar
@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (
            "gemm.n.n %x, %A, %B, %x, %C",
            "mode 0 of 'b' to have the size of mode 1 of 'a' = 3, got 4",
        ),
        (
            "gemm.n.t %x, %A, %A, %x, %C",
            "mode 0 of 'b' to have the size of mode 1 of 'c' = 4, got 2",
        ),
        ("axpby.n %x, %A, %x, %C", "mode 1 of 'a' to have the size of mode 1 of 'b' = 4, got 3"),
        ("axpby.t %x, %A, %x, %C", "mode 0 of 'a' to have the size of mode 1 of 'b' = 4, got 2"),
        ("cumsum %x, %A, 0, %x, %C", "mode 1 of 'a' to have the size of mode 1 of 'b' = 4, got 3"),
        ("hadamard_product %x, %A, %B, %x, %C", "mode 1 of 'a' to have the size"),
        ("gemv.n %x, %A, %u, %x, %v", "mode 0 of 'b' to have the size of mode 1 of 'a' = 3, got 5"),
        ("gemv.t %x, %A, %u, %x, %v", "mode 1 of 'a' to have the size of mode 0 of 'c' = 2, got 3"),
        ("ger %x, %v, %u, %x, %C", "mode 0 of 'b' to have the size of mode 1 of 'c' = 4, got 5"),
        ("sum.t %x, %A, %x, %u", "mode 1 of 'a' to have the size of mode 0 of 'b' = 5, got 3"),
    ],
)
def test_sizes_that_do_not_fit(instruction, message):
    text = f"""
    func @f(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>, %u: memref<f32x?>,
            %v: memref<f32x?>) {{
        %x = constant 2.0 : f32
        @@ {instruction}
    }}"""
    shapes = [(2, 3), (4, 2), (2, 4), (5,), (2,)]
    arrays = expect(text, message, *(np.ones(shape, np.float32) for shape in shapes), groups=3)
    assert all(guarded.is_untouched for guarded in arrays)


def test_an_instruction_after_one_that_was_skipped():
    text = """
    func @f(%A: memref<f32x?>, %B: memref<f32x?>) {
        %x = constant 2.0 : f32
        %tmp = alloca : memref<f32x16>
        axpby.n %x, %A, %x, %B
        axpby.n %x, %B, %x, %B
    }"""
    error, (_, b) = launch(text, array([1, 2]), array([1, 2, 3]))
    assert error is not None
    assert b.array.tolist() == [4, 8, 12]


@pytest.mark.parametrize("part", [2, -1])
def test_parts_of_complex_numbers(part):
    text = """
    func @f(%A: memref<c32x?>, %i: index, %B: memref<f32>) {
        %0 = constant 0 : index
        %P = expandc2r %A : memref<f32x2x?>
        %x = @@ load %P[%i,%0] : f32
        store %x, %B[]
    }"""
    message = f"expected index 0 of 'P' to be at least 0 and less than 2, got {part}"
    expect(text, message, np.ones(4, np.complex64), part, zeros())
    expect_nothing(text.replace("@@ ", ""), np.ones(4, np.complex64), 1, zeros())
