"""Tile IR from Python and from the command line."""

import re

import pytest

import tinytc_mlir as tt
from cases.compiled_cases import device_cases
from tile.test_collective_cases import is_collective
from tile_tools import architectures, check_assembles, disassemble, find_nvidia_tool, write
from tinytc_mlir.compiler.version_stamps import stamped

KERNEL = """func @scale(%alpha: f32, %A: memref<f32 x 16 x 8>, %B: memref<f32 x 16 x 8>) {
  %zero = constant 0.0 : f32
  axpby.n %alpha, %A, %zero, %B
}
"""
SCALE = """tile.module @kernels {
  tile.entry @first() {
    tile.return
  }
}
"""
HEAD = b"\x7fTileIR\0\x0d\x01\0\0"


@pytest.fixture
def module():
    return tt.Context().parse_mlir(SCALE)


def test_the_stage(module):
    assert module.stage == "tile"
    assert list(module.stages) == ["tinytc", "tile"]
    assert str(module.lower("tile")) == str(module)
    assert "first" in repr(module)


def test_file(module, tmp_path):
    path = tmp_path / "kernels.tileirbc"
    bytecode = module.export_tile(path)
    assert bytecode.startswith(HEAD)
    assert path.read_bytes() == bytecode
    assert module.export_tile(version="13.3") != bytecode
    for architecture in architectures("file"):
        check_assembles(bytecode, architecture, tmp_path)


def test_program_of_the_language(tinytc, tmp_path):
    module = tt.Context().parse(KERNEL)
    lowered = module.lower("tile")
    assert lowered.stage == "tile"
    assert "tile.entry @scale(" in str(lowered)
    bytecode = module.export_tile()
    assert bytecode == lowered.export_tile()
    assert bytecode.startswith(HEAD)
    for architecture in architectures("program"):
        check_assembles(bytecode, architecture, tmp_path)
    source = tmp_path / "scale.ir"
    source.write_text(KERNEL)
    target = tmp_path / "scale.tileirbc"
    assert tinytc("compile", "--target", "tile", source, "-o", target) == (0, "", "")
    assert target.read_bytes() == bytecode
    assert tinytc("lower", "--to", "tile", source) == (0, stamped(f"{str(lowered).strip()}\n"), "")


def test_no_program_on_tiles():
    module = tt.Context().parse("func @f() attributes{work_group_size=[16,1]} { parallel { } }")
    with pytest.raises(tt.LoweringError, match="expected an instruction that Tile IR has"):
        module.export_tile()


def test_empty_program():
    module = tt.Context().parse("; nothing", "a.ir")
    with pytest.raises(tt.LoweringError, match="a.ir: error: expected a program with a function"):
        module.export_tile()


def test_kernels_of_the_device_tests(tmp_path):
    """A few of the collective cases, all kernels in one module."""
    modules = []
    for number, case in enumerate(list(filter(is_collective, device_cases()))[::400]):
        try:
            text = str(tt.Context().parse(case.text(f"k{number}")).lower("tile"))
        except tt.LoweringError:  # test_collective_cases.py proves why
            continue
        modules.append(re.search(r"tile\.module @\w+ \{(.*)\n  \}\n\}", text, re.DOTALL).group(1))
    assert len(modules) > 5
    bytecode = write("tile.module @kernels {" + "\n".join(modules).rstrip() + "\n}")
    assert disassemble(bytecode, tmp_path).count("entry @") == len(modules)
    for architecture in architectures("device tests"):
        check_assembles(bytecode, architecture, tmp_path)


@pytest.mark.parametrize(
    ("version", "found"), [("12", "'12'"), ("", "''"), (13.1, "an object of type float")]
)
def test_unknown_version(module, version, found):
    message = f"expected the version to be one of 13.1, 13.2, 13.3, got {found}"
    with pytest.raises(tt.LoweringError, match=message):
        module.export_tile(version=version)


def test_no_program(module):
    with pytest.raises(tt.LoweringError, match="got one of stage 'tile', whose code `export_tile`"):
        module.compile()
    with pytest.raises(tt.LoweringError, match="expected a module of stage 'gpu' or an earlier"):
        module.lower("gpu")


def test_options_of_other_stages():
    module = tt.Context().parse("func @f(%x: f32) { }")
    with pytest.raises(tt.LoweringError, match="expected no target for stage 'tile', got 'cpu'"):
        module.lower("tile", target="cpu")
    with pytest.raises(tt.LoweringError, match="expected no debug for stage 'tile', got True"):
        module.lower("tile", debug=True)


def test_command_line(tinytc, module, tmp_path):
    source, target = tmp_path / "first.mlir", tmp_path / "first.tileirbc"
    source.write_text(SCALE)
    assert tinytc("compile", "--target", "tile", source, "-o", target) == (0, "", "")
    assert target.read_bytes() == module.export_tile()
    status, out, _ = tinytc("lower", "--to", "tile", source)
    assert (status, out) == (0, stamped(f"{str(module).strip()}\n"))
    for words, found in ((["--emit", "spirv"], "--emit spirv"), (["--build"], "--build")):
        status, _, err = tinytc("compile", "--target", "tile", *words, source)
        assert status == 2
        assert f"expected bytecode alone for --target tile, got {found}" in err
    status, _, err = tinytc("compile", "--target", "tile", "--debug", source)
    assert status == 2


def test_aligned(tinytc, tmp_path):
    module = tt.Context().parse(KERNEL)
    bytecode = module.export_tile(aligned=True)
    assert disassemble(bytecode, tmp_path).count("div_by<16>") == 2
    assert "div_by<16>" not in disassemble(module.export_tile(), tmp_path)
    with pytest.raises(tt.LoweringError, match="of stage 'tinytc' for aligned=True, got one of"):
        module.lower("tile").export_tile(aligned=True)
    source, target = tmp_path / "scale.ir", tmp_path / "scale.tileirbc"
    source.write_text(KERNEL)
    words = ("compile", "--target", "tile", "--aligned", source, "-o", target)
    assert tinytc(*words) == (0, "", "")
    assert target.read_bytes() == bytecode
    status, _, err = tinytc("compile", "--target", "cpu", "--aligned", source)
    assert status == 2
    assert "expected --target tile with --aligned, got cpu" in err


def test_bytecode_version(tinytc, tmp_path):
    source, target = tmp_path / "scale.ir", tmp_path / "scale.tileirbc"
    source.write_text(KERNEL)
    words = ("compile", "--bytecode-version", "13.2", source)
    assert tinytc(*words, "--target", "tile", "-o", target) == (0, "", "")
    assert target.read_bytes()[8:10] == b"\x0d\x02"
    status, _, err = tinytc(*words, "--target", "cpu")
    assert status == 2
    assert "expected --target tile with --bytecode-version, got cpu" in err


def test_version_that_lacks_an_op():
    alloca = "%0 = tile.alloca num_elem = 4, alignment = 16 : !tile.tile<!tile.ptr<f32>>"
    text = SCALE.replace("tile.return", f"{alloca}\n    tile.return")
    with pytest.raises(tt.LoweringError) as caught:
        tt.Context().parse_mlir(text, "a.mlir").export_tile(version="13.1")
    (found,) = caught.value.diagnostics
    assert (found.filename, found.line) == ("a.mlir", 3)
    assert found.message == "'tile.alloca' op expected bytecode 13.3, got 13.1"
    assert alloca in found.excerpt


def test_program_on_tiles(tinytc, tmp_path):
    find_nvidia_tool()
    source, target = tmp_path / "scale.ir", tmp_path / "scale.tinytc"
    source.write_text(KERNEL)
    words = ("compile", "--target", "cuda:sm_100", "--tiles", source)
    assert tinytc(*words, "-o", target) == (0, "", "")
    assert tt.load(target).manifest.format == "cubin"
    for more, message in (
        (["--emit", "ptx"], "expected --emit tinytc, manifest with --tiles, got ptx"),
        (["--debug"], "expected no --debug for --tiles, got True"),
        (["--target", "tile"], "expected bytecode alone for --target tile, got --tiles"),
    ):
        status, _, err = tinytc(*words, *more)
        assert status == 2
        assert message in err
    status, _, err = tinytc("compile", "--target", "cpu", "--tiles", source)
    assert (status, "expected a target of NVIDIA, got 'cpu'" in err) == (1, True)
