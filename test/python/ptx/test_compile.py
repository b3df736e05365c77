"""Programs in PTX: what compile() returns, and its file."""

import hashlib
import re
import struct

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import container

TEXT = """
func @scale(%alpha: f32, %X: memref<f32x32x?>) {
  %g = builtin.group_id : index
  %x = subview %X[:, %g] : memref<f32x32>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}
"""
LARGE = """
func @large(%A: memref<f64x64x200>, %B: memref<f64x64x200>) {
  %l = alloca : memref<f64x64x200,local>
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  axpby.n %one, %A, %zero, %l
  axpby.n %one, %l, %one, %B
}
"""


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(TEXT)


@pytest.mark.parametrize(
    ("target", "version", "chip"),
    [
        ("cuda:sm_80", "8.0", "sm_80"),
        ("cuda:sm_90", "8.0", "sm_90"),
        ("cuda:sm_100", "8.6", "sm_100"),
    ],
)
def test_targets(module, target, version, chip):
    program = module.compile(target)
    assert (program.target, program.manifest.format) == (target, "ptx")
    assert f".version {version}\n.target {chip}\n" in program.ptx
    assert program.code == program.ptx.encode()
    assert re.findall(r"\.visible \.entry (\w+)", program.ptx) == ["scale"]
    assert ".reqntid 32" in program.ptx
    with pytest.raises(tt.TinyTCError, match="expected a program in SPIR-V, got 'ptx'"):
        _ = program.spirv
    with pytest.raises(tt.TinyTCError, match="expected a program in PTX, got 'spirv'"):
        _ = module.compile("cpu").ptx


def test_the_short_name(module):
    """Without a device, "cuda" is the target that most people have."""
    assert module.compile("cuda").target == "cuda:sm_90"
    assert module.compile("cuda").ptx == module.compile("cuda:sm_90").ptx


def test_the_same_manifest(module):
    cuda, pvc = (
        module.compile(target, abi="plain").kernels["scale"] for target in ("cuda", "intel-gpu:pvc")
    )
    assert cuda.arguments == pvc.arguments
    assert (cuda.group_bounds, cuda.requires) == (pvc.group_bounds, pvc.requires)
    assert (cuda.local_size, cuda.subgroup_size) == ((32, 1, 1), 32)


def test_local_memory_that_the_launch_provides():
    module = tt.Context().parse(LARGE)
    for target in ("cuda:sm_80", "cuda:sm_90"):
        program = module.compile(target)
        assert program.kernels["large"].local_memory_bytes == 64 * 200 * 8
        assert re.search(r"\.extern \.shared \.align 128 \.b8 \w+\[\]", program.ptx)
    small = tt.Context().parse(LARGE.replace("200", "20")).compile("cuda")
    assert re.search(r"\.shared \.align 128 \.b8 \w+\[10240\]", small.ptx)


def test_the_file(module, tmp_path):
    program = module.compile("cuda")
    program.save(tmp_path / "scale.tinytc")
    again = tt.load(tmp_path / "scale.tinytc")
    assert (again.ptx, again.manifest) == (program.ptx, program.manifest)


def test_files_of_version_1(module):
    """They hold SPIR-V, which the manifest does not name."""
    program = module.compile("cpu")
    data = container.pack(program.code, program.manifest)
    head = struct.Struct("<8sI32s")
    magic, version, _ = head.unpack_from(data)
    assert version == 2
    payload = data[head.size :]
    size, code = struct.unpack_from("<QQ", payload)
    json = payload[16 : 16 + size].replace(b', "format": "spirv"', b"")
    assert len(json) < size
    payload = struct.pack("<QQ", len(json), code) + json + payload[16 + size :]
    old = head.pack(magic, 1, hashlib.sha256(payload).digest()) + payload
    assert container.unpack(old, "old.tinytc") == (program.code, program.manifest)


def test_the_command_line(tinytc, tmp_path):
    source, target = tmp_path / "scale.ir", tmp_path / "scale.ptx"
    source.write_text(TEXT)
    compiled = ("compile", source, "--target", "cuda:sm_90", "--emit", "ptx", "-o", target)
    assert tinytc(*compiled) == (0, "", "")
    for words in (("--to", "ptx"), ()):
        status, out, err = tinytc("lower", source, "--target", "cuda:sm_90", *words)
        assert (status, out.strip(), err) == (0, target.read_text().strip(), "")
    status, out, err = tinytc("lower", source, "--target", "cuda", "--to", "nvvm")
    assert (status, err) == (0, "")
    assert "llvm.func @scale(" in out


def test_a_launch_without_a_device(module):
    kernel = module.compile("cuda")["scale"]
    with pytest.raises(tt.DeviceError, match="cuda|CUDA"):
        kernel(2.0, np.ones((32, 3), np.float32, "F"), groups=3)
