"""Local memory in registers: views, elements and atomic accesses, against the meaning."""

import random

import numpy as np
import pytest

import tinytc_mlir as tt
from tile_interpreter import TileStage
from tinytc_mlir.reference import interpret

ROWS, COLUMNS = 20, 9
PROGRAM = """
func @f(%A: memref<$Tx20x9>, %B: memref<$Tx20x9>, %i: index) {
  %two = constant $two : $T
  %one = constant $one : $T
  %zero = constant $zero : $T
  %t = alloca : memref<$Tx20x9,local>
  axpby.n %one, %A, %zero, %t
$body
  axpby.n %one, %t, %one, %B
}
"""
NUMBERS = {"c32": ("[2.0,0.0]", "[1.0,0.0]", "[0.0,0.0]"), "i32": ("2", "1", "0")}
NUMPY = {"c32": np.complex64, "i32": np.int32, "bf16": np.uint16, "f32": np.float32}


def check(body, type_, i=1):
    """Compare a program with its meaning, exactly."""
    two, one, zero = NUMBERS.get(type_, ("2.0", "1.0", "0.0"))
    text = PROGRAM.replace("$body", body)
    for name, value in {"$two": two, "$one": one, "$zero": zero, "$T": type_}.items():
        text = text.replace(name, value)
    module = tt.Context().parse(text)
    rng = np.random.default_rng(5)
    numbers = rng.integers(-4, 5, (2, ROWS, COLUMNS))
    if type_ == "bf16":
        numbers = numbers.astype(np.float32).view(np.uint32) >> 16
    a, b = (np.asfortranarray(each.astype(NUMPY[type_])) for each in numbers)
    expected, actual = b.copy(order="F"), b.copy(order="F")
    interpret(module, "f", [a, expected, i])
    TileStage(module).run("f", [a, actual, i])
    np.testing.assert_array_equal(actual, expected)
    assert not np.array_equal(actual, b)


def random_view(rng, name, source, shape):
    """Return the text of a view of local memory, and its shape."""
    offsets = [rng.choice([0, 0, rng.randrange(size)]) for size in shape]
    sizes = [rng.randint(1, size - offset) for size, offset in zip(shape, offsets, strict=True)]
    steps = ",".join(str(step) for step in (1, ROWS)[: len(shape)])
    slices = ",".join(f"{offset}:{size}" for offset, size in zip(offsets, sizes, strict=True))
    type_ = f"memref<$Tx{'x'.join(map(str, sizes))},strided<{steps}>,local>"
    return f"  %{name} = subview %{source}[{slices}] : {type_}\n", sizes


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(25))
def test_random_views(seed):
    rng = random.Random(seed)
    first, shape = random_view(rng, "v", "t", [ROWS, COLUMNS])
    second, shape = random_view(rng, "w", "v", shape)
    add = "  axpby.n %two, %w, %one, %w\n"
    size = "x".join(map(str, shape))
    copy = f"  %u = alloca : memref<$Tx{size},local>\n  axpby.n %one, %w, %zero, %u\n"
    back = "  axpby.n %two, %u, %one, %w"
    check(first + second + add + copy + back, rng.choice(["f32", "c32", "i32"]))


@pytest.mark.parametrize("i", [0, 2, 4])
@pytest.mark.parametrize("type_", ["f32", "c32", "bf16"])
def test_offsets_known_at_run_time(type_, i):
    body = f"""
  %v = subview %t[%i:5,%i:3] : memref<$Tx5x3,strided<1,{ROWS}>,local>
  %w = subview %v[1:4,%i0] : memref<$Tx4,local>
  for %k:index=1,3 {{
    axpby.n %one, %w, %two, %w
  }}
  %s = subview %t[%i,3] : memref<$T,local>
  sum.n %two, %w, %one, %s
  %x = load %v[%i0,2] : $T
  store %x, %w[3]
"""
    check("  %i0 = constant 1 : index\n" + body, type_, i)


def test_view_in_a_branch():
    body = f"""
  %v = subview %t[4:8,0:4] : memref<$Tx8x4,strided<1,{ROWS}>,local>
  %c = cmp.gt %i, %i : bool
  if %c {{
    axpby.n %one, %v, %two, %v
  }} else {{
    axpby.n %two, %v, %two, %v
  }}
"""
    check(body, "f32")


@pytest.mark.parametrize("update", ["add", "min", "max"])
def test_atomic_updates(update):
    body = f"""
  foreach (%k)=(0),(3) {{
    %x = load %t[3,%k] : $T
    %y = atomic_{update} %x, %t[4,%k] : $T
    %z = atomic_load %t[4,%k] : $T
    atomic_store %y, %t[6,%k]
    %w = arith.add %y, %z : $T
    atomic_store.sequentially_consistent %w, %t[7,%k]
  }}
"""
    check(body, "i32")


def test_atomic_access_to_complex_numbers():
    body = """
  foreach (%k)=(0),(3) {
    %x = atomic_load %A[3,%k] : $T
    %y = atomic_add %x, %t[4,%k] : $T
    atomic_store %y, %t[6,%k]
  }
  foreach (%k)=(0),(3) {
    %x = load %A[3,%k] : $T
    %y = atomic_add %x, %B[4,%k] : $T
    atomic_store %y, %B[6,%k]
  }
"""
    check(body, "c32")
