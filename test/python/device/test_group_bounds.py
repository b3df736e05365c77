"""One group too many is refused before anything runs, whichever way a kernel is launched."""

import dataclasses

import numpy as np
import pytest

import tinytc_mlir as tt
from bounding import infos_of
from tinytc_bench.cases import all_cases
from tinytc_bench.data import Data
from tinytc_mlir.gpu_stage.checker import check_races
from tinytc_mlir.runtime.launches.arguments import Signature
from tinytc_mlir.runtime.program import Program

TEXT = """func @s(%x: f32, %A: memref<f32x4x?>, %B: memref<f32x4x?>) {
  %g = group_id : index
  %a = subview %A[:,%g] : memref<f32x4>
  %b = subview %B[:,%g] : memref<f32x4>
  axpby.n %x, %a, %x, %b
}"""
MESSAGE = r"^s: expected at most 10 groups \(mode 1 of 'A' has 10 elements\), got 11$"


@pytest.fixture(scope="module", params=["packed", "plain"])
def module_and_kernel(request):
    module = tt.Context().parse(TEXT)
    return module, module.compile(abi=request.param)["s"]


def arguments(count=10, allocate=np.zeros):
    """Return arguments whose launch makes B equal to 2 in its first `count` groups."""
    a, b = (tt.empty((4, count + extra), np.float32) for extra in (0, 2))
    a[...], b[...] = 1, 1
    return 1.0, a, b


def results(values, groups):
    assert (values[2][:, :groups] == 2).all()
    assert (values[2][:, groups:] == 1).all()


@pytest.mark.parametrize("groups", [1, 9, 10, None])
def test_groups_that_fit(module_and_kernel, groups):
    _, kernel = module_and_kernel
    values = arguments()
    if groups is None:
        values = (*values[:2], values[2][:, :10])
    kernel(*values, groups=groups)
    results(values, groups or 10)


def launches(kernel):
    """Return every way to launch a kernel, by name."""
    return {
        "call": kernel,
        "submit": kernel.submit,
        "bind": kernel.bind,
        "host": lambda x, a, b, groups: kernel(x, np.array(a), np.array(b), groups=groups),
        "mapping": lambda x, a, b, groups: kernel({"x": x, "A": a, "B": b}, groups=groups),
    }


@pytest.mark.parametrize("name", ["call", "submit", "bind", "host", "mapping"])
def test_one_group_too_many(module_and_kernel, name):
    values = arguments()
    launch = launches(module_and_kernel[1])[name]
    with pytest.raises(tt.ArgumentError, match=MESSAGE):
        launch(*values, groups=11)
    results(values, 0)
    with pytest.raises(tt.ArgumentError, match="because the arrays disagree"):
        launch(*values, groups=None)


def test_submit_and_bind_take_the_number_that_fits(module_and_kernel):
    _, kernel = module_and_kernel
    values = arguments()
    values = (*values[:2], values[2][:, :10])
    kernel.submit(*values).wait()
    results(values, 10)
    values[2][...] = 1
    kernel.bind(*values)()
    results(values, 10)


def test_interpreter_and_checker(module_and_kernel):
    module, _ = module_and_kernel
    values = [np.array(value) for value in arguments()[1:]]
    with pytest.raises(tt.ArgumentError, match=MESSAGE):
        tt.interpret(module, "s", [1.0, *values], 11)
    with pytest.raises(tt.ArgumentError, match=MESSAGE):
        check_races(module, "s", [1.0, *values], 11)
    assert check_races(module, "s", [1.0, values[0], values[1][:, :10]], None) == []
    tt.interpret(module, "s", [1.0, values[0], values[1][:, :10]], None)


def test_saved_programs(module_and_kernel, tmp_path):
    program = module_and_kernel[1].program
    manifest = program.manifest
    path = tmp_path / "s.tinytc"
    Program(program.code, manifest).save(path)
    with pytest.raises(tt.ArgumentError, match=MESSAGE):
        tt.load(path)["s"](*arguments(), groups=11)
    kernels = tuple(dataclasses.replace(info, group_bounds=()) for info in manifest.kernels)
    Program(program.code, dataclasses.replace(manifest, kernels=kernels)).save(path)
    values = arguments(12)
    tt.load(path)["s"](1.0, values[1][:, :10], values[2], groups=11)  # there is memory for 12
    results(values, 11)


def test_guarded_kernels_take_more_groups():
    text = """func @s(%x: f32, %A: memref<f32x?>) {
      %g = group_id : index
      %n = size %A[0] : index
      %inside = cmp.lt %g, %n : bool
      if %inside { store %x, %A[%g] }
    }"""
    kernel = tt.Context().parse(text).compile()["s"]
    array = np.zeros(10, np.float32)
    kernel(2.0, array, groups=1000)
    assert (array == 2).all()


def compares_group(name):
    """Return whether the kernels of a case compare the number of their group with a size."""
    return name.startswith("recipe.tall_and_skinny.")


@pytest.mark.parametrize("name", [name for name in all_cases() if compares_group(name)])
def test_bench_cases_that_compare_the_group_have_bounds_under_conditions(name):
    for info in infos_of(all_cases()[name].ours.text):
        assert {bound.argument for bound in info.group_bounds} == {"A", "C"}
        assert all(bound.conditions for bound in info.group_bounds)
        assert not info.unchecked_uses


@pytest.mark.similar
@pytest.mark.parametrize("name", [name for name in all_cases() if not compares_group(name)])
def test_bench_cases(name):
    """Every array of a case that is not shared limits the number of groups."""
    case = all_cases()[name]
    data = Data(case, 3)
    for info in infos_of(case.ours.text):
        names = [argument.name for argument in info.arguments]
        signature = Signature(info)
        parts = signature.parts(tuple(data.values(names).values()), {})
        assert signature.ranges(None, parts)[:2] == signature.ranges(3, parts)[:2]
        with pytest.raises(tt.ArgumentError, match="expected at most 3 groups"):
            signature.ranges(4, parts)
        batches = {array.name for array in case.arrays if not array.is_shared} & set(names)
        assert batches == {bound.argument for bound in info.group_bounds}
        assert not info.unchecked_uses


def test_debug_builds_report_the_place():
    kernel = tt.Context().parse(TEXT).compile(debug=True)["s"]
    values = arguments()
    with pytest.raises(tt.CheckError, match="group 10"):
        kernel(*values, groups=11)
    results(values, 10)
