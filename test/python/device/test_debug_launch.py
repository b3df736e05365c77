"""Debug builds with every kind of launch, in files, and of programs without checks."""

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import SPIRV_TARGETS, needs_ocloc, needs_spirv_val, validate
from target_under_test import TARGET
from tinytc_bench import ocloc_counts
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.explore import ocloc

TEXT = """func @f(%A: memref<f32x4>, %I: memref<indexx?>) {
  %g = builtin.group_id : index
  %x = constant 1.0 : f32
  %i = load %I[%g] : index
  store %x, %A[%i]
}"""
MESSAGE = """\
test.ir:5:3: error: expected index 0 of 'A' to be at least 0 and less than 4, got 9 (group 1)
  store %x, %A[%i]
  ^~~~~~~~~~~~~~~~"""


def program_of(text, **options):
    return tt.Context().parse(text, "test.ir").compile(TARGET, debug=True, **options)


@pytest.fixture(scope="module", params=ABIS)
def kernel(request):
    return program_of(TEXT, abi=request.param)["f"]


@pytest.fixture
def values():
    return tt.asarray(np.zeros(4, np.float32)), tt.asarray(np.array([3, 9, 1]))


def test_call(kernel, values):
    for _ in range(3):
        with pytest.raises(tt.CheckError) as caught:
            kernel(*values, groups=3)
        assert str(caught.value) == MESSAGE
        assert values[0].tolist() == [0, 1, 0, 1]
    values[1][1] = 2
    kernel(*values, groups=3)


def test_plain_arrays_have_the_results_of_valid_accesses(kernel):
    a = np.zeros(4, np.float32)
    with pytest.raises(tt.CheckError):
        kernel(a, np.array([3, 9, 1]), groups=3)
    assert a.tolist() == [0, 1, 0, 1]


def test_submit(kernel, values):
    event = kernel.submit(*values, groups=3)
    for _ in range(2):  # the error stays
        with pytest.raises(tt.CheckError, match="got 9"):
            event.wait()
    values[1][1] = 2
    kernel.submit(*values, groups=3).wait()


def test_bound_kernel(kernel, values):
    bound = kernel.bind(*values, groups=3)
    with pytest.raises(tt.CheckError, match="got 9"):
        bound()
    with pytest.raises(tt.CheckError, match="got 9"):
        bound.submit().wait()
    values[1][1] = 2
    bound()
    bound.submit().wait()


def test_other_launches_after_one_whose_event_is_dropped(kernel, values):
    kernel.submit(*values, groups=3)
    values_without_violation = values[0], tt.asarray(np.array([3, 2, 1]))
    kernel(*values_without_violation, groups=3)


def test_file(tmp_path, values):
    path = tmp_path / "f.tinytc"
    program_of(TEXT).save(path)
    with pytest.raises(tt.CheckError) as caught:
        tt.load(path)["f"](*values, groups=3)
    assert str(caught.value) == MESSAGE


def test_mlir_without_names(values):
    text = str(tt.Context().parse(TEXT)).replace("%A", "%arg0").replace("%I", "%arg1")
    kernel = tt.Context().parse_mlir(text, "f.mlir").compile(TARGET, debug=True)["f"]
    with pytest.raises(tt.CheckError) as caught:
        kernel(*values, groups=3)
    message, line, _ = str(caught.value).splitlines()
    assert message.endswith(
        "error: expected index 0 to be at least 0 and less than 4, got 9 (group 1)"
    )
    assert "tinytc.store %x, %arg0[" in line


def test_names_with_braces(values):
    text = tt.Context().parse(TEXT).operation.get_asm(enable_debug_info=True)
    text = text.replace('"A"', '"A{0}"')
    kernel = tt.Context().parse_mlir(text).compile(TARGET, debug=True)["f"]
    with pytest.raises(tt.CheckError, match=r"of 'A\{0\}' to be"):
        kernel(*values, groups=3)


def test_program_without_checks():
    text = """func @f(%A: memref<f32x4>, %B: memref<f32x4>) {
      %1 = constant 1 : index
      %x = load %A[%1] : f32
      %a = subview %A[0:2] : memref<f32x2>
      %b = subview %B[2:2] : memref<f32x2>
      axpby.n %x, %a, %x, %b
    }"""
    module = tt.Context().parse(text)
    debug, normal = (module.compile(TARGET, debug=debug) for debug in (True, False))
    assert debug.kernels["f"].checks == ()
    assert debug.code == normal.code
    assert debug.manifest == normal.manifest


def test_without_debug_there_is_no_check():
    program = tt.Context().parse(TEXT).compile(TARGET)
    assert program.kernels["f"].checks == ()


@pytest.mark.parametrize("value", [1, "yes", None])
def test_odd_option(value):
    with pytest.raises(tt.LoweringError, match="expected True or False for debug, got"):
        tt.Context().parse(TEXT).compile(TARGET, debug=value)


CHECKED = """func @g(%A: memref<f64x?x?>, %B: memref<bf16x?>, %G: group<memref<c32x?>x?>, %s: i32) {
  %0 = constant 0 : index
  %g = builtin.group_id : index
  %n = load %A[%g,%0] : f64
  %m = cast %n : index
  %a = subview %A[%m:%g,%m] : memref<f64x?>
  axpby.n %n, %a, %n, %a
  %c = load %G[%g] : memref<c32x?>
  foreach (%i)=(%0),(%m) {
    %z = load %c[%i] : c32
    store %z, %c[%m]
    %y = load %B[%i] : bf16
    %k = cast %y : i32
    %l = arith.div %k, %s : i32
  }
}"""


@needs_spirv_val
@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("target", SPIRV_TARGETS)
def test_binary_is_valid(target, abi):
    text = CHECKED.replace("f64", "f32") if target == "intel-gpu:dg2" else CHECKED
    program = tt.Context().parse(text).compile(target, abi=abi, debug=True)
    assert len(program.kernels["g"].checks) == 12
    validate(program.spirv)


@needs_ocloc
@pytest.mark.parametrize("gpu", ocloc_counts.COUNTED)
def test_gpus(gpu):
    text = CHECKED.replace("f64", "f32") if gpu == "dg2" else CHECKED
    program = tt.Context().parse(text).compile(f"intel-gpu:{gpu}", debug=True)
    ocloc.compile_binary(program.spirv, gpu)
