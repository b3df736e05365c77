"""Memory of other libraries that launches use in place, and kernels that they keep."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from framework_kernels import ENERGY, HALF

import tinytc_mlir as tt
from tinytc_mlir.runtime.arrays.allocations import owner_of
from tinytc_mlir.runtime.launches import launch

SCALE = """
func @scale(%a: f32, %x: memref<f32x8x?>) {
  %zero = constant 0.0 : f32
  %g = group_id.x : index
  %v = subview %x[0:8, %g] : memref<f32x8>
  axpby %a, %v, %zero, %v
}
func @add(%x: memref<f32x8x?>, %y: memref<f32x8x?>) {
  %one = constant 1.0 : f32
  %g = group_id.x : index
  %v = subview %x[0:8, %g] : memref<f32x8>
  %w = subview %y[0:8, %g] : memref<f32x8>
  axpby %one, %v, %one, %w
}
"""


@pytest.fixture(scope="module")
def native():
    return tt.Context().parse(SCALE).compile("native")


def staging(kernel, *values):
    """Return the copies that a launch would make."""
    return launch.prepare(
        kernel, kernel.signature.parts(values, {}), None, None, waits=True
    ).staging


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_tensors_over_memory_of_the_runtime(target):
    kernel = tt.Context().parse(SCALE).compile(target)["scale"]
    array = tt.ones((8, 5), np.float32, queue=target)
    for tensor in (torch.from_numpy(array), torch.from_numpy(array)[:, 1:3]):
        assert staging(kernel, 1.0, tensor) is None
    kernel(3.0, torch.from_numpy(array)[:, 1:3])
    assert array[0].tolist() == [1.0, 3.0, 3.0, 1.0, 1.0]


def test_memory_is_forgotten():
    array = tt.empty((8, 5), np.float32, queue="cpu")
    address = array.ctypes.data
    assert owner_of(address) is owner_of(address + array.nbytes - 1) is array.base
    del array
    assert owner_of(address) is None


def test_arrays_of_jax_in_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (pathlib.Path(__file__).parents[3] / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (text_block,) = (block for block in blocks if "func @gemm" in block)
    (jax_block,) = (block for block in blocks if "import jax" in block)
    path = tmp_path / "page.py"  # kernels in Python find their source there
    path.write_text(text_block + jax_block)
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert (names["C"] == 16).all()


def test_native_kernels_use_arrays_of_the_host(native):
    x = np.ones((8, 4), np.float32, order="F")
    assert staging(native["scale"], 1.0, x) is None
    assert staging(native["scale"], 1.0, np.ones((8, 4), np.float32)) is not None
    for array in (x, torch.ones(4, 8).T, np.ones((8, 4), np.float32), torch.ones(8, 4)):
        native["scale"](2.0, array)
        assert (np.asarray(array) == 2).all()


def test_arrays_that_overlap_a_copy_are_copied_too(native):
    memory = np.arange(33 * 4 + 1, dtype=np.uint8)[1:].view(np.uint8)
    odd = memory[: 32 * 4].view(np.float32).reshape((8, 4), order="F")
    odd[...] = 1
    native["add"](odd, np.zeros((8, 4), np.float32, order="F"))
    native["add"](odd, odd)
    assert (odd == 2).all()


def test_half_precision_of_torch():
    kernel = tt.Context().parse(HALF).compile("cpu")["add"]
    a, c = torch.arange(16, dtype=torch.bfloat16), torch.zeros(16, dtype=torch.bfloat16)
    kernel(a, a, c)
    assert torch.equal(c, 2 * a)


def test_half_precision_of_torch_has_its_name_in_messages(native):
    x = torch.ones(4, 8, dtype=torch.bfloat16).T
    with pytest.raises(tt.ArgumentError, match="expected dtype float32, got bfloat16$"):
        native["scale"](2.0, x)


@pytest.mark.parametrize("number", [torch.tensor(2.0), np.array(2.0), torch.tensor(2)])
def test_arrays_of_order_0_are_numbers(native, number):
    x = np.ones((8, 4), np.float32, order="F")
    native["scale"](number, x)
    assert (x == 2).all()


def test_arrays_of_one_element_are_no_numbers(native):
    with pytest.raises(tt.ArgumentError, match="'a': expected a real number for f32, got"):
        native["scale"](torch.tensor([2.0]), np.ones((8, 4), np.float32, order="F"))


KEEP = f"""
import torch
import tinytc_mlir as tt

module = tt.Context().parse('''{ENERGY}''')
kernels = module.compile("native"), module.compile("cpu"), module.vjp()
op = tt.torch.op(module, "kept::energy")
x = torch.ones(3, 4, dtype=torch.float64, requires_grad=True)
op(1.0, torch.eye(3, dtype=torch.float64), x).sum().backward()


@torch.library.custom_op("kept::other", mutates_args=())
def other(x: torch.Tensor) -> torch.Tensor:
    return x.clone() if kernels[0]["energy"] else x


for program, target in zip(kernels, ("native", "cpu")):
    shapes = (3, 3), (3, 4), (4,)
    arrays = [tt.ones(shape, "f8", queue=target) for shape in shapes]
    for _ in range(2):  # the second launch finds the pattern of the first
        program["energy"](1.0, *arrays)
other.kernels = op.kernels = kernels, module
"""


def test_kernels_that_torch_keeps_print_nothing():
    done = subprocess.run([sys.executable, "-c", KEEP], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_frameworks_are_imported_when_they_are_used():
    code = "import sys, tinytc_mlir; print({'torch', 'jax'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "set()\n"
