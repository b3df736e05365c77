"""What the compiler derives for each way to index arrays by the group id."""

import pytest

from bounding import described

INDEX = "its index is not affine in the group id"
CONDITION = "it is accessed under a condition that is not affine in the group id"

# Name, parameters, body in which %g is the group id, and bounds.
BOUNDS = {
    "subview": (
        "%A: memref<f32x4x?>",
        "%a = subview %A[:,%g] : memref<f32x4> axpby.n %x, %a, %x, %a",
        ["A[1]: (1) g < 1*A.1"],
    ),
    "static_size": ("%A: memref<f32x100>", "store %x, %A[%g]", ["A[0]: (1) g < 100"]),
    "load_from_a_group": (
        "%G: group<memref<f32x4>x?>",
        "%a = load %G[%g] : memref<f32x4>",
        ["G[]: (1) g < 1*G"],
    ),
    "group_of_static_size": (
        "%G: group<memref<f32x4>x7>",
        "%a = load %G[%g] : memref<f32x4>",
        ["G[]: (1) g < 7"],
    ),
    "members_indexed_by_the_group": (
        "%G: group<memref<f32x4x9>x?>",
        "%a = load %G[%c1] : memref<f32x4x9> store %x, %a[%c1,%g]",
        ["G[]: 1 < 1*G", "G[1]: (1) g < 9"],
    ),
    "offset_and_stride": (
        "%A: memref<f32x?>",
        "%2 = arith.mul %g, %c2 : index %3 = arith.add %2, %c1 : index store %x, %A[%3]",
        ["A[0]: (2) g + 1 < 1*A.0"],
    ),
    "shift": (
        "%A: memref<f32x?>",
        "%2 = arith.shl %g, %c2 : index store %x, %A[%2]",
        ["A[0]: (4) g < 1*A.0"],
    ),
    "slice": (
        "%A: memref<f32x?>",
        """%2 = arith.mul %g, %c4 : index
        %a = subview %A[%2:4] : memref<f32x4> axpby.n %x, %a, %x, %a""",
        ["A[0]: (4) g + 3 < 1*A.0"],
    ),
    "slice_of_a_slice": (
        "%A: memref<f32x?>",
        """%2 = arith.mul %g, %c4 : index %a = subview %A[%2:4] : memref<f32x4>
        %b = subview %a[1:2] : memref<f32x2> axpby.n %x, %b, %x, %b""",
        ["A[0]: (4) g + 2 < 1*A.0"],
    ),
    "an_element_of_a_slice": (
        "%A: memref<f32x?>",
        "%2 = arith.mul %g, %c4 : index %a = subview %A[%2:4] : memref<f32x4> store %x, %a[%c1]",
        ["A[0]: (4) g + 1 < 1*A.0"],
    ),
    "casts": (
        "%A: memref<f32x?>",
        "%2 = cast %g : i32 %3 = cast %2 : i64 %4 = cast %3 : index store %x, %A[%4]",
        ["A[0]: (1) g < 1*A.0"],
    ),
    "from_the_end": (
        "%A: memref<f32x?>",
        """%2 = size %A[0] : index %3 = arith.sub %2, %c1 : index
        %4 = arith.sub %3, %g : index store %x, %A[%4]""",
        ["A[0]: (-1) g + -1 + 1*A.0 >= 0"],
    ),
    "stride_of_the_launch": (
        "%A: memref<f32x?>, %n: index",
        """%2 = arith.mul %g, %n : index
        %a = subview %A[%2:%n] : memref<f32x?> axpby.n %x, %a, %x, %a""",
        [
            "A[0]: (1*n) g >= 0 if -1 + 1*n >= 0",
            "A[0]: (1*n) g + -1 + 1*n < 1*A.0 if -1 + 1*n >= 0",
        ],
    ),
    "expand": (
        "%A: memref<f32x?>, %n: index",
        "%a = expand %A[0->8 x %n] : memref<f32x8x?> store %x, %a[%c1,%g]",
        ["A[0]: (8) g + 1 < 1*A.0"],
    ),
    "fuse": (
        "%A: memref<f32x8x4x?>",
        "%a = fuse %A[1,2] : memref<f32x8x?> store %x, %a[%c1,%g]",
        ["A[1,2]: (1) g < 4*A.2", "A[2]: 0 < 1*A.2"],
    ),
    "loop": (
        "%A: memref<f32x?>",
        """%2 = arith.mul %g, %c4 : index
        for %i = %c1, %c4 { %j = arith.add %2, %i : index store %x, %A[%j] }""",
        ["A[0]: (4) g + 3 < 1*A.0"],
    ),
    "loop_with_steps": (
        "%A: memref<f32x?>",
        """%2 = arith.mul %g, %c4 : index
        for %i = %c1, %c4, %c2 { %j = arith.sub %2, %i : index store %x, %A[%j] }""",
        ["A[0]: -3 >= 0", "A[0]: (4) g + -1 < 1*A.0"],
    ),
    "foreach": (
        "%A: memref<f32x8x?>",
        """%2 = arith.mul %g, %c4 : index
        foreach (%i,%j) = (%c1,%c1),(%c4,%c4) {
        %k = arith.add %2, %j : index store %x, %A[%i,%k] }""",
        ["A[1]: (4) g + 3 < 1*A.1"],
    ),
    "loop_to_a_size": (
        "%A: memref<f32x8x?>, %n: i32",
        """%0 = constant 0 : i32
        for %i : i32 = %0, %n { %j = cast %i : index store %x, %A[%j,%g] }""",
        ["A[0]: -1 + 1*n < 8 if -1 + 1*n >= 0", "A[1]: (1) g < 1*A.1 if -1 + 1*n >= 0"],
    ),
    "guard": (
        "%A: memref<f32x?>, %n: index",
        "%2 = cmp.lt %g, %n : bool if %2 { store %x, %A[%g] }",
        ["A[0]: (1) g < 1*A.0 if (-1) g + -1 + 1*n >= 0"],
    ),
    "guard_of_the_size": (
        "%A: memref<f32x?>",
        "%n = size %A[0] : index %2 = cmp.ge %g, %n : bool if %2 { } else { store %x, %A[%g] }",
        ["A[0]: (1) g < 1*A.0 if (-1) g + -1 + 1*A.0 >= 0"],
    ),
    "guards_and_no_guard": (
        "%A: memref<f32x?>, %n: index",
        "%2 = cmp.lt %g, %n : bool if %2 { store %x, %A[%g] } store %x, %A[%g]",
        ["A[0]: (1) g < 1*A.0"],
    ),
    "two_guards": (
        "%A: memref<f32x?>",
        """%2 = cmp.gt %g, %c1 : bool %3 = cmp.ne %g, %c4 : bool
        %n = arith.not %3 : bool %4 = arith.and %2, %n : bool
        if %4 { store %x, %A[%g] }""",
        ["A[0]: (1) g < 1*A.0 if (-1) g + 4 >= 0 if (1) g + -4 >= 0 if (1) g + -2 >= 0"],
    ),
    "never": (
        "%A: memref<f32x?>",
        """%2 = cmp.lt %c4, %c1 : bool if %2 { store %x, %A[%g] }
        for %i = %c4, %c1 { store %x, %A[%g] }""",
        [],
    ),
    "view_without_access": (
        "%A: memref<f32x4x?>",
        "%a = subview %A[:,%g] : memref<f32x4> %n = size %a[0] : index",
        [],
    ),
    "mode_that_may_be_empty": (
        "%A: memref<f32x?x?>",
        "%a = subview %A[:,%g] : memref<f32x?> axpby.n %x, %a, %x, %a",
        ["A[1]: (1) g < 1*A.1 if -1 + 1*A.0 >= 0"],
    ),
    "coopmatrix": (
        "%A: memref<f32x8x?>",
        """%2 = arith.mul %g, %c4 : index
        parallel { %m = cooperative_matrix_load.n %A[0,%2] : coopmatrix<f32x8x4,matrix_acc> }""",
        ["A[1]: (4) g + 3 < 1*A.1"],
    ),
    "coopmatrix_transposed_store": (
        "%A: memref<f32x4x?>",
        """%2 = arith.mul %g, %c4 : index
        parallel { %m = constant 1.0 : coopmatrix<f32x8x4,matrix_acc>
        cooperative_matrix_store.t %m, %A[0,%2] }""",
        ["A[1]: (4) g + 7 < 1*A.1"],
    ),
    "coopmatrix_apply": (
        "%A: memref<f32x?>",
        """parallel { %m = constant 1.0 : coopmatrix<f32x8x4,matrix_acc>
        %r = cooperative_matrix_apply (%i, %j, %v) = %m -> coopmatrix<f32x8x4,matrix_acc> {
            %w = load %A[%g] : f32
            yield (%w)
        } }""",
        ["A[0]: (1) g < 1*A.0"],
    ),
    "coopmatrix_checked": (
        "%A: memref<f32x8x8x?>",
        """%a = subview %A[:,:,%g] : memref<f32x8x8> parallel {
        %m = constant 1.0 : coopmatrix<f32x16x4,matrix_acc>
        cooperative_matrix_store.rows_checked %m, %a[0,1] }""",
        ["A[2]: (1) g < 1*A.2"],
    ),
    "atomic": (
        "%A: memref<f32x?>, %B: memref<f32x?>",
        "%2 = atomic_add %x, %A[%g] : f32 %3 = atomic_load %B[%g] : f32",
        ["A[0]: (1) g < 1*A.0", "B[0]: (1) g < 1*B.0"],
    ),
    "coopmatrix_atomic": (
        "%A: memref<f32x8x?>",
        """%2 = arith.mul %g, %c4 : index parallel {
        %m = constant 1.0 : coopmatrix<f32x4x8,matrix_acc>
        cooperative_matrix_atomic_store.t %m, %A[0,%2] }""",
        ["A[1]: (4) g + 3 < 1*A.1"],
    ),
    "member_of_any_size": (
        "%G: group<memref<f32x?>x?>",
        "%a = load %G[%c1] : memref<f32x?> store %x, %a[%g]",
        ["G[]: 1 < 1*G", "G[0]: (1) g < 1*G.0"],
    ),
    "fuse_of_a_part": (
        "%A: memref<f32x8x?>",
        """%a = subview %A[:,%g:2] : memref<f32x8x2>
        %b = fuse %a[0,1] : memref<f32x16> store %x, %b[%c1]""",
        ["A[0,1]: (8) g + 1 < 8*A.1", "A[1]: 0 < 1*A.1"],
    ),
}

UNCHECKED = {
    "ticket": (
        "%A: memref<f32x?>, %T: memref<indexx4>",
        "%2 = atomic_add.device %c1, %T[%c1] : index store %x, %A[%2]",
        f"A[0]: {INDEX}",
    ),
    "indirect": (
        "%A: memref<f32x?>, %I: memref<indexx?>",
        "%2 = load %I[%g] : index store %x, %A[%2]",
        f"A[0]: {INDEX}",
    ),
    "square": (
        "%A: memref<f32x?>",
        "%2 = arith.mul %g, %g : index store %x, %A[%2]",
        f"A[0]: {INDEX}",
    ),
    "number_of_groups": (
        "%A: memref<f32x?>",
        "%n = group_size : index %2 = arith.add %n, %g : index store %x, %A[%2]",
        f"A[0]: {INDEX}",
    ),
    "remainder": (
        "%A: memref<f32x?>",
        "%2 = arith.rem %g, %c4 : index store %x, %A[%2]",
        f"A[0]: {INDEX}",
    ),
    "cast_that_wraps": (
        "%A: memref<f32x?>",
        "%2 = cast %g : i16 %3 = cast %2 : index store %x, %A[%3]",
        f"A[0]: {INDEX}",
    ),
    "loop_carried": (
        "%A: memref<f32x?>",
        """%2 = for %i = %c1, %c4 init(%k = %g) -> (index) {
        %3 = arith.add %k, %k : index yield (%3) } store %x, %A[%2]""",
        f"A[0]: {INDEX}",
    ),
    "condition": (
        "%A: memref<f32x?>, %I: memref<i32x?>",
        """%i = load %I[%g] : i32 %0 = constant 0 : i32
        %2 = cmp.lt %0, %i : bool if %2 { store %x, %A[%g] }""",
        f"A[0]: {CONDITION}",
    ),
    "either_condition": (
        "%A: memref<f32x?>",
        "%2 = cmp.ne %g, %c4 : bool if %2 { store %x, %A[%g] }",
        f"A[0]: {CONDITION}",
    ),
    "comparison_that_may_wrap": (
        "%A: memref<f32x?>, %n: index, %m: index",
        "%2 = arith.mul %n, %m : index %3 = cmp.lt %g, %2 : bool if %3 { store %x, %A[%g] }",
        f"A[0]: {CONDITION}",
    ),
}


def program(parameters, body):
    constants = " ".join(f"%c{n} = constant {n} : index" for n in (1, 2, 4))
    return f"func @f(%x: f32, {parameters}) {{ %g = group_id : index {constants} {body} }}"


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name):
    parameters, body, bounds = BOUNDS[name]
    assert described(program(parameters, body)) == (bounds, [])


@pytest.mark.parametrize("name", UNCHECKED)
def test_unchecked(name):
    parameters, body, use = UNCHECKED[name]
    assert use in described(program(parameters, body))[1]
    assert not [
        bound for bound in described(program(parameters, body))[0] if bound.startswith(use[:4])
    ]


def test_accesses_at_several_offsets_are_one_bound():
    stores = " ".join(
        f"%k{n} = constant {n} : index %i{n} = arith.add %g, %k{n} : index store %x, %A[%i{n}]"
        for n in range(50)
    )
    assert described(program("%A: memref<f32x?>", stores))[0] == ["A[0]: (1) g + 49 < 1*A.0"]


def test_huge_expressions_are_no_bounds():
    steps = "%i0 = arith.add %g, %n : index " + " ".join(
        f"%i{n + 1} = arith.mul %i{n}, %i{n} : index" for n in range(200)
    )
    bounds, unchecked = described(
        program("%A: memref<f32x?>, %n: index", steps + " store %x, %A[%i200]")
    )
    assert (bounds, unchecked) == ([], [f"A[0]: {INDEX}"])
