"""Every legal name of the language can be that of a parameter, also those of Python's own."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.gpu_stage import check_races

# Keywords of launches, parameters of our methods, words of Python, numbers.
NAMES = [
    *("groups", "queue", "depends", "verify", "self", "values", "named", "kernel", "cls", "args"),
    *("None", "class", "lambda", "print", "A", "x_1", "0", "17", "arguments", "info"),
]
TEXT = """
func @scale(%{0}: f32, %{1}: memref<f32x4>) {{
  %zero = constant 0.0 : f32
  axpby.n %{0}, %{1}, %zero, %{1}
}}
"""


@pytest.fixture(params=NAMES)
def names(request):
    position = NAMES.index(request.param)
    return request.param, NAMES[position - 1]


@pytest.fixture
def kernel(names):
    return tt.Context().parse(TEXT.format(*names)).compile("cpu")["scale"]


def test_by_position(kernel):
    x = tt.asarray(np.ones(4, np.float32))
    kernel(2, x, groups=1)
    kernel.submit(2, x, groups=1, queue="cpu").wait()
    kernel.bind(2, x, groups=1)()
    assert x.tolist() == [8] * 4


def test_by_name(kernel, names):
    x = tt.asarray(np.ones(4, np.float32))
    given = dict(zip(names, (2, x), strict=True))
    kernel(given, groups=1)
    event = kernel.submit(given, groups=1, depends=[])
    kernel.submit(given, groups=1, queue="cpu", depends=[event]).wait()
    kernel.bind(given, groups=1)()
    kernel(2, {names[1]: x}, groups=1)
    assert x.tolist() == [32] * 4


def test_by_keyword(kernel, names):
    x = tt.asarray(np.ones(4, np.float32))
    given = dict(zip(names, (2, x), strict=True))
    options = {"groups", "queue", "depends", "verify"}
    words = {name: value for name, value in given.items() if name not in options}
    rest = {name: value for name, value in given.items() if name in options}
    kernel(rest, groups=1, **words)
    kernel.submit(rest, groups=1, **words).wait()
    kernel.bind(rest, groups=1, **words)()
    assert x.tolist() == [8] * 4


@pytest.mark.similar
def test_on_the_command_line(names, tinytc, tmp_path):
    file = tmp_path / "scale.ir"
    file.write_text(TEXT.format(*names))
    status, output, errors = tinytc("run", file, "--groups", "1", "--set", f"{names[0]}=2")
    assert (status, errors) == (0, "")
    assert f"{names[1]}: 0.0e+00 of the largest value" in output


REFUSED = [
    (({"groups": 1, "X": 2, "y": 3},), {}, "unexpected argument 'y'"),
    ((1, {"groups": 1}), {"X": 2}, "'groups' is given by position and by name"),
    (({"groups": 1, "X": 2},), {"X": 2}, "'X' is given twice by name"),
    (({"groups": 1, 3: 2},), {}, "expected names of parameters, got 3 (int)"),
    ((), {"X": 2}, "missing: groups; pass 'groups' by position, or as {'groups': ...}"),
    (({},), {}, "expected 2 arguments (groups, X), got 0; missing: groups, X; pass 'groups'"),
    ((1, 2, 3, {}), {}, "expected 2 arguments (groups, X), got 3"),
]


@pytest.mark.parametrize(("values", "named", "message"), REFUSED)
def test_refused(values, named, message):
    kernel = tt.Context().parse(TEXT.format("groups", "X")).compile("cpu")["scale"]
    with pytest.raises(tt.ArgumentError) as caught:
        kernel(*values, groups=1, **named)
    assert message in str(caught.value)


def test_one_parameter():
    kernel = tt.Context().parse("func @f(%groups: i32) {}").compile("cpu")["f"]
    kernel(1, groups=1)
    kernel({"groups": 1}, groups=1)
    with pytest.raises(tt.ArgumentError, match="expected an integer from .* for i32, got 'a'"):
        kernel({"groups": "a"}, groups=1)


@pytest.mark.parametrize("run", [tt.interpret, check_races])
def test_interpreters_take_a_mapping_after_others(run):
    module = tt.Context().parse("""
func @f(%x: memref<f32x3>, %groups: f32) {
  %one = constant 1.0 : f32
  axpby.n %groups, %x, %one, %x
}""")
    for arguments in ([{"groups": 2.0}], [2.0], None):
        x = np.ones(3, np.float32)
        run(module, "f", [x, *arguments] if arguments else {"groups": 2.0, "x": x})
        assert x.tolist() == [3, 3, 3]
