"""What is in a library, and what programs and names cannot be in one."""

import pathlib
import platform
import re
import shutil
import subprocess

import pytest

import tinytc_mlir as tt
from embedding.host_kernels import TEXT
from tinytc_mlir.cli import main
from tinytc_mlir.embedding import build_library
from tinytc_mlir.embedding.library import DEFAULT_TARGETS
from tinytc_mlir.embedding.table import is_taken
from tinytc_mlir.runtime.native.elf import ObjectFile

SMALL = "func @{}(%A: memref<f32x4>) {{ }}"
C_FUNCTIONS = {"memcpy", "memset"}


def build(text, folder, name="small", **options):
    return build_library(tt.Context().parse(text), folder, name, **options)


def symbols(path, *words):
    printed = subprocess.run(["nm", *words, path], check=True, capture_output=True, text=True)
    lines = [line.split() for line in printed.stdout.splitlines()]
    return {"".join(words[-2:]) for words in lines if len(words) > 1}


def test_symbols(library):
    shared = symbols(library / "lib" / "libkernels.so", "-D")
    undefined = {name[1:].partition("@")[0] for name in shared if name[0] == "U"}
    assert undefined <= C_FUNCTIONS
    kernels = re.findall(r"@(\w+)", TEXT)
    expected = {f"Tkernels_{name}{end}" for name in kernels for end in ("", "_check")}
    assert {name for name in shared if name[0] in "TDBRV"} == {*expected, "Tkernels_target"}
    archive = symbols(library / "lib" / "libkernels.a")
    defined = {name[1:] for name in archive if name[0] == "T"}
    assert {name[1:] for name in archive if name[0] == "U"} <= C_FUNCTIONS | defined


def test_the_number_of_the_chosen_code_is_all_that_is_written(library):
    archive = library / "lib" / "libkernels.a"
    members = subprocess.run(["ar", "t", archive], check=True, capture_output=True, text=True)
    sizes = []
    for member in members.stdout.split():
        code = subprocess.run(["ar", "p", archive, member], check=True, capture_output=True).stdout
        sections = ObjectFile(code, member).sections
        sizes += [
            s.size
            for s in sections
            if s.name.startswith((".data", ".bss", ".tbss"))
            and not s.name.startswith(".data.rel.ro")
        ]
    assert sum(sizes) == 4


def test_constants_and_comments_of_the_header(library):
    header = (library / "include" / "kernels.h").read_text()
    assert "  const float *A; /**< A: memref<f32x?x9x?>, strides (1, ?, ?), read */\n" in header
    assert "  float *C; " in header
    assert "  const double *const *A; " in header
    assert "  uint16_t a; /**< a: bf16 (its bits) */\n" in header
    assert "Each thread needs 65536 bytes of scratch memory." in header


def test_cmake_and_pkg_config(library, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(host C)\nfind_package(kernels REQUIRED)\n"
        "foreach(kind IN ITEMS kernels shared)\n  add_executable(${kind}_host host.c)\n"
        "  target_link_libraries(${kind}_host kernels::${kind})\nendforeach()\n"
    )
    (tmp_path / "host.c").write_text(
        "#include <kernels.h>\n#include <stdio.h>\nint main(void) { puts(kernels_target()); }\n"
    )
    made = tmp_path / "made"
    words = ["cmake", "-S", tmp_path, "-B", made, f"-DCMAKE_PREFIX_PATH={library}"]
    subprocess.run(words, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", made], check=True, capture_output=True)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", library / "lib" / "pkgconfig" / "kernels.pc"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    words = ["cc", "host.c", *flags, f"-Wl,-rpath,{library}/lib", "-o", "host"]
    subprocess.run(words, check=True, cwd=tmp_path)
    for program in (made / "kernels_host", made / "shared_host", tmp_path / "host"):
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        assert printed.strip() in DEFAULT_TARGETS


def test_the_command(tmp_path, capsys):
    (tmp_path / "my-kernel.ir").write_text(SMALL.format("f"))
    words = [str(tmp_path / "my-kernel.ir"), "-o", str(tmp_path / "made"), "--target", "native"]
    assert main(["build", *words]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert str(tmp_path / "made" / "lib" / "libmy_kernel.a") in printed
    assert all(pathlib.Path(path).is_file() for path in printed)


@pytest.mark.parametrize(
    "targets, message",
    [
        (
            ["native", "cpu"],
            r"targets of native code \(native, .*aarch64\) or one .* alone, got cpu",
        ),
        (["pdp11", "cpu"], r"expected targets of native code \(.*\) or one .* alone, got pdp11"),
        (["pdp11"], "expected the target to be one of cpu, .*, got 'pdp11'"),
        ([], r"expected targets of native code \(.*\) or one other target alone, got none"),
        (["native", "x86-64-v3"], "expected no target besides native, got native, x86-64-v3"),
        (["x86-64-v3", "aarch64"], "expected targets for one kind of processor, .* aarch64"),
    ],
)
def test_wrong_targets(targets, message, tmp_path):
    with pytest.raises(tt.TinyTCError, match=message):
        build(SMALL.format("f"), tmp_path, targets=targets)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "1st", "_x", "double", "a-b", "ä"])
def test_wrong_names(name, tmp_path):
    with pytest.raises(tt.TinyTCError, match="expected a name for the library that C, C"):
        build(SMALL.format("f"), tmp_path, name)


@pytest.mark.parametrize("other", ["F", "f_args", "F_check"])
def test_kernels_of_one_name(other, tmp_path):
    text = SMALL.format("f") + "\n" + SMALL.format(other)
    with pytest.raises(
        tt.TinyTCError, match="expected kernels whose names differ in C and Fortran"
    ):
        build(text, tmp_path)


def test_a_kernel_with_the_name_of_a_function_of_the_library(tmp_path):
    with pytest.raises(tt.TinyTCError, match="got the library's own small_target and target"):
        build(SMALL.format("target"), tmp_path)


def test_long_names(tmp_path):
    """Fortran cuts names, and tells kernels apart whose names begin alike."""
    names = ["f" * 80 + end for end in ("a", "b")]
    build("\n".join(map(SMALL.format, names)), tmp_path)
    words = ["gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-c", "include/small.f90"]
    subprocess.run(words, check=True, cwd=tmp_path)
    module = (tmp_path / "include" / "small.f90").read_text()
    assert all(f'bind(c, name="small_{name}")' in module for name in names)
    shortened = set(re.findall(r"subroutine (\w+)\(", module))
    assert len(shortened) == 2
    assert all(re.fullmatch(r"small_f+_[0-9a-f]{8}", name) for name in shortened)


def test_keywords(tmp_path):
    text = "func @double(%int: f32, %a: memref<f32x4>, %A: memref<f32x?>, %groups: i32) { }"
    build(text, tmp_path)
    include = tmp_path / "include"
    for compiler in (["gcc", "-xc"], ["g++", "-std=c++20", "-xc++"], ["gfortran"]):
        suffix = {"gcc": "h", "g++": "hpp", "gfortran": "f90"}[compiler[0]]
        words = [*compiler, "-Wall", "-Wextra", "-Werror", "-c", include / f"small.{suffix}"]
        subprocess.run([*words, "-o", tmp_path / "a.o"], check=True, cwd=tmp_path)
    header = (include / "small.h").read_text()
    for declaration in ("small_double(", "float int_;", "int32_t groups;", "int64_t groups_2;"):
        assert declaration in header
    module = (include / "small.f90").read_text()
    for declaration in (":: a = ", ":: a_2 = ", ":: a_shape0 = "):
        assert declaration in module


HEADERS = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath "
    "threads time uchar wchar wctype"
)
INCLUDED = "".join(f"#include <{name}.h>\n" for name in HEADERS.split())


def test_macros(tmp_path):
    """Names of parameters are none that a header of C replaces."""
    words = ["gcc", "-xc", "-dM", "-E", "-"]
    done = subprocess.run(words, input=INCLUDED, text=True, capture_output=True, check=True)
    names = re.findall(r"^#define ([A-Za-z]\w*) ", done.stdout, re.MULTILINE)
    assert {"I", "NULL", "linux"} <= set(names)
    assert [name for name in names if not is_taken(name)] == []
    parameters = ", ".join(f"%{name}: f32" for name in ("I", "linux", "NULL", "EOF", "errno", "A"))
    build(f"func @complex({parameters}, %stdin: memref<f32x4>) {{ }}", tmp_path)
    (tmp_path / "a.c").write_text(f'{INCLUDED}#include "include/small.h"\n')
    subprocess.run(["gcc", "-Werror", "-c", "a.c"], check=True, cwd=tmp_path)
    (tmp_path / "a.cpp").write_text('#include <complex.h>\n#include "include/small.hpp"\n')
    subprocess.run(["g++", "-std=c++20", "-c", "a.cpp"], check=True, cwd=tmp_path)
    assert "float A;" in (tmp_path / "include/small.h").read_text()


def test_the_compiler_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-compiler")
    with pytest.raises(tt.TinyTCError, match="expected the program no-compiler .*to build a libr"):
        build(SMALL.format("f"), tmp_path)


@pytest.mark.skipif(platform.machine() == "aarch64", reason="no other kind of processor")
def test_another_kind_of_processor(tmp_path):
    if shutil.which("aarch64-linux-gnu-gcc") is not None:
        build(SMALL.format("f"), tmp_path, targets=["aarch64"])
        return
    with pytest.raises(tt.TinyTCError, match="Debian's package gcc-aarch64-linux-gnu"):
        build(SMALL.format("f"), tmp_path, targets=["aarch64"])


def test_the_compiler_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "false")
    with pytest.raises(tt.TinyTCError, match="expected false to succeed, got an error"):
        build(SMALL.format("f"), tmp_path)
