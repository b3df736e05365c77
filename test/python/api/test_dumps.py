"""TINYTC_DUMP_DIR shows what a program becomes, TINYTC_OVERRIDE_DIR changes it."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.compiler import stages_of
from tinytc_mlir.runtime.tracing import dumps

TEXT = """
func @scale(%X: memref<f32x4x?>) {
  %g = builtin.group_id : index
  %x = subview %X[:,%g] : memref<f32x4>
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %two, %x, %zero, %x
}
"""
STAGES = stages_of("cpu")
FILES = {
    *(f"{stage}.mlir" for stage in STAGES),
    "code.spv",
    "code.spvasm",
    "manifest.json",
    "strategies.json",
}
FILES_FOR_CUDA = {
    *(f"{stage}.mlir" for stage in stages_of("cuda:sm_90")),
    "code.ptx",
    "manifest.json",
    "strategies.json",
}
# How the factor is written at each stage.
FACTORS = {
    "tinytc": ("2.000000e+00 : f32", "3.000000e+00 : f32"),
    "prepared": ("2.000000e+00 : f32", "3.000000e+00 : f32"),
    "linalg": ("2.000000e+00 : f32", "3.000000e+00 : f32"),
    "gpu": ("2.000000e+00 : f32", "3.000000e+00 : f32"),
    "spirv": ("2.000000e+00 : f32", "3.000000e+00 : f32"),
}


def compiled(**options):
    return tt.Context().parse(TEXT, "scale.ir").compile("cpu", **options)


def factor(program):
    x = np.ones((4, 2), np.float32, order="F")
    program["scale"](x)
    return x[0, 0]


@pytest.fixture
def dump(tmp_path, monkeypatch):
    folder = tmp_path / "dump"
    monkeypatch.setenv("TINYTC_DUMP_DIR", str(folder))
    return folder


@pytest.fixture
def edited(dump, tmp_path, monkeypatch):
    """Return the folder of a program in a copy of a dump, which later compilations read."""
    compiled(vector_bytes=64)
    shutil.copytree(dump, tmp_path / "edited")
    monkeypatch.setenv("TINYTC_OVERRIDE_DIR", str(tmp_path / "edited"))
    (folder,) = (tmp_path / "edited").iterdir()
    return folder


def edit(file, old, new):
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_what_is_written(dump):
    program = compiled(vector_bytes=64)
    (folder,) = dump.iterdir()
    assert folder.name.startswith("scale-")
    assert {path.name for path in folder.iterdir()} == FILES
    module = tt.Context().parse(TEXT)
    for stage in list(STAGES)[1:]:
        expected = str(module.lower(stage, target="cpu", vector_bytes=64)).strip()
        assert (folder / f"{stage}.mlir").read_text().strip() == expected
    assert (folder / "code.spv").read_bytes() == program.spirv
    assert "OpEntryPoint" in (folder / "code.spvasm").read_text()
    assert json.loads((folder / "manifest.json").read_text())["target"] == "cpu"
    ((instruction, kind),) = (
        (each["instruction"], each["kind"])
        for each in json.loads((folder / "strategies.json").read_text())["scale"]
    )
    assert (instruction, kind) == ("axpby", "work_items")
    assert factor(program) == 2
    assert "driver" in (folder / "build.log").read_text()


def test_what_is_written_for_nvidia(dump):
    tt.Context().parse(TEXT, "scale.ir").compile("cuda:sm_90")
    (folder,) = dump.iterdir()
    assert {path.name for path in folder.iterdir()} == FILES_FOR_CUDA
    assert ".entry scale" in (folder / "code.ptx").read_text()


def test_each_program_has_a_folder(dump):
    compiled(vector_bytes=64)
    assert compiled(vector_bytes=64).spirv == compiled(vector_bytes=64).spirv
    assert len(list(dump.iterdir())) == 1
    compiled(vector_bytes=32)
    compiled(debug=True)
    tt.Context().parse(TEXT.replace("2.0", "4.0")).compile("cpu", vector_bytes=64)
    tt.Context().parse(TEXT).lower("gpu", target="cpu").compile()
    assert len(list(dump.iterdir())) == 5


def test_without_a_disassembler(dump, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    compiled()
    (folder,) = dump.iterdir()
    assert "spirv.module" in (folder / "code.spvasm").read_text()


def test_programs_from_files(dump, tmp_path, monkeypatch):
    monkeypatch.delenv("TINYTC_DUMP_DIR")
    text = TEXT.replace("2.0", "5.0")
    tt.Context().parse(text).compile("cpu").save(tmp_path / "scale.tinytc")
    monkeypatch.setenv("TINYTC_DUMP_DIR", str(dump))
    assert factor(tt.load(tmp_path / "scale.tinytc")) == 5
    (folder,) = dump.iterdir()
    assert {path.name for path in folder.iterdir()} >= {"code.spv", "manifest.json", "build.log"}


def test_a_build_that_fails(dump, monkeypatch):
    program = compiled()
    (folder,) = dump.iterdir()

    class Device:
        name, driver, driver_version = "A", "b", "1"

    with pytest.raises(tt.DeviceError), dumps.build_noted(program, Device()):
        raise tt.DeviceError("no", build_log="line 3: why")
    assert (folder / "build.log").read_text() == "A, b driver 1\nline 3: why\n"


@pytest.mark.parametrize("stage", FACTORS)
def test_an_edited_stage(edited, dump, stage):
    edit(edited / f"{stage}.mlir", *FACTORS[stage])
    program = compiled(vector_bytes=64)
    assert factor(program) == 3
    later = list(STAGES)[list(STAGES).index(stage) :]
    for each in STAGES:
        has_new = FACTORS[each][1] in (dump / edited.name / f"{each}.mlir").read_text()
        assert has_new == (each in later)
    assert factor(compiled(vector_bytes=32)) == 2  # another program


def test_an_edited_binary(edited):
    other = tt.Context().parse(TEXT.replace("2.0", "7.0")).compile("cpu", vector_bytes=64)
    (edited / "code.spv").write_bytes(other.spirv)
    assert factor(compiled(vector_bytes=64)) == 7


def test_an_unedited_copy(edited):
    assert factor(compiled(vector_bytes=64)) == 2


def test_a_stage_that_the_compiler_cannot_make(edited):
    # Two edits: the later file counts, although it is as the compiler makes it from the text.
    edit(edited / "linalg.mlir", *FACTORS["linalg"])
    edit(edited / "gpu.mlir", FACTORS["gpu"][0], "4.000000e+00 : f32")
    assert factor(compiled(vector_bytes=64)) == 4


def test_files_that_are_wrong(edited):
    (edited / "gpu.mlir").write_text("module {")
    with pytest.raises(tt.VerificationError, match="gpu.mlir:1:7: error: "):
        compiled(vector_bytes=64)
    shutil.copy(edited / "linalg.mlir", edited / "gpu.mlir")
    with pytest.raises(tt.LoweringError, match="of stage 'gpu', got 'linalg'"):
        compiled(vector_bytes=64)


def test_overrides_that_are_missing(dump, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTC_OVERRIDE_DIR", str(tmp_path / "none"))
    with pytest.warns(UserWarning, match="OVERRIDE_DIR to name a folder, got '.*none', which is"):
        compiled()
    compiled()  # warned once


def test_overrides_with_other_names(edited):
    (edited / "gpu.mlir").rename(edited / "gpu.mlr")
    (edited / "gpu.mlir~").write_text("of an editor")
    message = f"the files .* in {edited.name!r}, got 'gpu.mlr'; did you mean 'gpu.mlir'"
    with pytest.warns(UserWarning, match=message) as caught:
        compiled(vector_bytes=64)
    assert [warning.filename for warning in caught] == [__file__]


def test_overrides_of_no_program(tmp_path):
    """They are known when the process ends."""
    (tmp_path / "scale-0123456789ab").mkdir()
    (tmp_path / "other-0123456789ab").mkdir()
    (tmp_path / "gpu.mlir").write_text("")
    code = f"import tinytc_mlir as tt; tt.Context().parse({TEXT!r}).compile('cpu')"
    environment = {**os.environ, "TINYTC_OVERRIDE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    expected = [
        "to have a folder for each program, got the file 'gpu.mlir' beside them",
        "programs that this process compiles, got 'other-0123456789ab'\n",
        "programs that this process compiles, got 'scale-0123456789ab': the text, target or ",
    ]
    assert [text for text in expected if text not in done.stderr] == []
    assert done.stderr.count("UserWarning") == 3


def test_one_folder_for_both(dump, monkeypatch):
    monkeypatch.setenv("TINYTC_OVERRIDE_DIR", str(dump / ".." / "dump"))
    with pytest.raises(tt.TinyTCError, match="to be different folders, got .*dump for both"):
        compiled()


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TINYTC_DUMP_DIR", str(tmp_path / "file"))
    with pytest.raises(OSError):
        compiled()


def test_off(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TINYTC_DUMP_DIR", "0")
    compiled()
    assert not list(pathlib.Path().iterdir())
