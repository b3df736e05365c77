"""Programs are translated between versions of the language and back."""

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.translation import translate


def in_function(body, parameters="%x: f32, %A: memref<f32x8x4>, %X: memref<f32x8>"):
    return f"func @f({parameters}) {{\n{body}\n}}\n"


def instructions(text):
    """Return the lines of a function's body without indentation."""
    return [line.strip() for line in text.splitlines()[1:-1]]


# Instructions of version 0.3 and of version 0.4.
PAIRS = [
    ("%y = arith.add %x, %x : f32", "%y = add %x, %x : f32"),
    ("%y = arith.neg %x : f32", "%y = neg %x : f32"),
    ("%y = math.exp %x : f32", "%y = exp %x : f32"),
    ("%y = math.native_exp %x : f32", "%y = native_exp %x : f32"),
    *(
        (f"%y = cmp.{short} %x, %x : bool", f"%y = {word} %x, %x : bool")
        for short, word in (
            ("eq", "equal"),
            ("ne", "not_equal"),
            ("gt", "greater_than"),
            ("ge", "greater_than_equal"),
            ("lt", "less_than"),
            ("le", "less_than_equal"),
        )
    ),
    ("hadamard_product %x, %X, %X, %x, %X", "hadamard %x, %X, %X, %x, %X"),
    ("hadamard_product.atomic %x, %X, %X, %x, %X", "hadamard.atomic %x, %X, %X, %x, %X"),
    ("axpby.n %x, %A, %x, %A", "axpby.n %x, %A, %x, %A"),
    ("gemv.t.atomic %x, %A, %X, %x, %X", "gemv.atomic.t %x, %A, %X, %x, %X"),
    ("gemm.n.t.atomic %x, %A, %A, %x, %A", "gemm.atomic.n.t %x, %A, %A, %x, %A"),
    ("%g = builtin.group_id : index", "%g = group_id.x : index"),
    ("%g = builtin.group_size : index", "%g = num_groups.x : index"),
    ("%s = builtin.subgroup_size : i32", "%s = subgroup_size : i32"),
    ("%s = builtin.subgroup_id : i32", "%s = subgroup_linear_id : i32"),
    ("%s = builtin.subgroup_local_id : i32", "%s = subgroup_local_id : i32"),
    *(
        (f"%y = subgroup_{op}.{kind} %x : f32", f"%y = subgroup_{kind}_{op} %x : f32")
        for op in ("add", "max", "min")
        for kind in ("reduce", "inclusive_scan", "exclusive_scan")
    ),
    (
        "%m = cooperative_matrix_load.n %A[%i, %i] : coopmatrix<f32x8x4,matrix_acc>",
        "%m = cooperative_matrix_load.n %A[%i, %i] : coopmatrix<f32x8x4,matrix_acc>",
    ),
]


@pytest.mark.parametrize("earlier, later", PAIRS)
def test_names(earlier, later):
    before = in_function("  %i = constant 0 : index\n  " + earlier)
    after = in_function("  %i = constant 0 : index\n  " + later)
    assert translate(before, "0.4") == translate(after, "0.4") == after
    assert translate(after, "0.3") == translate(before, "0.3") == before


@pytest.mark.parametrize(
    "later, earlier",
    [
        ("axpby %x, %A, %x, %A", "axpby.n %x, %A, %x, %A"),
        ("gemm.t %x, %A, %A, %x, %A", "gemm.t.n %x, %A, %A, %x, %A"),
        ("gemv.atomic %x, %A, %X, %x, %X", "gemv.n.atomic %x, %A, %X, %x, %X"),
        ("sum %x, %A, %x, %X", "sum.n %x, %A, %x, %X"),
    ],
)
def test_default_transposes(later, earlier):
    assert instructions(translate(in_function(later), "0.3")) == [earlier]
    assert instructions(translate(in_function(later), "0.4")) == [later]


@pytest.mark.parametrize("language, subtract", [("0.3", "arith.sub"), ("0.4", "sub")])
def test_what_neither_version_has(language, subtract):
    body = """%i = constant 2 : index ; two
      %b = subview %A[%i:?, :] : memref<f32x?x4>
      %c = subview %A[3:?, 1] : memref<f32x5>
      %d = subview %B[:] : memref<f32x?>
      %z = constant 0 : f32
      %t = alloca : memref<f32x8>
      store %x, %X[1]  ; one"""
    text = in_function(body, "%x: f32, %A: memref<f32x8x4>, %X: memref<f32x8>, %B: memref<f32x?>")
    assert instructions(translate(text, language)) == [
        "%i = constant 2 : index  ; two",
        "%size = constant 8 : index",
        f"%rest = {subtract} %size, %i : index",
        "%b = subview %A[%i:%rest, 0:4] : memref<f32x?x4>",
        "%c = subview %A[3:5, 1] : memref<f32x5>",
        "%size1 = size %B[0] : index",
        "%d = subview %B[0:%size1] : memref<f32x?>",
        "%z = constant 0.0 : f32",
        "%t = alloca : memref<f32x8,local>",
        "%constant = constant 1 : index",
        "store %x, %X[%constant]  ; one",
    ]


@pytest.mark.parametrize("offset", ["3", "$o"])
def test_rest_of_a_dynamic_mode_after_a_constant_offset(offset):
    text = (
        f"$o = 3 func @f(%A: memref<f32x?x4>) {{ %a = subview %A[{offset}:?, 1] : memref<f32x?> }}"
    )
    for language, subtract in (("0.3", "arith.sub"), ("0.4", "sub")):
        lines = [line.strip() for line in translate(text, language).splitlines()[2:-1]]
        assert lines == [
            "%size = size %A[0] : index",
            f"%offset = constant {offset} : index",
            f"%rest = {subtract} %size, %offset : index",
            f"%a = subview %A[{offset}:%rest, 1] : memref<f32x?>",
        ]


def test_number_of_subgroups():
    text = in_function("%n = builtin.num_subgroups : i32")
    assert instructions(translate(text, "0.4")) == [
        "%in_x = num_subgroups.x : i32",
        "%in_y = num_subgroups.y : i32",
        "%n = mul %in_x, %in_y : i32",
    ]


def test_loops():
    earlier = """func @f(%i: i32, %j: index) {
  for %k: i32 = %i, %i {
  } {unroll=true}
  for %l = %j, %j {
  }
  foreach (%m, %n): i32 = (%i, %i), (%i, %i) {
  }
}
"""
    later = """func @f(%i: i32, %j: index) {
  for %k = %i, %i {
  } attributes {unroll=true}
  for %l = %j, %j {
  }
  foreach (%m, %n) = (%i, %i), (%i, %i) {
  }
}
"""
    assert translate(earlier, "0.4") == later
    assert translate(later, "0.3") == earlier


def test_stores():
    parameters = "%x: f32, %X: memref<f32x8>, %i: index, %m: memref<f32x8,local>"
    earlier = in_function("  store.atomic %x, %X[%i]\n  store.atomic_add %x, %X[%i]", parameters)
    later = translate(earlier, "0.4")
    assert instructions(later) == [
        "atomic_store.device %x, %X[%i]",
        "%previous = atomic_add.device %x, %X[%i] : f32",
    ]
    assert translate(later, "0.3") == earlier


@pytest.mark.parametrize(
    "body, place, message",
    [
        ("%g = group_id.y : index", (2, 6), "got 'group_id.y'"),
        ("%s = subgroup_id.x : i32", (2, 6), "got 'subgroup_id.x'"),
        ("%y = cos %x : f32", (2, 6), "got 'cos'"),
        (
            "foreach (%i, %j) = (%a, %b), (%a, %b) {\n}",
            (2, 1),
            "got a loop over variables of several types (i32, i64)",
        ),
        ("for %i = %a, %a {\n} attributes {unroll=4}", (3, 14), "got partial unrolling"),
        ("$d = {unroll=4}\nfor %i = %a, %a {\n} $d", (4, 3), "got partial unrolling"),
        (
            "%r = atomic_add %x, %X[%n] : f32\nstore %r, %X[%n]",
            (2, 1),
            "got 'atomic_add' with a result",
        ),
        ("%r = atomic_load %X[%n] : f32", (2, 6), "got 'atomic_load'"),
        (
            "atomic_store.device.release %x, %X[%n]",
            (2, 1),
            "got '.release' of 'atomic_store'",
        ),
    ],
)
def test_no_counterpart(body, place, message):
    parameters = "%x: f32, %X: memref<f32x8>, %a: i32, %b: i64, %n: index"
    with pytest.raises(ParseError) as caught:
        translate(in_function(body, parameters), "0.3", "a.ir")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == f"expected what version 0.3 of the language has, {message}"
    assert (diagnostic.line, diagnostic.column) == place
    assert diagnostic.excerpt


def test_comments_and_variables_stay():
    text = """; first
$n = 8 ; eight
$T = f32
$I = i32

func @f(%x: $T, ; a number
        %X: memref<$T x $n>, %Y: memref<$T x $n>, %i: $I) {
  ; alone
  %y = arith.mul %x, ; within
      0.5 : $T
  $t = memref<f32x4,local>
  %t = alloca : $t
  %b = subview %X[:] : memref<$T x $n>
  %c = subview %X[0:?] : memref<$T x ?>
  for %k = %i, %i {
  }

  ; last
}
"""
    expected = """; first
$n = 8  ; eight
$T = f32
$I = i32

func @f(%x: $T,  ; a number
        %X: memref<$T x $n>, %Y: memref<$T x $n>, %i: $I) {
  ; alone
  %constant = constant 0.5 : $T
  %y = arith.mul %x,  ; within
      %constant : $T
  $t = memref<f32x4,local>
  %t = alloca : $t
  %b = subview %X[0:$n] : memref<$T x $n>
  %size = constant $n : index
  %c = subview %X[0:%size] : memref<$T x ?>
  for %k: $I = %i, %i {
  }

  ; last
}
"""
    assert translate(text, "0.3") == frontend.format_source(expected)
    later = expected.replace("arith.mul", "mul").replace("%k: $I", "%k")
    assert translate(text, "0.4") == translate(expected, "0.4") == frontend.format_source(later)


@pytest.mark.parametrize(
    "body, message",
    [
        (
            "$t = memref<f32x4>\n%t = alloca : $t",
            "expected 'local' in the type of an alloca, got $t without it",
        ),
        (
            "%c = subview %X[1:?] : memref<f32x7>",
            "expected what version 0.4 of the language has, got the rest of a mode of size $n",
        ),
    ],
)
def test_what_depends_on_variables(body, message):
    with pytest.raises(ParseError) as caught:
        translate(f"$n = 8\n{in_function(body, '%X: memref<f32x$n>')}", "0.4")
    assert caught.value.diagnostics[0].message == message
