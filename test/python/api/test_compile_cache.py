"""Programs that were compiled before are found by their text, without MLIR."""

import contextlib
import subprocess
import sys

import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache, child_processes, program_cache
from tinytc_mlir.runtime import container

TEXT = """
func @scale(%a: f32, %X: memref<f32x8x?>) {
  $N = 2.0
  %g = group_id.x : index
  %x = subview %X[0:8,%g] : memref<f32x8>
  %b = constant $N : f32
  axpby.n %a, %x, %b, %x
}
"""
CASES = {
    "plain": {"abi": "plain"},
    "debug": {"debug": True},
    "pvc": {"target": "intel-gpu:pvc"},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Keep programs in a folder of the test, and use it."""
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TINYTC_VERIFY_EACH", raising=False)
    return tmp_path / "compiled"


@pytest.fixture
def compiled(monkeypatch):
    """Return the list of modules that are compiled, not found."""
    found = []
    real = tt.Module._compiled

    def note(module, *arguments):
        found.append(module)
        return real(module, *arguments)

    monkeypatch.setattr(tt.Module, "_compiled", note)
    return found


def compile_(text=TEXT, filename="a.ir", defines=None, **options):
    module = tt.Context().parse(text, filename, defines=defines)
    return module.compile(**{"target": "cpu", **options})


def equal(one, other):
    return (one.code, one.manifest) == (other.code, other.manifest)


def test_it_is_compiled_once(compiled, folder):
    first = compile_()
    assert equal(compile_(), first)
    assert equal(compile_(filename="b.ir"), first)
    assert len(compiled) == 1
    assert sorted(path.suffix for path in folder.iterdir()) == [".program", ".source"]


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_options_make_a_difference(compiled, options):
    plain, other = compile_(), compile_(**options)
    assert not equal(plain, other)
    assert equal(compile_(**options), other)
    assert equal(compile_(), plain)
    assert len(compiled) == 2


def test_defines_make_a_difference(compiled):
    values = (None, {"N": 3.0}, {"N": "3.0"}, {"N": 4.0}, {"N": 3.0, "M": 1})
    programs = [compile_(defines=value) for value in values]
    assert len(compiled) == 5
    assert len({program.code for program in programs}) == 3
    assert [compile_(defines=value).code for value in values] == [p.code for p in programs]
    assert len(compiled) == 5


def test_debug_builds_name_their_file(compiled):
    compile_(debug=True, filename="a.ir")
    found = compile_(debug=True, filename="b.ir").manifest.kernels[0].checks
    assert {check.diagnostic.filename for check in found} == {"b.ir"}
    assert len(compiled) == 2


def test_another_processor_or_compiler(compiled, monkeypatch):
    compile_()
    monkeypatch.setattr(cache, "processor", lambda: "another")
    compile_()
    monkeypatch.setattr(program_cache, "compiler_version", lambda: "another")
    compile_()
    assert len(compiled) == 3
    monkeypatch.undo()


MAKES_MODULES = """
import sys
import tinytc_mlir as tt
@tt.kernel
def kernel(x: tt.f64[3]):
    x[:] = 2.0 * x
@tt.batched
def function(x: tt.f64[3]):
    return 2.0 * x
kernel.text, function.text
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("tinytc_mlir.")}))
"""
# What is loaded, too, and decides nothing about programs.
SHAPES_NOTHING = {
    *("_arrays", "cache", "certificates", "errors", "ir", "program_cache", "reference", "runtime"),
    *("switches", "trust", "version"),
}


def test_all_that_makes_modules_counts_as_the_compiler(tmp_path):
    path = tmp_path / "made.py"
    path.write_text(MAKES_MODULES)
    command = [sys.executable, str(path)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    found = {name for path in program_cache._own_files() for name in (path.stem, path.parent.name)}
    found |= {"_tinytc"}  # whose file's name has a tag
    assert {"batches", "kernels"} <= set(loaded)
    assert set(loaded) - SHAPES_NOTHING - found == set()


def test_the_module_can_do_all_it_could(compiled):
    whole = tt.Context().parse(TEXT, "a.ir")
    whole.compile("cpu")
    lazy = tt.Context().parse(TEXT, "a.ir")
    assert lazy._known_operation is None
    assert lazy.stage == "tinytc"
    assert str(lazy) == str(whole)
    lazy = tt.Context().parse(TEXT, "a.ir")
    assert lazy.sources == whole.sources
    lazy = tt.Context().parse(TEXT, "a.ir")
    assert lazy.to_text() == whole.to_text()
    assert str(lazy.lower("spirv")) == str(whole.lower("spirv"))
    lazy = tt.Context().parse(TEXT, "a.ir")
    assert equal(lazy.compile("cpu", abi="plain"), whole.compile("cpu", abi="plain"))
    with pytest.raises(tt.LoweringError, match="expected the target to be one of cpu"):
        tt.Context().parse(TEXT, "a.ir").compile("gpu")


@pytest.mark.parametrize("stage", ["tinytc", "prepared", "linalg", "gpu", "spirv"])
def test_mlir_is_found_too(compiled, stage):
    module = tt.Context().parse(TEXT)
    text = str(module if stage == "tinytc" else module.lower(stage, target="cpu"))
    target = "cpu" if stage == "tinytc" else None
    first = tt.Context().parse_mlir(text).compile(target)
    lazy = tt.Context().parse_mlir(text)
    assert lazy.stage == stage
    assert equal(lazy.compile(target), first)
    assert len(compiled) == 1
    assert str(lazy) == str(tt.Context().parse_mlir(text.encode()))


def test_what_the_caller_changes_is_compiled(compiled):
    first = compile_()
    module = tt.Context().parse(TEXT)
    (function,) = module.operation.regions[0].blocks[0].operations
    function.operation.attributes["sym_name"] = type(function.operation.attributes["sym_name"]).get(
        "other", module.operation.context
    )
    assert list(module.compile("cpu")) == ["other"]
    context = tt.Context()
    assert context.mlir_context is not None
    assert equal(context.parse(TEXT).compile("cpu"), first)
    assert len(compiled) == 3


def test_errors_stay_where_they_were(compiled):
    for _ in range(2):
        with pytest.raises(tt.ParseError):
            tt.Context().parse(TEXT + "func")
        with pytest.raises(tt.ParseError):
            tt.Context().parse(TEXT, defines={"N": ")"})
        with pytest.raises(tt.VerificationError):
            tt.Context().parse(TEXT.replace("f32x8>", "f32x9>"))
    compile_()
    for wrong in ({"text": 1}, {"text": TEXT, "filename": 1}, {"text": TEXT, "defines": 1}):
        with pytest.raises(tt.ParseError):
            tt.Context().parse(**wrong)


def test_what_warns_is_not_kept(compiled, monkeypatch):
    """It warns each time."""
    warnings = contextlib.nullcontext(["expected a shorter loop"])
    monkeypatch.setattr(tt.Context, "_warnings", lambda context: warnings)
    compile_()
    compile_()
    assert len(compiled) == 2


def test_a_damaged_entry_is_compiled_again(compiled, folder):
    first = compile_()
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert equal(compile_(), first)
    assert equal(compile_(), first)
    assert len(compiled) == 2


@pytest.mark.parametrize("value", ["0", "off", ""])
def test_nothing_is_read_or_written(compiled, folder, monkeypatch, value):
    compile_()
    monkeypatch.setenv("TINYTC_CACHE_DIR", value)
    monkeypatch.delattr(container, "pack")
    compile_()
    compile_("func @other(%x: f32) { }")
    assert len(compiled) == 3
    assert len(list(folder.iterdir())) == 2


def test_a_second_process_imports_little():
    """What it does not need, MLIR above all, would be most of its own time."""
    code = (
        "import sys, numpy as np, tinytc_mlir as tt\n"
        f"program = tt.Context().parse({TEXT!r}).compile()\n"
        "x = np.ones((8, 2), np.float32, order='F')\n"
        "program['scale'](1.0, x)\n"
        "assert (x == 3).all()\n"
        "unwanted = {'importlib.metadata', 'tinytc_mlir.runtime.nvidia.cuda', 'mlir',\n"
        "            'tinytc_mlir.runtime.arrays.dlpack', 'tinytc_mlir._tinytc'}\n"
        "print(*sorted(unwanted & set(sys.modules)))\n"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code],
            env=child_processes.environment(),
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for _ in range(2)
    )
    assert {"mlir", "tinytc_mlir._tinytc"} <= set(first)
    assert second == []
    assert {entry.kind for entry in cache.entries()} == {cache.SOURCE, cache.PROGRAM, cache.DEVICE}


def test_the_command(tinytc, folder):
    compile_(filename="kernels/a.ir")
    _, out, _ = tinytc("cache", "info")
    assert f"folder   {folder}\n" in out
    assert "limit    1024.0 MiB" in out
    assert "\nprogram  1 in " in out
    assert "\ndevice   0 in 0.0 KiB" in out
    _, out, _ = tinytc("cache", "list", "--kind", "program")
    assert out.rstrip().endswith("program  scale for cpu, kernels/a.ir")
    (path,) = folder.glob("*.program")
    path.write_bytes(b"x")
    _, out, _ = tinytc("cache", "list")
    assert "damaged, or others can write it; it is not used" in out
    _, out, _ = tinytc("cache", "clear", "--kind", "source")
    assert out.startswith("deleted 1 entry of ")
    assert tinytc("cache", "clear") == (0, "deleted 1 entry of 0.0 KiB\n", "")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("options", [[], ["-O"]], ids=["plain", "optimized"])
def test_sources_of_a_known_program(options):
    compile_()
    code = "import sys, tinytc_mlir as tt; print(tt.Context().parse(sys.argv[1], 'a.ir').sources)"
    words = [sys.executable, *options, "-c", code, TEXT]
    environment = child_processes.environment()
    result = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert result.stdout == f"{ {'a.ir': TEXT} }\n"


def test_the_command_without_a_cache(tinytc, monkeypatch):
    monkeypatch.setenv("TINYTC_CACHE_DIR", "0")
    for action in ("info", "list", "clear"):
        assert tinytc("cache", action) == (0, "off: nothing is read or written\n", "")


def test_the_doctor(tinytc, folder, monkeypatch):
    compile_()
    _, out, _ = tinytc("doctor")
    assert "ok       cache: 2 entries of 0.0 MiB" in out
    assert f"in {folder}; `tinytc cache` shows and clears it" in out
    folder.chmod(0o777)
    _, out, _ = tinytc("doctor")
    assert "cache: expected a folder that only you can write, got 2 entries" in out
    assert f"in {folder}; nothing in it is used" in out
    monkeypatch.setenv("TINYTC_CACHE_DIR", "off")
    _, out, _ = tinytc("doctor")
    assert "ok       cache: off; every process compiles and builds again" in out
