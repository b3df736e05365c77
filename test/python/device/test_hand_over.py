"""Atomic flags that hand data over from one subgroup to another."""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import DTYPES


@pytest.mark.similar
@pytest.mark.parametrize(("scope", "place"), [("work_group", "local"), ("device", "global")])
@pytest.mark.parametrize("flag", ["i8", "i32", "i64"])
def test_hand_over_between_subgroups(scope, place, flag):
    """Who sees the flag sees the data that was written before it was raised."""
    alloca = f"%F = alloca : memref<{flag}x1,local>" if place == "local" else ""
    text = f"""func @f(%D: memref<f32x16x?>, %R: memref<f32x16x?>, %G: memref<{flag}x1x?>)
      attributes {{subgroup_size=16, work_group_size=[32,1]}} {{
        %g = group_id : index
        %zero = constant 0 : index
        %one = constant 1 : {flag}
        %none = constant 0 : {flag}
        %first = constant 0 : i32
        %last = constant 15 : i32
        %tries = constant 1000 : index
        {alloca or f"%F = subview %G[0:1, %g] : memref<{flag}x1>"}
        store %none, %F[%zero]
        barrier.global.local
        parallel {{
            %sg = builtin.subgroup_id : i32
            %lane = builtin.subgroup_local_id : i32
            %l = cast %lane : index
            %writes = cmp.eq %sg, %first : bool
            if %writes {{
                %x = constant 42.0 : f32
                store %x, %D[%l, %g]
                %a = atomic_add.{scope}.release %one, %F[%zero] : {flag}
            }} else {{
                for %t = %zero, %tries {{
                    %f = atomic_load.{scope}.acquire %F[%zero] : {flag}
                    %n = cast %f : i32
                    %raised = cmp.gt %n, %last : bool
                    if %raised {{
                        %y = load %D[%l, %g] : f32
                        store %y, %R[%l, %g]
                    }}
                }}
            }}
        }}
    }}"""
    program = tt.Context().parse(text).compile()
    groups = 64
    for _ in range(20):
        d, r = (np.full((16, groups), number, np.float32, order="F") for number in (0, -1))
        program["f"](d, r, np.zeros((1, groups), DTYPES[flag], order="F"), groups=groups)
        assert np.isin(r, (-1, 42)).all()
        assert (d == 42).all()
