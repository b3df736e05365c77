"""Every row of what version 0.4 renamed or changed; refused rows are in data/negative."""

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.frontend.printer import to_text

HEAD = (
    "func @f(%i: index, %j: index, %n: i32, %a: f32, %c: bool, %z: c32, %v: memref<f32x8>, "
    "%A: memref<f32x8x8>, %G: group<memref<f32x8x8>x?>, %S: memref<f32>, %w: memref<f32x8>, "
    "%B: memref<f32x8x8>) {\n"
)


def canonical(text: str) -> str:
    """Return the canonical text of a program, which must parse back to the same."""
    found = to_text(frontend.parse(text))
    assert to_text(frontend.parse(found)) == found
    return found


def body(text: str) -> list[str]:
    """Return the lines of the body of a function."""
    function = canonical(f"{HEAD}{text}\n}}")
    return [line.strip() for line in function.split("{\n", 1)[1].splitlines()[:-1]]


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ("axpby %a, %A, %a, %A", "axpby.n %a, %A, %a, %A"),
        ("axpby.atomic.t %a, %A, %one, %B", "axpby.t.atomic %a, %A, %one, %B"),
        ("axpby.atomic %a, %A, %one, %A", "axpby.n.atomic %a, %A, %one, %A"),
        ("gemm.atomic.t %a, %A, %A, %one, %B", "gemm.t.n.atomic %a, %A, %A, %one, %B"),
        ("gemm.atomic.n.t %a, %A, %A, %one, %B", "gemm.n.t.atomic %a, %A, %A, %one, %B"),
        ("gemm.atomic %a, %A, %A, %one, %B", "gemm.n.n.atomic %a, %A, %A, %one, %B"),
        ("gemv.atomic.t %a, %A, %v, %one, %w", "gemv.t.atomic %a, %A, %v, %one, %w"),
        ("gemv %a, %A, %v, %a, %w", "gemv.n %a, %A, %v, %a, %w"),
        ("sum.atomic %a, %A, %one, %v", "sum.n.atomic %a, %A, %one, %v"),
        ("sum.t %a, %A, %a, %v", "sum.t %a, %A, %a, %v"),
        ("ger.atomic %a, %v, %v, %one, %A", "ger.atomic %a, %v, %v, %one, %A"),
        ("hadamard.atomic %a, %v, %v, %one, %v", "hadamard_product.atomic %a, %v, %v, %one, %v"),
        ("cumsum.atomic %a, %A, 1, %one, %B", "cumsum.atomic %a, %A, 1, %one, %B"),
        ("cumsum.reverse %a, %A, 1, %one, %B", "cumsum.reverse %a, %A, 1, %one, %B"),
        ("cumsum.atomic.reverse %a, %A, 1, %one, %B", "cumsum.reverse.atomic %a, %A, 1, %one, %B"),
        ("sum %a, %v, %a, %S", "sum.n %a, %v, %a, %S"),
    ],
)
def test_collective_instructions(later: str, expected: str) -> None:
    assert body(f"%one = constant 1.0 : f32 {later}")[-1] == expected


@pytest.mark.parametrize(
    "text",
    [
        '$a = 1 $b = true $c = {alignment=4} $t = f32 $d = [1, 2] $s = "text" $e = nan',
        "$n = 8 func @f(%A: memref<f32 x $n x $n>) {}",
        "$n = 8 func @f(%A: memref<f32x4x4,strided<1,$n>>) {}",
        "$n = 8 $o = 3 func @f(%A: group<memref<f32x4> x $n, offset: $o>) {}",
        "$n = 16 $m = 8 func @f() { %c = constant 0.0 : coopmatrix<f32 x $n x $m, matrix_acc> }",
        "$m = 0 $s = 2 func @f(%A: memref<f32x4>) "
        "{ %b = expand %A[$m -> $s x 2] : memref<f32x2x2> }",
        "$m = 0 $n = 1 func @f(%A: memref<f32x4x4>) { %b = fuse %A[$m, $n] : memref<f32x16> }",
        "$m = 1 func @f(%A: memref<f32x4x4>) { %b = size %A[$m] : index }",
        "$m = 1 func @f(%a: f32, %A: memref<f32x4x4>, %B: memref<f32x4x4>) "
        "{ cumsum %a, %A, $m, %a, %B }",
        "$m = 1 $s = 2 func @f(%A: memref<f32x4x4>) { %b = subview %A[$m:$s, $m] : memref<f32x2> }",
        "$d = {subgroup_size=16, work_group_size=[32,1]} func @f() attributes $d {}",
        "$s = 16 $w = [32,1] func @f() attributes {subgroup_size=$s, work_group_size=$w} {}",
        "$s = 16 func @f() attributes {subgroup_size=$s, work_group_size=[$s,1]} {}",
        "$d = {alignment=64} func @f(%A: memref<f32x4> $d) {}",
        "$d = 64 $g = [4] func @f(%A: memref<f32x?> {alignment=$d, shape_gcd=$g}) {}",
        "$d = {alignment=64} func @f() { %a = alloca $d : memref<f32x4,local> }",
        'func @f() { %a = alloca {"align"=64} : memref<f32x4,local> }',
        "$t = memref<f32x4> func @f(%A: $t) {}",
        "$t = f64 $n = 4 func @f(%A: memref<$t x $n>, %a: $t) {}",
        "$b = true func @f() { %c = constant $b : bool }",
        "$b = -3 func @f() { %c = constant $b : i32 }",
        "$b = -inf func @f() { %c = constant $b : f32 }",
        "func @f() { %c = constant inf : f64 %d = constant -inf : bf16 %e = constant nan : f16 }",
        "$r = 1.0 func @f() { %c = constant [$r, -inf] : c32 }",
        "func @f() { %c = constant -inf : coopmatrix<f32x16x8,matrix_acc> }",
        "func @f(%A: memref<f32x4x4>) "
        "{ $m = 1 %b = size %A[$m] : index parallel { $n = 0 %c = size %A[$n] : index } }",
        "func @f() { parallel { $n = 0 } parallel { $n = 1 } }",
        "$a = f32 $b = $a $c = memref<$b x 4> func @f(%A: $c) {}",
        "$a = 4 $b = !calc($a 2 ^ 3 * 1 - 7 min) func @f(%A: memref<f32 x $b>) {}",
        '$x = [1, 2] $y = {"k"=$x, "s"="text", "b"=true} func @f() attributes $y {}',
        "$n = 16 func @f(%i: index) { foreach_tile (%j) = (%i), ($n) as (%m) <= ($n) {} }",
        "func @f() { parallel { %x = neg 1.0 : f32 } parallel { %x = neg 1.0 : f32 } }",
        "func @f(%i: index, %a: f32) "
        "{ %x = for %k = %i, %i init(%x = %a) -> (f32) { yield (%x) } }",
    ],
)
def test_definitions_and_scopes(text: str) -> None:
    canonical(text)


def test_value_of_a_definition() -> None:
    text = canonical("$a = 7 $b = !calc($a 2 / 3 max 2 % 1 +) func @f(%A: memref<f32 x $b>) {}")
    assert "memref<f32x2>" in text


def test_both_versions_in_one_file() -> None:
    assert body(
        "%x = arith.add %i, %i : index %y = add %x, %x : index "
        "for %k: index = %x, %y { } {unroll=true} for %l = %x, %y { } attributes {unroll=2}"
    ) == [
        "%x = arith.add %i, %i : index",
        "%y = arith.add %x, %x : index",
        *("for %k = %x, %y {", "} {unroll=true}"),
        *("for %l = %x, %y {", "} {unroll=2}"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for %k = %n, %n {}", "for %k: i32 = %n, %n {"),
        ("for %k = %n, %n, %n {}", "for %k: i32 = %n, %n, %n {"),
        ("for %k = %n, 8 {}", "for %k: i32 = %n, %0 {"),
        ("for %k = 0, %n, 2 {}", "for %k: i32 = %0, %n, %1 {"),
        ("for %k = %i, %j {}", "for %k = %i, %j {"),
        ("for %k: i32 = %n, %n {}", "for %k: i32 = %n, %n {"),
        ("foreach (%k) = (%n), (%n) {}", "foreach (%k): i32 = (%n), (%n) {"),
        ("foreach (%k, %l) = (%i, %n), (%j, %n) {}", "foreach (%k, %l) = (%i, %n), (%j, %n) {"),
        ("foreach (%k, %l) = (0, 0), (%j, %n) {}", "foreach (%k, %l) = (%0, %1), (%j, %n) {"),
        (
            "foreach_tile (%k) = (%i), (%j) as (%m) <= (16) {}",
            "foreach_tile (%k) = (%i), (%j) as (%m) <= (16) {",
        ),
        (
            "$n = 32 foreach_tile (%k, %l) = (%i, %n), (%j, 8) as (%o, %q) <= ($n, 8) {}",
            "foreach_tile (%k, %l) = (%i, %n), (%j, %0) as (%o, %q) <= (32, 8) {",
        ),
    ],
)
def test_loops_without_types(text: str, expected: str) -> None:
    assert next(line for line in body(text) if line.startswith("for")) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("attributes {unroll=true}", "} {unroll=true}"),
        ("{unroll=false}", "} {unroll=false}"),
        ("attributes {unroll=4}", "} {unroll=4}"),
        ("attributes {unroll=$n}", "} {unroll=4}"),
        ("attributes $d", "} {unroll=4}"),
        ("$d", "} {unroll=4}"),
        ('attributes {"align"=64}', '} {"align"=64}'),
    ],
)
def test_attributes_of_loops(attributes: str, expected: str) -> None:
    text = f"$n = 4 $d = {{unroll=$n}} for %k = %i, %j {{}} {attributes}"
    assert body(text)[-1] == expected


@pytest.mark.parametrize("prefix", ["", "native_"])
@pytest.mark.parametrize("word", ["cos", "exp2", "log", "log2", "sin"])
def test_functions_of_version_0_4(prefix: str, word: str) -> None:
    line = f"%x = {prefix}{word} %a : f32"
    assert body(line) == [line]
