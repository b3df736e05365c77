"""The `.tinytcb` file: it reads back as written, and any damage is noticed."""

import dataclasses
import random
import struct
import subprocess
import sys

import pytest

import handmade
import tinytc_mlir as tt
from fake_runtime import FakeDevice, registered
from tinytc_mlir.runtime import container
from tinytc_mlir.runtime.kernel_info import KernelInfo
from tinytc_mlir.runtime.manifest import Manifest
from tinytc_mlir.runtime.spirv.code import check_spirv


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "scale.tinytcb"
    handmade.scale().save(path)
    return path


def test_round_trip(saved):
    program = tt.load(saved)
    original = handmade.scale()
    assert program.spirv == original.spirv
    assert program.manifest == original.manifest
    assert program.digest == original.digest


def test_save_replaces_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "p.tinytcb"
    path.write_bytes(b"old")
    handmade.scale().save(str(path))
    assert list(tt.load(str(path))) == ["scale"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["p.tinytcb"]


def test_load_needs_neither_mlir_nor_dpctl(saved):
    code = (
        "import sys, tinytc_mlir as tt; "
        f"p = tt.load({str(saved)!r}); p['scale'].signature; "
        "print([m for m in ('mlir', 'dpctl') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "[]\n", result.stderr


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        tt.load(tmp_path / "absent.tinytcb")


def test_every_cut_is_noticed(saved, tmp_path):
    data = saved.read_bytes()
    for size in [*range(70), *range(70, len(data), 37), len(data) - 1]:
        with pytest.raises(tt.TinyTCError, match="cut.tinytcb: expected"):
            container.unpack(data[:size], "cut.tinytcb")
    with pytest.raises(tt.TinyTCError, match="checksum"):
        container.unpack(data + b"\0", "long.tinytcb")


def test_every_changed_bit_is_noticed(saved):
    data = bytearray(saved.read_bytes())
    for bit in random.Random(0).sample(range(8 * len(data)), 300):
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(tt.TinyTCError, match="expected"):
            container.unpack(bytes(data), "changed.tinytcb")
        data[bit // 8] ^= 1 << bit % 8


MANIFEST = Manifest("cpu", (KernelInfo("scale", (), (1, 1, 1), 16),))


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


HEAD = (0x07230203, 0x10400, 0, 10, 0)
BROKEN = [
    (b"", "expected SPIR-V in whole words, got 0 bytes"),
    (words(*HEAD)[:-1], "expected SPIR-V in whole words, got 19 bytes"),
    (words(1, *HEAD), "expected SPIR-V magic 0x7230203, got 0x1"),
    (words(*HEAD, 0x00000011), "a SPIR-V instruction at word 5, got one of 0 words"),
    (words(*HEAD, 0x00030011, 6), "at word 5, got one of 3 words with 2 words left"),
    (
        words(*HEAD, 0x00020011, 6),
        "expected SPIR-V that ends with the end of a function, got opcode 17",
    ),
    (words(*HEAD, 0x00010038), "expected kernel 'scale' in the SPIR-V binary, got none"),
]


@pytest.mark.parametrize(("spirv", "message"), BROKEN)
def test_broken_binary(spirv, message, tmp_path):
    with pytest.raises(tt.TinyTCError) as caught:
        check_spirv(spirv, MANIFEST, "p")
    assert str(caught.value).startswith("p: ")
    assert message in str(caught.value)
    path = tmp_path / "p.tinytcb"
    path.write_bytes(container.pack(spirv, MANIFEST))
    with pytest.raises(tt.TinyTCError) as caught:
        tt.load(path)
    assert f"{path}: " in str(caught.value)
    assert message in str(caught.value)


def test_other_format(tmp_path):
    manifest = dataclasses.replace(MANIFEST, format="fake code")
    assert Manifest.from_json(manifest.to_json()) == manifest
    path = tmp_path / "p.tinytcb"
    path.write_bytes(container.pack(b"code", manifest))
    message = "p.tinytcb: expected code in one of the formats spirv, ptx, cubin, elf, got 'fake"
    with pytest.raises(tt.TinyTCError, match=message):
        tt.load(path)
    with registered(FakeDevice("Fake", "fake")):
        program = tt.load(path)
    assert program.code == b"code"
    with pytest.raises(tt.TinyTCError, match="expected a program in SPIR-V, got 'fake code'"):
        program.spirv  # noqa: B018


def test_program_names_its_kernels():
    program = handmade.scale()
    assert "scale" in program
    assert len(program) == 1
    assert program.kernels["scale"].name == "scale"
    size = f"{len(program.spirv)} bytes of spirv"
    assert repr(program) == f"<Program for cpu, {size}: scale(alpha: f32, X: memref<f32x?>)>"
    with pytest.raises(tt.LaunchError) as caught:
        program["scael"]
    assert str(caught.value) == (
        "expected one of the kernels scale, got 'scael'; did you mean 'scale'?"
    )


def test_import_is_light():
    code = (
        "import sys, tinytc_mlir; "
        "print([m for m in ('mlir', 'dpctl', 'numpy', 'argparse') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "[]\n", result.stderr
