"""Subgroups: broadcasts, barriers and cooperative matrices where work-items differ."""

import numpy as np

from interpreting import HEAD, ITEM, expect, run


def test_broadcast_from_outside_of_the_subgroup():
    text = f"""
    func @f(%lane: i32) {HEAD} {{
        parallel {{
            {ITEM}
            %x = @@ subgroup_broadcast %item, %lane : i32
        }}
    }}"""
    expect(text, "expected 'lane' to lie in [0, 4), got 4", 4)


def test_broadcast_from_a_lane_that_differs():
    text = f"""
    func @f() {HEAD} {{
        parallel {{
            {ITEM}
            %x = @@ subgroup_broadcast %item, %l : i32
        }}
    }}"""
    expect(text, "expected 'lane' to be the same in all work-items of a subgroup, got 0 and 1")


def divergent(instruction):
    return f"""
    func @f(%A: memref<f32x8x8>, %limit: i32) {HEAD} {{
        %0 = constant 0 : index
        parallel {{
            {ITEM}
            %is_low = cmp.lt %item, %limit : bool
            if %is_low {{
                {instruction}
            }}
        }}
    }}"""


def test_barrier_in_divergent_control_flow():
    text = divergent("@@ barrier.local")
    a = np.zeros((8, 8), np.float32, order="F")
    expect(text, "expected all 8 work-items to reach the barrier, got 4", a, 4)
    run(text.replace("@@ ", ""), a, 8)


def test_coopmatrix_in_divergent_control_flow():
    text = divergent("%m = @@ cooperative_matrix_load.n %A[%0,%0] : coopmatrix<f32x2x2,matrix_a>")
    a = np.zeros((8, 8), np.float32, order="F")
    expect(text, "expected all 4 work-items of subgroup 1 to execute", a, 6)
    run(text.replace("@@ ", ""), a, 4)


def test_coopmatrix_at_a_position_that_differs():
    text = f"""
    func @f(%A: memref<f32x8x8>) {HEAD} {{
        parallel {{
            {ITEM}
            %m = @@ cooperative_matrix_load.n %A[%i,%i] : coopmatrix<f32x1x1,matrix_a>
        }}
    }}"""
    expect(text, "expected 'x' to be the same", np.zeros((8, 8), np.float32, order="F"))


def test_coopmatrix_out_of_bounds():
    text = f"""
    func @f(%A: memref<f32x8x8>, %x: index) {HEAD} {{
        parallel {{
            %m = @@ cooperative_matrix_load.n.rows_checked %A[%x,%x] : coopmatrix<f32x4x4,matrix_a>
        }}
    }}"""
    a = np.zeros((8, 8), np.float32, order="F")
    run(text.replace("@@ ", ""), a, 4)
    expect(text, "expected index 1 to lie in [0, 8), got 8", a, 5)


def test_scan_without_the_first_work_items():
    text = divergent("%x = @@ subgroup_add.inclusive_scan %item : i32")
    run(text.replace("@@ ", ""), np.zeros((8, 8), np.float32, order="F"), 6)
    expect(
        text.replace("cmp.lt", "cmp.gt"),
        "expected the first work-items of subgroup 0 to execute 'subgroup_add', got 2, 3",
        np.zeros((8, 8), np.float32, order="F"),
        1,
    )
