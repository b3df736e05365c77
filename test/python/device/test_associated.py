"""Kernels that ask with `associated` whether a launch passes an array."""

import numpy as np
import pytest

import binaries
import tinytc_mlir as tt
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc
from tinytc_mlir.gpu_stage import check_races
from tinytc_mlir.reference import interpret

# Scales A into B; adds C, the members of G and D, where they are given.
TEXT = """
func @f(%a: f32, %A: memref<f32x4x?>, %B: memref<f32x4x?>, %C: memref<f32x4x?>,
        %G: group<memref<f32x4>x?, offset: ?>, %D: memref<f32x4>)
    attributes {subgroup_size=16, work_group_size=[16,1]} {
    %zero = constant 0.0 : f32
    %one = constant 1.0 : f32
    %i = group_id.x : index
    %x = subview %A[:, %i] : memref<f32x4>
    %y = subview %B[:, %i] : memref<f32x4>
    axpby %a, %x, %zero, %y
    %has_c = associated %C : bool
    if %has_c {
        %c = subview %C[:, %i] : memref<f32x4>
        axpby %one, %c, %one, %y
    }
    %has_g = associated %G : bool
    if %has_g {
        %g = load %G[%i] : memref<f32x4>
        axpby %one, %g, %one, %y
    }
    parallel {
        %has_d = associated %D : bool
        %lane = subgroup_local_id : i32
        %k = cast %lane : index
        %inside = less_than %lane, 4 : bool
        %both = and %has_d, %inside : bool
        if %both {
            %d = load %D[%k] : f32
            %b = load %y[%k] : f32
            %s = add %b, %d : f32
            store %s, %y[%k]
        }
    }
}"""
GROUPS = 3
CHOICES = [(c, g, d) for c in (False, True) for g in (False, True) for d in (False, True)]


def arguments(has_c, has_g, has_d):
    """Return arguments and the expected result."""
    rng = np.random.default_rng(0)

    def array(*shape):
        return np.asfortranarray(rng.integers(-4, 5, shape).astype(np.float32))

    a, c, d = array(4, GROUPS), array(4, GROUPS), array(4)
    members = [array(6) for _ in range(GROUPS)]
    expected = 2 * a
    if has_c:
        expected += c
    if has_g:
        expected += np.stack([member[1:5] for member in members], axis=1)
    if has_d:
        expected += d[:, None]
    group = tt.Group(members, offset=1) if has_g else None
    given = [2.0, a, array(4, GROUPS), c if has_c else None, group, d if has_d else None]
    return given, expected


def launch(given):
    tt.Context().parse(TEXT).compile()["f"](*given, groups=GROUPS)


def launch_packed(given):
    tt.Context().parse(TEXT).compile(abi="packed")["f"](*given, groups=GROUPS)


def launch_debug_build(given):
    tt.Context().parse(TEXT).compile(debug=True)["f"](*given, groups=GROUPS)


def run_reference(given):
    interpret(tt.Context().parse(TEXT), "f", given, GROUPS)


def run_gpu_stage(given):
    assert not check_races(tt.Context().parse(TEXT), "f", given, GROUPS)


RUNS = (launch, launch_packed, launch_debug_build, run_reference, run_gpu_stage)


@pytest.mark.similar
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("run", RUNS)
def test_optional_arrays(run, choice):
    given, expected = arguments(*choice)
    run(given)
    np.testing.assert_array_equal(given[2], expected)


def test_arrays_on_the_device():
    given, expected = arguments(False, False, True)
    on_device = [tt.asarray(each) if isinstance(each, np.ndarray) else each for each in given]
    kernel = tt.Context().parse(TEXT).compile()["f"]
    kernel.submit(*on_device, groups=GROUPS).wait()
    np.testing.assert_array_equal(np.asarray(on_device[2]), expected)
    kernel.bind(*on_device, groups=GROUPS)()
    np.testing.assert_array_equal(np.asarray(on_device[2]), expected)


def test_number_of_groups_without_an_optional_array():
    given, expected = arguments(False, False, False)
    tt.Context().parse(TEXT).compile()["f"](*given)
    np.testing.assert_array_equal(given[2], expected)


def test_an_optional_array_limits_the_groups():
    given, _ = arguments(True, False, False)
    given[3] = given[3][:, :2]
    with pytest.raises(tt.ArgumentError, match="expected at most 2 groups"):
        launch(given)


def test_others_are_required():
    given, _ = arguments(True, True, True)
    given[1] = None
    with pytest.raises(tt.ArgumentError, match="argument 'A'.*got None"):
        launch(given)


def test_manifest():
    info = tt.Context().parse(TEXT).compile().kernels["f"]
    optional = {each.name for each in info.arguments if getattr(each, "optional", False)}
    assert optional == {"C", "G", "D"}


UNGUARDED = """
func @f(%A: memref<f32x4>, %x: f32) {
    %given = associated %A : bool
    store %x, %A[0]
}"""


def test_access_without_an_array():
    with pytest.raises(tt.errors.InterpreterError, match="argument 'A' to be passed, got None"):
        interpret(tt.Context().parse(UNGUARDED), "f", [None, 1.0])
    kernel = tt.Context().parse(UNGUARDED).compile(debug=True)["f"]
    with pytest.raises(tt.CheckError, match="expected the memory of 'A' to be passed, got none"):
        kernel(None, 1.0, groups=1)


GROUPS_UNGUARDED = """
func @f(%G: group<memref<f32x?>x?>, %H: group<memref<f32x4>x2>, %T: memref<f32x2>, %x: f32) {
    %given = associated %G : bool
    %also = associated %H : bool
    %c0 = constant 0 : index   %c1 = constant 1 : index   %zero = constant 0.0 : f32
    store %x, %T[%c0]
    %s, %b = for %k : index = %c0, %c1 init(%t = %zero, %u = %given) -> (f32, bool) {
        %A = load %G[%c0] : memref<f32x?>
        %M = alloca : memref<f32x4, local>
        %B = load %H[%c1] : memref<f32x4>
        axpby %x, %B, %zero, %M
        store %x, %A[%k]
        %y = load %M[%c1] : f32
        %w = arith.add %t, %y : f32
        yield (%w, %also)
    }
    store %s, %T[%c1]
}"""


@pytest.mark.parametrize("missing", ["G", "H"])
def test_load_from_a_missing_group(missing):
    kernel = tt.Context().parse(GROUPS_UNGUARDED).compile(debug=True)["f"]
    groups = {name: tt.Group([np.full(4, 3.0, np.float32)] * 2) for name in "GH"}
    groups[missing] = None
    t = np.full(2, 9.0, np.float32)
    message = f"expected the memory of '{missing}' to be passed, got none"
    with pytest.raises(tt.CheckError, match=message):
        kernel(groups["G"], groups["H"], t, 2.0, groups=1)
    # What comes before and after the loop is executed, and the loop yields 0.
    assert t.tolist() == [2.0, 0.0]


def test_load_from_groups_that_are_there():
    kernel = tt.Context().parse(GROUPS_UNGUARDED).compile(debug=True)["f"]
    g, h = ([np.full(4, 3.0, np.float32) for _ in range(2)] for _ in range(2))
    t = np.full(2, 9.0, np.float32)
    kernel(tt.Group(g), tt.Group(h), t, 2.0, groups=1)
    assert t.tolist() == [2.0, 6.0]
    assert g[0].tolist() == [2.0, 3.0, 3.0, 3.0]


@binaries.needs_ocloc
@pytest.mark.parametrize("gpu", ocloc_counts.COUNTED)
def test_gpus(gpu):
    spirv = tt.Context().parse(TEXT).compile(ocloc.DEVICES[gpu].name).spirv
    if binaries.CAN_VALIDATE:
        binaries.validate(spirv)
    ocloc.compile_binary(spirv, gpu)


TILES = """
func @f(%A: memref<i32x70x?>, %B: memref<i32x70>) {
    %g = group_id.x : index
    %given = associated %B : bool
    foreach_tile (%i) = (0), (70) as (%m) <= (64) {
        %n = cast %m : i32
        store.atomic %n, %A[%i, %g]
        if %given {
            store.atomic %n, %B[%i]
        }
    }
}"""


def test_tiles_and_the_number_of_groups():
    """The last tile begins within the array, so that only the groups are bounded."""
    kernel = tt.Context().parse(TILES).compile()["f"]
    a = np.zeros((70, 3), np.int32, order="F")
    kernel(a, None)
    assert a[0].tolist() == [64] * 3
    assert a[64].tolist() == [6] * 3
    assert a.sum() == 70 * 3
    with pytest.raises(tt.ArgumentError, match="at most 3 groups"):
        kernel(a, None, groups=4)


def test_tiles_in_a_debug_build():
    kernel = tt.Context().parse(TILES.replace("(70) as", "(80) as")).compile(debug=True)["f"]
    a = np.zeros((70, 1), np.int32, order="F")
    kernel(a, None, groups=1)
    assert a[64] == 16
    outside = TILES.replace("(70) as", "(140) as").replace("<= (64)", "<= (16)")
    with pytest.raises(tt.CheckError, match="expected index 0 of 'A' to be .* got 80"):
        tt.Context().parse(outside).compile(debug=True)["f"](a, None, groups=1)
