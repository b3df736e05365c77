"""Values computed from the index of a work-item keep to it across barriers.

The optimizer of Intel's CPU driver computes them once, before loops and for several
regions, so they live across the barriers of the work-group, where the driver takes the
result of a negation for a number that all work-items share (docs/decisions/cpu-driver.md).
"""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import DTYPES, run
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.scalars import SCALAR_TYPES, bfloat16_values

SIZE = 29
WORK_GROUPS = {"8x3": 4, "16x3": 8, "24x1": 8, "32x2": 16}
"""Several subgroups in a row, and the size of a subgroup."""
FLOATS = ("bf16", "f16", "f32", "f64")

NEGATIONS = {
    "neg": "%y = arith.neg %x : {t}",
    "product": "%m = constant -1.0 : {t}   %y = arith.mul %x, %m : {t}",
    "product_left": "%m = constant -1.0 : {t}   %y = arith.mul %m, %x : {t}",
    "quotient": "%m = constant -1.0 : {t}   %y = arith.div %x, %m : {t}",
    "difference": "%m = constant -0.0 : {t}   %y = arith.sub %m, %x : {t}",
    "double": "%n = arith.neg %x : {t}   %y = arith.mul %n, %n : {t}",
    "exp": "%n = arith.neg %x : {t}   %y = math.exp %n : {t}",
    "rem": "%n = arith.neg %x : {t}   %y = arith.rem %n, %three : {t}",
    "choice": """%b = cmp.lt %x, %three : bool
        %n = if %b -> ({t}) {{ yield (%x) }} else {{ yield (%three) }}
        %y = arith.neg %n : {t}""",
    "choice_of_shared": """%b = cmp.lt %x, %three : bool
        %n = if %b -> ({t}) {{ yield (%first) }} else {{ yield (%second) }}
        %y = arith.neg %n : {t}""",
    "choice_of_negated": """%b = cmp.lt %x, %three : bool
        %m = arith.neg %first : {t}   %n = arith.neg %second : {t}
        %y = if %b -> ({t}) {{ yield (%m) }} else {{ yield (%n) }}""",
    "sign": """%b = cmp.lt %x, %three : bool
        %m = constant -1.0 : {t}   %p = constant 1.0 : {t}
        %s = if %b -> ({t}) {{ yield (%m) }} else {{ yield (%p) }}
        %y = arith.mul %x, %s : {t}""",
    "loop": """%y = for %k : i32 = %k0, %k3 init(%n = %x) -> ({t}) {{
          %m = arith.neg %n : {t}   yield (%m)
        }}""",
}
# Instructions that the driver gets right; a new release may not.
OTHERS = {
    "add": "%y = arith.add %x, %three : {t}",
    "sub": "%y = arith.sub %three, %x : {t}",
    "min": "%y = arith.min %x, %three : {t}",
    "abs": "%y = arith.abs %x : {t}",
    "convert": "%n = cast %x : i32   %y = cast %n : {t}",
}

TEXT = """
func @{name}(%S: memref<{t}x2>, %T: memref<{t}x{size}>, %U: memref<{t}x{size}>)
    attributes {{subgroup_size={subgroup}, work_group_size=[{group}]}} {{
  %0 = constant 0 : index   %1 = constant 1 : index   %2 = constant 2 : index
  %k0 = constant 0 : i32    %k3 = constant 3 : i32
  %size = constant {size} : index   %last = constant {last} : index
  %first = load %S[%0] : {t}   %second = load %S[%1] : {t}
  %L = alloca : memref<{t}x{size}, local>
  for %r : index = %0, %2 {{
    foreach (%i) : index = (%0), (%size) {{
      {value}
      store %y, %L[%i]
    }}
    foreach (%i) : index = (%0), (%size) {{
      %other = arith.sub %last, %i : index
      %v = load %L[%other] : {t}
      store %v, %T[%i]
    }}
    foreach (%i) : index = (%0), (%size) {{
      {value}
      store %y, %U[%i]
    }}
  }}
}}
"""


def program():
    """Return the kernels of all values, types and work-groups as one program."""
    kernels = []
    for group, subgroup in WORK_GROUPS.items():
        for value, body in (NEGATIONS | OTHERS).items():
            for type_ in FLOATS:
                head = f"%j = cast %i : i32   %x = cast %j : {type_}\n"
                head += f"      %three = constant 3.0 : {type_}\n      "
                kernels.append(
                    TEXT.format(
                        name=f"{value}_{type_}_{group}",
                        t=type_,
                        size=SIZE,
                        last=SIZE - 1,
                        subgroup=subgroup,
                        group=group.replace("x", ","),
                        value=head + body.format(t=type_),
                    )
                )
    return "".join(kernels)


@pytest.fixture(scope="module", params=ABIS)
def compiled(request):
    return tt.Context().parse(program()).compile(abi=request.param)


def arrays(type_):
    """Return two numbers that all work-items share, and two results."""
    dtype = DTYPES[type_]
    shared = np.array([1.5, -2.0], np.float32)
    shared = (shared.view(np.uint32) >> 16).astype(np.uint16) if type_ == "bf16" else shared
    return shared.astype(dtype), np.zeros(SIZE, dtype), np.zeros(SIZE, dtype)


def numbers(array):
    array = bfloat16_values(array) if array.dtype == np.uint16 else array
    return array.astype(np.float64)


@pytest.mark.similar
@pytest.mark.parametrize("type_", FLOATS)
@pytest.mark.parametrize("value", NEGATIONS | OTHERS)
def test_work_items_keep_their_own_values(compiled, value, type_):
    expected = arrays(type_)
    run(program(), *expected, kernel=f"{value}_{type_}_8x3")
    # exp may be off by 3 units in the last place (OpenCL C, "Relative Error as ULPs"), and that of
    # the interpreter is rounded; everything else is exact.
    tolerance = 4 * SCALAR_TYPES[type_].epsilon if value == "exp" else 0.0
    for group in WORK_GROUPS:
        actual = arrays(type_)
        compiled[f"{value}_{type_}_{group}"](*actual, groups=1)
        for got, wanted in zip(actual, expected, strict=True):
            np.testing.assert_allclose(numbers(got), numbers(wanted), tolerance, err_msg=group)
