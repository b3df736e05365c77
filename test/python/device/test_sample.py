"""The sample of the language reference: from its text to checked results, and with bad input."""

import pathlib
import re

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import SPIRV_TARGETS, needs_ocloc, needs_spirv_val, validate
from in_place import in_place
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc

SAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "fused_kernel.ir"
GROUPS = 1000
DIALECT = r"!tinytc\.|(^|= )\s*tinytc\."  # a type or op of the dialect


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse_file(SAMPLE)


@pytest.fixture(scope="module")
def program(module):
    return module.compile("cpu")


@pytest.fixture(scope="module")
def kernel(program):
    return program["fused_kernel"]


def fortran(random, *shape):
    return np.asfortranarray(random.standard_normal(shape).astype(np.float32))


def arguments(groups=GROUPS, convert=np.asarray):
    """Return alpha, A, B, C, D by name."""
    random = np.random.default_rng(7)
    return {
        "alpha": float(random.standard_normal()),
        "A": [convert(fortran(random, 16, 8)) for _ in range(groups)],
        "B": convert(fortran(random, 8, 8)),
        "C": convert(fortran(random, 8, 16)),
        "D": convert(fortran(random, 16, 16, groups)),
    }


def expected(values):
    """Return alpha A_i B^T C + D_i in f64."""
    a = np.stack(values["A"], axis=-1).astype(np.float64)
    b, c, d = (values[name].astype(np.float64) for name in "BCD")
    return values["alpha"] * np.einsum("mki,nk,nj->mji", a, b, c, optimize=True) + d


def check(actual, reference):
    # two sums of 8 products each, every rounding at most epsilon of the largest value
    tolerance = 2 * 8 * np.finfo(np.float32).eps * np.abs(reference).max()
    assert np.abs(actual - reference).max() <= tolerance


@pytest.mark.parametrize("convert", [np.asarray, tt.asarray], ids=["numpy", "usm"])
@pytest.mark.parametrize("groups", [1, 3, GROUPS])
def test_numbers(kernel, convert, groups):
    values = arguments(groups, convert)
    reference = expected(values)
    kernel(**values, groups=groups)
    check(values["D"], reference)


def test_members_in_one_array(kernel):
    values = arguments(50)
    reference = expected(values)
    values["A"] = np.asfortranarray(np.stack(values["A"], axis=-1))
    kernel(**values, groups=50)
    check(values["D"], reference)


def test_batch_beyond_the_groups_is_untouched(kernel):
    values = arguments(20)
    reference, before = expected(values), values["D"].copy()
    kernel(**values, groups=12)
    check(values["D"][:, :, :12], reference[:, :, :12])
    assert (values["D"][:, :, 12:] == before[:, :, 12:]).all()


def read_only(array):
    array.flags.writeable = False
    return array


WRONG = {
    "missing": ({"D": ...}, "expected 5 arguments (alpha, A, B, C, D), got 4; missing: D"),
    "surplus": ({"E": 1}, "unexpected argument 'E'"),
    "none": ({"B": None}, "argument 'B': expected a NumPy or USM array, got None"),
    "scalar_none": ({"alpha": None}, "argument 'alpha': expected a real number for f32, got None"),
    "array_for_scalar": (
        {"alpha": np.ones(3)},
        "argument 'alpha': expected a real number for f32, got an array of shape (3,)",
    ),
    "scalar_for_array": ({"B": 1.0}, "argument 'B': expected a NumPy or USM array, got 1.0"),
    "out_of_range": (
        {"alpha": 1e39},
        "argument 'alpha': expected a real number in the range of f32, got 1e+39",
    ),
    "complex": ({"alpha": 1j}, "argument 'alpha': expected a real number for f32, got 1j"),
    "dtype": ({"C": np.zeros((8, 16), order="F")}, "argument 'C': expected dtype float32, got"),
    "shape": (
        {"C": np.zeros((16, 8), np.float32, order="F")},
        "argument 'C': expected shape (8, 16), got (16, 8) (transposed:",
    ),
    "rank": ({"B": np.zeros(64, np.float32)}, "argument 'B': expected an array of 2 modes"),
    "order": (
        {"B": in_place(np.zeros((8, 8), np.float32))},
        "argument 'B': expected strides (1, 8) in elements, got (8, 1); np.asfortranarray",
    ),
    "read_only": (
        {"D": read_only(np.zeros((16, 16, 2), np.float32, order="F"))},
        "argument 'D': expected a writable array because the kernel writes it",
    ),
    "array_for_group": (
        {"A": np.zeros((16, 8), np.float32, order="F")},
        "argument 'A': expected a list of arrays",
    ),
    "member": ({"A": [None]}, "argument 'A': member 0: expected a NumPy or USM array, got None"),
    "groups": ({"groups": -1}, "as number of groups, got -1 (int)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(kernel, name):
    changes, message = WRONG[name]
    values = {**arguments(2), "groups": 2} | changes
    values = {key: value for key, value in values.items() if value is not ...}
    before = values["D"].copy() if "D" in values else None
    with pytest.raises(tt.LaunchError) as caught:
        kernel(**values)
    assert str(caught.value).startswith("fused_kernel: ")
    assert message in str(caught.value)
    assert before is None or (values["D"] == before).all()


def test_unknown_kernel(program):
    with pytest.raises(tt.LaunchError, match="got 'fused_kernal'; did you mean 'fused_kernel'"):
        program["fused_kernal"]


def test_stages(module):
    for stage in ("linalg", "gpu", "spirv"):
        lowered = module.lower(stage, target="cpu", abi="plain")
        assert lowered.stage == stage
        assert not re.search(DIALECT, str(lowered), re.MULTILINE)
    assert str(lowered).count("spirv.module") == 1
    # What the way on needs: the target, and the description of the kernels.
    assert set(re.findall(r"tinytc\.(\w+)", str(lowered))) == {"target", "manifest"}
    assert re.search(DIALECT, str(module), re.MULTILINE)
    assert lowered.compile("cpu").spirv == module.compile("cpu", abi="plain").spirv


def test_unknown_stage_and_target(module):
    with pytest.raises(tt.LoweringError, match="got 'spriv'; did you mean 'spirv'"):
        module.lower("spriv")
    with pytest.raises(tt.LoweringError, match="expected the target to be one of .*got 'fpga'"):
        module.compile("fpga")
    with pytest.raises(tt.LoweringError, match="got 'gpu'; did you mean 'intel-gpu:pvc' or 'cuda'"):
        module.compile("gpu")
    handles = "a dpctl queue or device, a CUDA device or stream, a native device or queue"
    with pytest.raises(tt.DeviceError, match=f"expected {handles}, or the name of a target, got 3"):
        module.compile(3)


@needs_spirv_val
@pytest.mark.parametrize("target", SPIRV_TARGETS)
def test_binary_is_valid(module, target):
    validate(module.compile(target).spirv)


@needs_ocloc
@pytest.mark.parametrize("gpu", ocloc_counts.COUNTED)
def test_binary_compiles_for_gpus(module, gpu):
    ocloc.compile_binary(module.compile(ocloc.DEVICES[gpu].name).spirv, gpu)
