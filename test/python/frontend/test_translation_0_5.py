"""Each row of what version 0.5 added, in older versions: translated, or refused at its place."""

import pytest

from frontend.test_version_0_5 import APPLY, OUTLIVED
from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.printer import to_text
from tinytc_mlir.frontend.translation import translate

pytestmark = pytest.mark.filterwarnings("ignore::tinytc_mlir.errors.ProgramWarning")


def same_in_version_0_5(text: str) -> None:
    """Check that translation into version 0.5 changes nothing that a program means."""
    assert to_text(frontend.parse(translate(text, "0.5"))) == to_text(frontend.parse(text))


NEWEST = [
    ("func @f(%x: f32) { %y = bitcast %x : i32 }", ["'bitcast'"]),
    ("func @f(%A: memref<c32x8>) { %B = expandc2r %A : memref<f32x2x8> }", ["'expandc2r'"]),
    ("$n = !calc(1 3 shl not) func @f() { $m = !calc($n 1 xor) }", ["'shl'", "'not'", "'xor'"]),
    (
        APPLY,
        [
            "an apply to coopmatrix<i8x16x8,matrix_acc>, coopmatrix<f32x16x8,matrix_acc>, "
            "coopmatrix<i32x16x8,matrix_a> that yields coopmatrix<i32x16x8,matrix_a>"
        ],
    ),
]


@pytest.mark.parametrize("version", ["0.3", "0.4"])
@pytest.mark.parametrize("text, missing", NEWEST)
def test_earlier_versions_have_no_counterpart(text, missing, version) -> None:
    with pytest.raises(ParseError) as caught:
        translate(text, version)
    found = [each.message.removesuffix(" in '!calc'") for each in caught.value.diagnostics]
    start = f"expected what version {version} of the language has, got "
    assert [start + each for each in missing] == [f for f in found if "version" in f][
        : len(missing)
    ]


@pytest.mark.parametrize("text", [text for text, _ in NEWEST])
def test_version_0_5_has_all(text) -> None:
    same_in_version_0_5(text)


def test_an_apply_to_one_matrix_is_of_version_0_4() -> None:
    text = (
        APPLY.replace(", %q, %s", "")
        .replace(", %b, %c", "")
        .replace("i32x16x8,matrix_a>", "i8x16x8,matrix_acc>")
    )
    text = text.replace("%t = arith.add %i, %s : i32", "%t = arith.add %p, %p : i8")
    assert "cooperative_matrix_apply (%i, %j, %p) = %a ->" in translate(text, "0.4")


# What older versions refuse although they have all of its words, and what is found at its place.
RULES = {
    "after_a_region": (OUTLIVED, [(7, 55, "'$mat_t' after its region")]),
    "in_another_function": (
        "func @f() { $n = 1 }\nfunc @g() { %a = constant $n : i32 }",
        [(2, 27, "'$n' after its region")],
    ),
    "in_a_definition": (
        "func @f() { parallel { $n = 1 } $m = !calc($n 1 +) %a = constant $m : i32 }",
        [(1, 44, "'$n' after its region")],
    ),
    "in_a_type_and_an_attribute": (
        "func @f() { parallel { $n = 8 } }\nfunc @g(%A: memref<f32x$n> {alignment=$n}) { }",
        [(2, 24, "'$n' after its region"), (2, 39, "'$n' after its region")],
    ),
    "surplus_divisors": (
        "func @f(%A: memref<f32x?> {stride_gcd=[1,16]},\n"
        "  %B: group<memref<f32x?>x?> {shape_gcd=[1,2,4], stride_gcd=[1]}) { }",
        [
            (1, 39, "2 numbers in stride_gcd for a memref of order 1"),
            (2, 41, "3 numbers in shape_gcd for a memref of order 1"),
        ],
    ),
}


@pytest.mark.parametrize("version", ["0.3", "0.4"])
@pytest.mark.parametrize("name", RULES)
def test_earlier_versions_refuse(name, version) -> None:
    text, places = RULES[name]
    same_in_version_0_5(text)
    with pytest.raises(ParseError) as caught:
        translate(text, version, "f.ir")
    start = f"expected what version {version} of the language has, got "
    found = [each for each in caught.value.diagnostics if "foreach_tile" not in each.message]
    assert [(each.line, each.column, each.message) for each in found] == [
        (line, column, start + what) for line, column, what in places
    ]
    for each in found:
        assert each.filename == "f.ir" and each.excerpt in text.splitlines()
        if "after its region" in each.message:
            (note,) = each.notes
            assert note.message.endswith(" is defined here, in a region that has ended")
            assert note.line is not None


@pytest.mark.parametrize("version", ["0.3", "0.4", "0.5"])
def test_a_definition_in_its_region_is_of_every_version(version) -> None:
    text = """func @f(%c: bool) {
  if %c { $n = 1 %a = constant $n : i32 }
  if %c { $n = 2 if %c { %b = constant $n : i32 } }
  $n = 3
  %d = constant $n : i32
}"""
    assert to_text(frontend.parse(translate(text, version))) == to_text(frontend.parse(text))


@pytest.mark.parametrize("version", ["0.3", "0.4"])
def test_a_value_from_outside_has_no_region(version) -> None:
    text = "func @f() { parallel { $n = 1 } %a = constant $n : i32 }"
    assert "%a = constant $n : i32" in translate(text, version, defines={"n": 2})


IN_0_5 = {
    "one_column": "%r = cooperative_matrix_reduce_max.row %m : coopmatrix<f32x16x1,matrix_acc>",
    "types_with_spaces": "$t = f32 $n = 8 %z = constant 0.0 : coopmatrix<$t x 16 x $n,matrix_acc>",
    "matrices_of_loops": """%x = for %k = %i, %n init (%y = %m) -> (MATRIX) {
        cooperative_matrix_prefetch 0, %A[%k, %i], 16, 8
        yield (%y) }""",
    "matrices_of_branches": """%c = less_than %i, %n : bool
      %x = if %c -> (MATRIX) { yield (%m) } else { yield (%m) }""",
    "cast_of_components": "%x = cast %m : coopmatrix<i32x16x8,matrix_acc>",
    "cast_of_uses": "%x = cast %m : coopmatrix<i8x16x8,matrix_a>",
    "scale_of_a": """%a = constant 2.0 : coopmatrix<f32x16x8,matrix_a>
      %x = cooperative_matrix_scale %s, %a : coopmatrix<f32x16x8,matrix_a>""",
    "transposed_load": "%x = cooperative_matrix_load.t %A[%i, %i] : MATRIX",
    "maxima": "%x = cooperative_matrix_atomic_max %m, %A[%i, %i] : MATRIX",
    "powers": "%x = native_exp2 %d : f64",
    "sizes": "%x = size %A[1] : index",
    "modes_of_size_1": "%x = expand %A[0->1x64] : memref<f32x1x64x64>",
}
NOT_IN_0_3 = {
    "one_column": "'cooperative_matrix_reduce_max.row'",
    "matrices_of_loops": "'cooperative_matrix_prefetch'",
    "cast_of_uses": "a cast between uses of cooperative matrices",
    "maxima": "'cooperative_matrix_atomic_max'",
    "powers": "'native_exp2'",
}


@pytest.mark.parametrize("name", IN_0_5)
def test_what_programs_of_version_0_5_share_with_older_ones(name) -> None:
    text = """func @f(%A: memref<f32x64x64>, %s: f32, %d: f64, %i: index, %n: index) {
  parallel {
      %m = constant 0.0 : MATRIX
      """
    text += IN_0_5[name] + "\n} }"
    text = text.replace("MATRIX", "coopmatrix<f32x16x8,matrix_acc>")
    expected = to_text(frontend.parse(text))
    for version in ("0.5", "0.4", *(["0.3"] if name not in NOT_IN_0_3 else [])):
        found = translate(text, version)
        assert to_text(frontend.parse(found)) == expected
        assert to_text(frontend.parse(translate(found, "0.5"))) == expected
    if name in NOT_IN_0_3:
        with pytest.raises(ParseError) as caught:
            translate(text, "0.3")
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.message.endswith(f"of the language has, got {NOT_IN_0_3[name]}")


def test_tiles_with_a_barrier_between_them() -> None:
    tiles = "foreach_tile (%a,%b) = (%i,%i), (%n,%n) as (%p,%q) <= (16,8) { }"
    text = f"func @f(%i: index, %n: index) {{\n{tiles}\nbarrier.local\n{tiles}\n}}"
    for version in ("0.4", "0.5"):
        found = translate(text, version)
        assert to_text(frontend.parse(found)) == to_text(frontend.parse(text))
    with pytest.raises(ParseError) as caught:
        translate(text, "0.3")
    assert [each.line for each in caught.value.diagnostics] == [2, 4]


@pytest.mark.parametrize("version", ["0.3", "0.4", "0.5"])
def test_running_sums_from_the_end_are_an_extension(version) -> None:
    text = "func @f(%x: f32, %A: memref<f32x8>, %B: memref<f32x8>) {{ cumsum{} %x, %A, 0, %x, %B }}"
    translate(text.format(""), version)
    with pytest.raises(ParseError, match=rf"version {version} of .*, got 'cumsum\.reverse'"):
        translate(text.format(".reverse"), version)
