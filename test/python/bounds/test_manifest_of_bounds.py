"""Bounds in the manifest: what a damaged one leads to, and who else uses them."""

import pytest

import tinytc_mlir as tt
from bounding import damaged_refusal, info_of
from tinytc_mlir._tinytc import describe_group_bounds
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.runtime.launches.arguments import Signature

INFO = info_of("""func @s(%x: f32, %n: i64, %A: memref<f32x?>) {
  %g = group_id : index
  %m = cast %n : index
  %c = cmp.lt %g, %m : bool
  if %c { store %x, %A[%g] }
  %i = arith.mul %g, %g : index
  store %x, %A[%i]
}""")
BOUND = ("group_bounds", 0)
SLOPE = (*BOUND, "index", "slope")
REFUSED = [
    (("group_bounds",), {}, "expected 'group_bounds' to be a list, got {}"),
    (("unchecked_uses",), 1, "expected 'unchecked_uses' to be a list, got 1"),
    (BOUND, 1, "expected a bound to be an object, got 1 (int)"),
    ((*BOUND, "argument"), "B", "expected the name of a parameter, got 'B' (str)"),
    ((*BOUND, "argument"), [], "expected the name of a parameter, got [] (list)"),
    ((*BOUND, "modes"), None, "expected a list of modes, got None"),
    ((*BOUND, "modes"), [-2], "expected a mode, got -2 (int)"),
    ((*BOUND, "dimension"), 3, "expected a dimension from 0 to 2, got 3 (int)"),
    ((*BOUND, "dimension"), True, "expected a dimension from 0 to 2, got True (bool)"),
    ((*BOUND, "index"), None, "expected a line to be an object, got None"),
    (SLOPE, 1, "expected a list of terms, got 1 (int)"),
    (SLOPE, [[1]] * 33, "expected at most 32 terms, got 33"),
    (SLOPE, [1], "expected a list of a factor and values, got 1 (int)"),
    (SLOPE, [[]], "expected a factor, got None"),
    (SLOPE, [["1"]], "expected a factor, got '1' (str)"),
    (SLOPE, [[2**64]], f"expected a factor, got {2**64} (int)"),
    (SLOPE, [[1, *[["n"]] * 9]], "expected at most 8 values, got 9"),
    (SLOPE, [[1, "n"]], "expected a list of name and mode of a value, got 'n' (str)"),
    (SLOPE, [[1, []]], "expected name and mode of a value, got [] (list)"),
    (SLOPE, [[1, ["x"]]], "expected name and mode of a value, got ['x'] (list)"),
    (SLOPE, [[1, ["A"]]], "expected name and mode of a value, got ['A'] (list)"),
    (SLOPE, [[1, ["A", 1]]], "expected name and mode of a value, got ['A', 1] (list)"),
    (SLOPE, [[1, ["A", False]]], "expected name and mode of a value, got ['A', False] (list)"),
    (SLOPE, [[1, ["A", 0, 0]]], "expected name and mode of a value, got ['A', 0, 0] (list)"),
    ((*BOUND, "conditions"), 0, "expected a list of conditions, got 0 (int)"),
    ((*BOUND, "conditions"), [0], "expected a line to be an object, got 0 (int)"),
    (("unchecked_uses", 0, "reason"), 1, "expected a reason, got 1 (int)"),
    (("group_accesses",), 1, "expected 'group_accesses' to be a list, got 1"),
    (("group_accesses", 0), 1, "expected an access to be an object, got 1 (int)"),
    (("group_accesses", 0, "index"), "id", "expected a kind of index, got 'id' (str)"),
    (("group_accesses", 0, "line"), -1, "expected a line, got -1 (int)"),
    (("launch_dependent",), {}, "expected 'launch_dependent' to be a list, got {}"),
    (("launch_dependent", 0), 1, "expected an instruction to be an object, got 1 (int)"),
    (
        ("launch_dependent", 0, "instruction"),
        1,
        "expected the name of an instruction, got 1 (int)",
    ),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_refused(path, value, message):
    assert f"manifest: kernels[0]: {message}" in damaged_refusal(INFO, path, value)


SAMPLES = {
    "%A: memref<f32x?x4>": """%a = subview %A[%g,:] : memref<f32x4,strided<?>>
        axpby.n %x, %a, %x, %a""",
    "%A: memref<f32x?>": """%c4 = constant 4 : index %i = arith.mul %g, %c4 : index
        %a = subview %A[%i:4] : memref<f32x4> axpby.n %x, %a, %x, %a""",
    "%A: group<memref<f32x4>x?>": """%c4 = constant 4 : index %i = arith.mul %g, %c4 : index
        %a = load %A[%i] : memref<f32x4> axpby.n %x, %a, %x, %a""",
    "%A: group<memref<f32x4>x5>": """%c4 = constant 4 : index %i = arith.add %g, %c4 : index
        %a = load %A[%i] : memref<f32x4> axpby.n %x, %a, %x, %a""",
}


@pytest.mark.parametrize("parameter", SAMPLES)
@pytest.mark.parametrize("groups", [1, 100])
def test_random_arguments_have_room_for_the_groups(parameter, groups):
    info = info_of(
        f"func @s(%x: f32, {parameter}) {{ %g = group_id : index {SAMPLES[parameter]} }}"
    )
    values = sample_arguments(info, SampleOptions(groups=groups))
    signature = Signature(info)
    parts = signature.parts((), values)
    if parameter.endswith("x5>") and groups > 1:
        with pytest.raises(tt.ArgumentError, match="at most 1 group \\('A' has 5 members, group"):
            signature.ranges(groups, parts)
    else:
        signature.ranges(groups, parts)


def test_only_kernels_have_bounds():
    module = tt.Context().parse("func @f() { }")
    with pytest.raises(ValueError, match="expected a kernel of the dialect, got another operation"):
        describe_group_bounds(module.operation)
