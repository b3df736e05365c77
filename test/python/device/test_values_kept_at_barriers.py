"""Negated values that a parallel region needs on both sides of a barrier of its own.

Not even a load keeps them from living across the barrier, where the driver takes the result
of a negation for a number that all work-items share (docs/decisions/cpu-driver.md).
"""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import DTYPES, run
from tinytc_mlir.compiler import ABIS

WORK_GROUPS = {"8,3": 4, "16,3": 8, "24,1": 8, "32,2": 16}
"""Several subgroups in a row, and the size of a subgroup."""

VALUES = {
    "neg": "%y = arith.neg %x : {t}",
    "product": "%m = constant -1.0 : {t}   %y = arith.mul %x, %m : {t}",
    "exp": "%n = arith.neg %x : {t}   %y = math.exp %n : {t}",
    "atomic": """%n = atomic_add %one, %A[%g] : {t}
        %y = arith.neg %n : {t}""",
    "scan": """%n = subgroup_add.exclusive_scan %x : {t}
        %m = arith.sub %n, %one : {t}   %y = arith.neg %m : {t}""",
    "choice": """%b = cmp.lt %x, %one : bool   %n = arith.neg %x : {t}
        %y = if %b -> ({t}) {{ yield (%n) }} else {{
            %m = arith.div %n, %two : {t}   yield (%m)
        }}""",
    "loop": """%y = for %k : i32 = %k0, %k3 init(%n = %x) -> ({t}) {{
          %m = arith.neg %n : {t}
          barrier.local
          store %m, %L[%g]
          barrier.local
          %v = load %L[%other] : {t}   %q = arith.mul %v, %m : {t}
          yield (%q)
        }}""",
}

TEXT = """
func @{name}(%A: memref<{t}x64>, %B: memref<{t}x64>)
    attributes {{subgroup_size={subgroup}, work_group_size=[{group}]}} {{
  %L = alloca : memref<{t}x64, local>
  parallel {{
    %k0 = constant 0 : i32      %k3 = constant 3 : i32   %size = constant {subgroup} : i32
    %one = constant 1.0 : {t}   %two = constant 2.0 : {t}
    %s = subgroup_linear_id : i32   %l = subgroup_local_id : i32
    %first = arith.mul %s, %size : i32   %i = arith.add %first, %l : i32
    %g = cast %i : index   %last = constant {last} : index
    %other = arith.sub %last, %g : index
    %x = load %A[%g] : {t}
    {value}
    barrier.local
    store %y, %L[%g]
    barrier.local
    %w = load %L[%other] : {t}
    %z = arith.div %w, %y : {t}
    store %z, %B[%g]
  }}
}}
"""


def program():
    """Return the kernels of all values, types and work-groups as one program."""
    kernels = []
    for number, (group, subgroup) in enumerate(WORK_GROUPS.items()):
        for value, body in VALUES.items():
            for type_ in ("f32", "f64"):
                kernels.append(
                    TEXT.format(
                        name=f"{value}_{type_}_{number}",
                        t=type_,
                        subgroup=subgroup,
                        group=group,
                        last=int(np.prod([int(size) for size in group.split(",")])) - 1,
                        value=body.format(t=type_),
                    )
                )
    return "".join(kernels)


@pytest.fixture(scope="module", params=ABIS)
def compiled(request):
    return tt.Context().parse(program()).compile(abi=request.param)


def arrays(type_):
    given = np.random.default_rng(1).uniform(0.5, 1.5, 64).astype(DTYPES[type_])
    return given, np.zeros(64, DTYPES[type_])


@pytest.mark.similar
@pytest.mark.parametrize("number", range(len(WORK_GROUPS)), ids=WORK_GROUPS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("value", VALUES)
def test_values_are_kept_for_each_work_item(compiled, value, type_, number):
    kernel = f"{value}_{type_}_{number}"
    expected, actual = arrays(type_), arrays(type_)
    run(program(), *expected, kernel=kernel)
    compiled[kernel](*actual, groups=1)
    for got, wanted in zip(actual, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
