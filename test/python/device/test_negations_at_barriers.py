"""Signs that optimizers move, to a number that lives across a barrier or on the way to one.

The driver takes the result of a negation, and all that is computed from it alone, for a
number that all work-items share (docs/decisions/cpu-driver.md).
"""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import DTYPES, run
from tinytc_mlir.compiler import ABIS

WORK_GROUPS = {"8,1": 4, "16,3": 8, "48,1": 16, "64,1": 32, "128,1": 64}
"""Several subgroups in a row, and the size of a subgroup."""
FLOATS = ("f16", "f32", "f64")
SIZE = 128

REDUCED = "%y = arith.neg %x : {t}   %z = subgroup_{op}.reduce %y : {t}   barrier.local"
VALUES = {
    **{f"reduced_{op}": REDUCED.replace("{op}", op) for op in ("add", "max", "min")},
    "choice_of_loaded": """%b = cmp.lt %x, %one : bool
        %n = if %b -> ({t}) {{ %m = arith.neg %x : {t}   yield (%m) }} else {{ yield (%minus) }}
        barrier.local
        %z = arith.neg %n : {t}
        barrier.local""",
    "choice_of_constant": """%b = cmp.gt %x, %minus : bool
        %n = if %b -> ({t}) {{ yield (%minus) }} else {{ yield (%x) }}
        %m = arith.mul %n, %minus : {t}
        barrier.local
        %z = arith.min %x, %m : {t}""",
    "choice_by_number": """%b = cmp.lt %one, %i : bool
        %n = if %b -> ({t}) {{ yield (%minus) }} else {{ %m = arith.neg %i : {t}   yield (%m) }}
        barrier.local
        %z = arith.mul %n, %minus : {t}
        barrier.local""",
    "scanned": """%y = arith.neg %x : {t}
        %z = subgroup_add.inclusive_scan %y : {t}
        barrier.local""",
    "broadcast": """%y = arith.neg %x : {t}
        %z = subgroup_broadcast %y, %1 : {t}
        barrier.local""",
    "compared": """%y = arith.neg %x : {t}   %b = cmp.lt %y, %minus : bool
        %n = if %b -> (i32) {{ yield (%s) }} else {{ yield (%lanes) }}
        barrier.local
        %z = cast %n : {t}""",
    "index": """%y = arith.neg %x : {t}   %k = cast %y : i32
        %n = arith.neg %k : i32   %j = cast %n : index
        barrier.local
        %z = load %A[%j] : {t}""",
    "equal": """%b = cmp.eq %x, %minus : bool
        %n = if %b -> ({t}) {{ %m = arith.mul %i, %x : {t}   yield (%m) }} else {{ yield (%x) }}
        barrier.local
        %z = arith.add %n, %one : {t}
        barrier.local""",
    "zero": """%m = constant -0.0 : {t}   %y = arith.mul %i, %m : {t}
        barrier.local
        %z = arith.div %one, %y : {t}""",
    "factor": """%f = arith.add %x, %one : {t}
        barrier.local
        %z = for %k : i32 = %0, %lanes init(%v = %one) -> ({t}) {{
          barrier.local
          %j = cast %k : index   %a = load %A[%j] : {t}
          %p = arith.mul %a, %f : {t}   %q = arith.neg %p : {t}
          %w = arith.add %v, %q : {t}
          barrier.local
          yield (%w)
        }}""",
    "running": """%z = for %k : i32 = %0, %lanes init(%v = %minus) -> ({t}) {{
          %w = arith.mul %x, %v : {t}
          barrier.local
          %c = arith.max %w, %minus : {t}
          yield (%c)
        }}""",
    # LLVM makes negations of bits, too.
    "turned_bits": """%n = bitcast %i : {bits}   %m = arith.xor %n, %sign : {bits}
        %z = bitcast %m : {t}
        barrier.local""",
    "bits_turned_later": """%n = bitcast %i : {bits}
        barrier.local
        %m = arith.add %n, %sign : {bits}   %z = bitcast %m : {t}
        barrier.local""",
    "set_bit": """%n = bitcast %i : {bits}   %m = arith.or %n, %sign : {bits}
        %z = bitcast %m : {t}
        barrier.local""",
    "copied_sign": """%n = bitcast %i : {bits}   %k = bitcast %minus : {bits}
        %f = arith.and %k, %sign : {bits}   %o = arith.not %sign : {bits}
        %p = arith.and %n, %o : {bits}   %m = arith.or %p, %f : {bits}
        %z = bitcast %m : {t}
        barrier.local""",
    # The driver did not come to an end with this.
    "shared_choice": """%j = constant 7 : index   %k = constant 5 : index
        %u = load %A[%j] : {t}   %v = load %A[%k] : {t}   %b = cmp.lt %u, %one : bool
        %n = if %b -> ({t}) {{
          %m = arith.neg %u : {t}   %p = arith.mul %m, %v : {t}   yield (%p)
        }} else {{ yield (%u) }}
        %z = arith.neg %n : {t}
        barrier.local""",
}

TEXT = """
func @{name}(%A: memref<{t}x{size}>, %B: memref<{t}x{size}>)
    attributes {{subgroup_size={subgroup}, work_group_size=[{group}]}} {{
  parallel {{
    %0 = constant 0 : i32   %1 = constant 1 : i32   %lanes = constant {subgroup} : i32
    %one = constant 1.0 : {t}   %minus = constant -1.0 : {t}
    %bit = constant 1 : {bits}   %highest = constant {highest} : {bits}
    %sign = arith.shl %bit, %highest : {bits}
    %s = subgroup_linear_id : i32   %l = subgroup_local_id : i32
    %first = arith.mul %s, %lanes : i32   %number = arith.add %first, %l : i32
    %g = cast %number : index   %i = cast %number : {t}
    %x = load %A[%g] : {t}
    {value}
    store %z, %B[%g]
  }}
}}
"""


def kernels():
    """Yield value, number of the work-group and type of all kernels; the types take turns."""
    for place, value in enumerate(VALUES):
        for number in range(len(WORK_GROUPS)):
            yield value, number, FLOATS[(place + number) % len(FLOATS)]


def program():
    """Return all kernels as one program."""
    shapes = list(WORK_GROUPS.items())
    return "".join(
        TEXT.format(
            name=f"{value}_{number}",
            t=type_,
            bits=f"i{type_[1:]}",
            highest=int(type_[1:]) - 1,
            size=SIZE,
            subgroup=shapes[number][1],
            group=shapes[number][0],
            value=VALUES[value].format(t=type_, bits=f"i{type_[1:]}"),
        )
        for value, number, type_ in kernels()
    )


@pytest.fixture(scope="module", params=ABIS)
def compiled(request):
    return tt.Context().parse(program()).compile(abi=request.param)


def arrays(value, type_):
    rng = np.random.default_rng(1)
    # Exact in f16, and so are the sums of 64.
    given = rng.integers(-16, 17, SIZE) / 8
    if value == "index":
        given = rng.integers(0, SIZE, SIZE)
    return given.astype(DTYPES[type_]), np.zeros(SIZE, DTYPES[type_])


@pytest.mark.similar
@pytest.mark.parametrize(("value", "number", "type_"), list(kernels()))
def test_each_work_item_keeps_its_sign(compiled, value, number, type_):
    kernel = f"{value}_{number}"
    expected, actual = arrays(value, type_), arrays(value, type_)
    run(program(), *expected, kernel=kernel)
    compiled[kernel](*actual, groups=1)
    np.testing.assert_array_equal(actual[1], expected[1])
