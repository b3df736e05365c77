"""What compile() and lower() say: places of the source, and words of its language."""

import pickle

import pytest

import tinytc_mlir as tt
from tinytc_mlir.compiler import TARGETS

NO_F64 = "expected no f64 on target 'intel-gpu:dg2', which has no such type, got "
PARAMETER_OF_MLIR = "tinytc.func @f(%A: !tinytc.memref<4x8xf64>)"
STORE = (
    "func @f(%A: memref<f32x?>, %i: index) {\n  %z = constant 0.0 : f32\n  store %z, %A[%i]\n}\n"
)
PARAMETER = "func @f(%A: memref<f64x4x8>) {\n}\n"
LOCAL = "func @f() {\n  %a = alloca : memref<f64x16x?,strided<1,16>,local>\n}\n"


@pytest.fixture(scope="module")
def context():
    return tt.Context()


def refused(call, *arguments, **named):
    with pytest.raises(tt.LoweringError) as caught:
        call(*arguments, **named)
    assert "current operation" not in str(caught.value)
    return caught.value


def test_types_are_spelled_as_in_the_text(context):
    module = context.parse(PARAMETER, "f.ir")
    for error in (
        refused(module.compile, "intel-gpu:dg2"),
        refused(module.lower, "gpu", target="intel-gpu:dg2"),
    ):
        (diagnostic,) = error.diagnostics
        assert diagnostic.message == NO_F64 + "memref<f64x4x8>"
        assert (diagnostic.filename, diagnostic.line) == ("f.ir", 1)
        assert diagnostic.excerpt == "func @f(%A: memref<f64x4x8>) {"


def test_types_of_mlir_are_spelled_as_mlir_does(context):
    module = context.parse_mlir("tinytc.func @f(%A: !tinytc.memref<4x8xf64>) {\n}")
    (diagnostic,) = refused(module.compile, "intel-gpu:dg2").diagnostics
    assert diagnostic.message == NO_F64 + "'!tinytc.memref<4x8xf64>'"


EMPTY = ["", "; a comment\n", "$A = 3\n"]


@pytest.mark.parametrize("text", EMPTY)
def test_empty_program(context, text):
    error = refused(context.parse(text, "a.ir").compile, "cpu")
    assert str(error) == "a.ir: error: expected a program with a function, got an empty one"


@pytest.mark.parametrize("text", EMPTY)
def test_check_of_definitions(context, text):
    context.parse(text).check("cpu")


def test_module_that_is_no_program(context):
    module = context.parse_mlir("module {\n  module @inner {\n  }\n}")
    (diagnostic,) = refused(module.compile, "cpu").diagnostics
    assert diagnostic.message == "expected a module with a kernel, got none"
    assert diagnostic.line == 1
    assert diagnostic.excerpt == "module {"


SOFTMAX = """func.func @f(%a: memref<4x8xf32>) {
  linalg.softmax dimension(1) ins(%a: memref<4x8xf32>) outs(%a: memref<4x8xf32>)
  return
}"""


@pytest.mark.parametrize("lower", [lambda m: m.compile("cpu"), lambda m: m.lower("prepared")])
def test_file_of_mlir(context, lower):
    for module in (
        context.parse_mlir(SOFTMAX, "soft.mlir"),
        pickle.loads(pickle.dumps(context.parse_mlir(SOFTMAX, "soft.mlir"))),
    ):
        (diagnostic,) = refused(lower, module).diagnostics
        assert (diagnostic.filename, diagnostic.line) == ("soft.mlir", 2)
        assert diagnostic.excerpt.startswith("  linalg.softmax")


def test_file_of_mlir_after_a_stage(context):
    module = context.parse_mlir(f"{PARAMETER_OF_MLIR} {{\n}}", "f.mlir").lower("tinytc")
    (diagnostic,) = refused(module.compile, "intel-gpu:dg2").diagnostics
    assert diagnostic.filename == "f.mlir"


@pytest.mark.parametrize("text", ["", "module {}"])
def test_file_of_an_empty_module_of_mlir(context, text):
    error = refused(context.parse_mlir(text, "a.mlir").compile, "cpu")
    assert str(error) == "a.mlir: error: expected a program with a function, got an empty one"


def test_file_of_mlir_without_a_module(context):
    error = refused(context.parse_mlir("llvm.func @f()", "a.mlir").compile, "cpu")
    assert str(error) == "a.mlir: error: expected a module with a kernel, got none"


def test_file_of_a_check_in_mlir(context):
    text = str(context.parse(STORE, "f.ir"))
    program = context.parse_mlir(text, "f.mlir").compile("cpu", debug=True)
    checks = program.manifest.kernels[0].checks
    assert {each.diagnostic.filename for each in checks} == {"f.mlir"}


LOCAL_MEMORY = "  %a = alloca{} : memref<f32x{},local>\n  lifetime_stop %a\n"
NATIVE = (
    "native x86-64-v2 x86-64-v3 x86-64-v4 x86-64-v4-bf16 x86-64-v4-amx "
    "aarch64 aarch64-mmla aarch64-sve256 aarch64-sve512"
)
LIMITS = {
    "subgroup_size": ("func @f() attributes{subgroup_size=64} {\n}\n", f"cpu {NATIVE}", 1, 6),
    "no_subgroup_size": ("func @f() attributes{subgroup_size=7} {\n}\n", None, 1, 6),
    "work_group": ("func @f() attributes{work_group_size=[2048,1]} {\n}\n", "cpu", 1, 6),
    "no_work_group": ("func @f() attributes{work_group_size=[8192,2]} {\n}\n", None, 1, 6),
    "f64": (PARAMETER, " ".join(name for name in TARGETS if name != "intel-gpu:dg2"), 1, 6),
    "local_memory": (
        "func @f() {\n" + LOCAL_MEMORY.format("", 50_000) + "}\n",
        f"cpu cuda:sm_90 cuda:sm_100 {NATIVE}",
        2,
        8,
    ),
    "no_local_memory": ("func @f() {\n" + LOCAL_MEMORY.format("", 70_000) + "}\n", None, 2, 8),
    "alignment": (
        "func @f() {\n" + LOCAL_MEMORY.format("{alignment=256}", 4) + "}\n",
        None,
        2,
        8,
    ),
    "nothing": ("func @f() {\n}\n", " ".join(TARGETS), 1, 6),
}


@pytest.mark.parametrize("name", LIMITS)
def test_check_against_targets(context, name):
    """What compile() rejects is found before, at its place in the text."""
    text, accepting, line, column = LIMITS[name]
    module = context.parse(text, "f.ir")
    accepted = [] if accepting is None else accepting.split()
    for target in TARGETS:
        if target in accepted:
            module.check(target)
            module.compile(target)
        else:
            (found,) = refused(module.check, target).diagnostics
            assert (found.line, found.column) == (line, column)
            assert f"on target '{target}'" in found.message or name == "alignment"
            assert refused(module.compile, target).diagnostics == (found,)
    if accepted:
        module.check()
    else:
        assert refused(module.check).diagnostics == refused(module.check, "cpu").diagnostics


def test_check_command(tinytc, tmp_path):
    path = tmp_path / "f.ir"
    path.write_text(PARAMETER)
    assert tinytc("check", path) == (0, "", "")
    assert tinytc("check", "--target", "cpu", path) == (0, "", "")
    status, _, err = tinytc("check", "--target", "intel-gpu:dg2", path)
    assert status == 1
    assert err.startswith(f"{path}:1:6: error: {NO_F64}memref<f64x4x8>\n")
    path.write_text(LIMITS["alignment"][0])
    status, _, err = tinytc("check", path)
    assert status == 1
    assert err.startswith(f"{path}:2:8: error: expected 'alignment' to divide that of local")


def test_declaration_of_a_kernel(context):
    text = '"tinytc.func"() <{sym_name = "f", function_type = () -> ()}> ({}) : () -> ()'
    with pytest.raises(tt.CompileError) as caught:
        context.parse_mlir(text)
    (diagnostic,) = caught.value.diagnostics
    assert "expected a kernel to have a body, got a declaration" in diagnostic.message


def test_unknown_attribute_of_the_dialect(context):
    with pytest.raises(tt.CompileError) as caught:
        context.parse_mlir("module attributes {tinytc.target = 5} {\n}")
    (diagnostic,) = caught.value.diagnostics
    assert "expected 'tinytc.target' to be a target, got 5 : i64" in diagnostic.message
