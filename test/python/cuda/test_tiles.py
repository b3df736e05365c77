"""Programs that NVIDIA's assembler makes of whole tiles, on a driver that is a fake one."""

import re
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt
from tile_tools import find_nvidia_tool
from tinytc_bench import cases as bench_cases
from tinytc_bench.cuda import goals, programs, speed
from tinytc_mlir import tile_programs
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.nvidia import cuda_code
from tinytc_mlir.runtime.nvidia.cuda_code import array_positions

TEXT = """func @scale(%z: i32, %alpha: c32, %h: f32, %x: memref<c32x4x?>, %y: memref<c32x4x?>) {
  %i = builtin.group_id : index
  %none = constant [0.0, 0.0] : c32
  %from = subview %x[0:4, %i] : memref<c32x4>
  %to = subview %y[0:4, %i] : memref<c32x4>
  axpby.n %alpha, %from, %none, %to
}
func @mark(%x: group<memref<f32x4>x?>) {
  %i = builtin.group_id : index
  %one = constant 1.0 : f32
  %member = load %x[%i] : memref<f32x4>
  %zero = constant 0 : index
  store %one, %member[%zero]
}
func @nothing(%z: bool, %h: bf16, %alpha: c64) {
}
"""


PRODUCTS = """func @products(%A: group<memref<f32x16x16>x?>, %B: memref<f32x16x16>,
               %C: memref<f32x16x16x?>) {
  %i = group_id.x : index
  %a = load %A[%i] : memref<f32x16x16>
  %c = subview %C[:, :, %i] : memref<f32x16x16>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  gemm.n.n %one, %a, %B, %zero, %c
}
"""


@pytest.fixture(scope="module")
def kernels():
    find_nvidia_tool()
    return tt.Context().parse(TEXT)


@pytest.fixture(scope="module")
def program(kernels):
    return kernels.assemble_tile("cuda:sm_90")


@pytest.fixture
def driver(install, kernels, program):
    driver = install()
    driver.programs = {program.code: (kernels, program.manifest)}
    return driver


def parameters_of(program, path):
    """Return the sizes in bytes of the parameters of each entry of a cubin."""
    path.write_bytes(program.code)
    command = [find_nvidia_tool("cuobjdump"), "-elf", path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for name, part in re.findall(r"\.nv\.info\.(\w+)\n(.*?)(?=\n\.|\Z)", text, re.DOTALL):
        sizes = re.findall(r"Ordinal\s*:\s*(0x\w+).*?Size\s*:\s*(0x\w+)", part, re.DOTALL)
        if sizes:
            found[name] = [size for _, size in sorted((int(n, 16), int(s, 16)) for n, s in sizes)]
    return found


def test_what_the_program_says(program, tmp_path):
    assert program.manifest.format == "cubin"
    assert program.target == "cuda:sm_90"
    scale, mark, nothing = program.manifest.kernels
    for info in (scale, mark, nothing):
        assert info.local_size == (1, 1, 1)
        assert info.complex_parts
    assert scale.aligned_variant == "scale__aligned"
    assert mark.aligned_variant is None  # what it stores is one element
    assert [argument.is_written for argument in scale.arguments[3:]] == [False, True]
    assert array_positions(scale).all == (3, 5)
    program.save(tmp_path / "scale.tinytc")
    assert tt.load(tmp_path / "scale.tinytc").manifest == program.manifest


def test_parameters(program, tmp_path):
    """The real and the imaginary part of alpha are parameters of their own."""
    sizes = [4, 4, 4, 4, 8, 8, 8, 8]
    assert parameters_of(program, tmp_path / "scale.cubin") == {
        "scale": sizes,
        "scale__aligned": sizes,
        "mark": [8, 8],
        "nothing": [1, 2, 8, 8],
    }


def test_variants_are_in_the_cubin():
    """PTX of such a kernel has a variant for members of groups, which tiles have not."""
    find_nvidia_tool()
    kernel = tt.Context().parse(PRODUCTS).assemble_tile("cuda:sm_90")["products"]
    assert kernel.info.entries == ["products", "products__aligned"]
    cuda_code.check_code(kernel.program.code, kernel.program.manifest, "program")


def test_launches(driver, program):
    x = tt.asarray(np.ones((4, 3), np.complex64, order="F"), queue="cuda")
    y = tt.asarray(np.zeros((4, 3), np.complex64, order="F"), queue="cuda")
    program["scale"](1, 2 + 3j, 0.5, x, y, groups=3)
    assert (y.get() == 2 + 3j).all()
    interface = y.__cuda_array_interface__
    address, is_read_only = interface["data"]
    moved = interface | {"data": (address + 8, is_read_only), "shape": (4, 2)}
    array = type("Array", (), {"__cuda_array_interface__": moved})()
    program["scale"](1, 1j, 0.5, x, array, groups=2)
    assert y.get()[1, 0] == 1j
    members = [np.zeros(4, np.float32) for _ in range(2)]
    program["mark"](tt.Group(members))
    assert [member[0] for member in members] == [1, 1]
    assert driver.launches == [
        ("scale__aligned", (3, 1, 1), (1, 1, 1), 0),
        ("scale", (2, 1, 1), (1, 1, 1), 0),
        ("mark", (2, 1, 1), (1, 1, 1), 0),
    ]


def test_programs_of_the_benchmark(tmp_path, monkeypatch, install):
    find_nvidia_tool()
    (case,) = bench_cases.select(["gemm.f32.8"])
    monkeypatch.setattr(bench_cases, "select", lambda _: [case])
    programs.write_programs(tmp_path, "cuda:sm_90", tiles=True)
    written = tt.load(programs.tiles_path(tmp_path, case.name))
    assert list(written) == list(case.ours.kernels)
    module = tt.Context().parse(case.ours.text)
    plain = module.compile("cuda:sm_90")
    driver = install()
    driver.programs = {each.code: (module, each.manifest) for each in (plain, written)}
    for name in ("_LAUNCHES", "_ROUNDS"):
        monkeypatch.setattr(speed, name, 1)
    monkeypatch.setattr(speed, "peers", lambda case, groups: [])
    (timing,) = speed.time_programs(tmp_path, devices.queue_of("cuda"), footprint_bytes=2000)
    assert (timing.message, timing.failures) == ("", {})
    assert timing.error <= 1
    assert set(timing.seconds) == {"ours", "tiles"}
    assert not any("peer" in line for line in goals.lines([timing], 1e12, None, []))
    assert {block for _, _, block, _ in driver.launches} > {(1, 1, 1)}


def test_no_assembler(monkeypatch):
    monkeypatch.setattr(tile_programs.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(tile_programs.shutil, "which", lambda name: None)
    with pytest.raises(tt.DeviceError, match=r"expected NVIDIA's tool tileiras, got none"):
        tile_programs.find_tool()


def test_no_program(kernels):
    with pytest.raises(tt.LoweringError, match="tileiras rejects the program for cuda:sm_90"):
        tile_programs.assemble(b"none", "cuda:sm_90")
    with pytest.raises(tt.LoweringError, match="expected a target of NVIDIA, got 'cpu'"):
        kernels.assemble_tile("cpu")
    with pytest.raises(tt.LoweringError, match="of stage 'tinytc', got one of stage 'tile'"):
        kernels.lower("tile").assemble_tile()
