"""What a stage prints compiles to the program that the module itself compiles to."""

import random
import subprocess

import pytest
from reentry import contents, differences

import profiles
import programs
import tinytc_mlir as tt
from cases.compiled_cases import device_cases, random_case
from mlir_fuzzing import find_opt
from tinytc_bench.cases import all_cases
from tinytc_mlir.compiler import TARGETS, stages_of

OPTIONS = [
    {"target": "cpu"},
    {"target": "cpu", "abi": "plain", "vector_bytes": 0, "debug": True},
    # The stages for SVE are those for `aarch64`, but for the name.
    *({"target": target} for target in TARGETS[1:] if "sve" not in target),
]
TEXT = """
func @scale(%alpha: f32, %A: group<memref<f32x16x8>x?>, %B: memref<f32x16x8x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f32x16x8>
  %b = subview %B[:,:,%g] : memref<f32x16x8>
  %t = alloca : memref<f32x16x8,local>
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  axpby.n %alpha, %a, %zero, %t
  axpby.n %one, %t, %one, %b
}
"""


def parse(text):
    return tt.Context().parse(text)


def check(named_texts):
    """Check programs, one set of options after the other; returns how many were lowered."""
    count = 0
    failures = {}
    for number, (name, text) in enumerate(named_texts):
        options = OPTIONS[number % len(OPTIONS)]
        try:
            module = parse(text)
            module.lower("gpu", **options)
        except tt.LoweringError:  # the target lacks a type or local memory
            continue
        count += 1
        if found := differences(module, **options):
            failures[name, str(options)] = found
    assert failures == {}
    return count


def test_the_bench_suite():
    cases = list(all_cases().values())
    chosen = cases[:: 5 if profiles.IS_NIGHTLY else 15]
    assert check((case.name, case.ours.text) for case in chosen) > len(chosen) // 2


@pytest.mark.similar
@pytest.mark.parametrize("target", ["intel-gpu:pvc", "intel-gpu:dg2"])
@pytest.mark.parametrize("types", ["f16 f16", "bf16 f32", "i8 i32"])
def test_products_on_matrix_units(target, types):
    """Their sums are vectors of eight numbers, which loops carry."""
    type_, result = types.split()
    scalar = "1" if type_ == "i8" else "1.0"
    text = f"""func @f(%A: memref<{type_}x64x64>, %B: memref<{type_}x64x64>,
        %C: memref<{result}x64x64>) {{
      %alpha = constant {scalar} : {type_}
      %beta = constant {scalar} : {result}
      gemm %alpha, %A, %B, %beta, %C
    }}"""
    module = parse(text)
    assert differences(module, target=target) == []
    lowered = str(module.lower("spirv", target=target))
    assert "vector<4xi64>, Function" in lowered


@pytest.mark.parametrize("part", range(4))
def test_cases_of_the_device_tests(part):
    cases = device_cases()
    chosen = cases[part :: len(cases) // (25 if profiles.IS_NIGHTLY else 5)]
    assert check((case.name, case.text("k")) for case in chosen) > len(chosen) // 3


def test_random_programs():
    last = 1020 if profiles.IS_NIGHTLY else 1005
    assert check((seed, random_case(seed).text("k")) for seed in range(1000, last)) > 2


@pytest.mark.parametrize("first", range(0, 60 if profiles.IS_NIGHTLY else 10, 10))
def test_random_programs_of_all_instructions(first):
    seeds = range(first, first + 10)
    assert check((seed, programs.generate(random.Random(seed))) for seed in seeds) > 2


STAGES = [(target, stage) for target in ("cpu", "cuda") for stage in stages_of(target)[1:]]


@pytest.mark.parametrize("abi", ["packed", "plain"])
@pytest.mark.parametrize(("target", "stage"), STAGES)
def test_lower_with_the_options_of_compile(target, stage, abi):
    module = parse(TEXT)
    lowered = module.lower(stage, target=target, abi=abi)
    assert contents(lowered.compile()) == contents(module.compile(target, abi=abi))


def test_the_first_stage_keeps_names():
    module = parse(TEXT)
    again = tt.Context().parse_mlir(str(module))
    assert again.stage == "tinytc"
    assert contents(again.compile("cpu")) == contents(module.compile("cpu"))


@pytest.mark.parametrize("middle", ["prepared", "linalg", "gpu"])
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_lower_step_by_step(middle, target):
    module = parse(TEXT)
    lowered = module.lower(middle, target=target)
    stages = stages_of(target)
    for stage in stages[stages.index(middle) :]:
        assert str(lowered.lower(stage)) == str(module.lower(stage, target=target))


@pytest.mark.similar
@pytest.mark.parametrize("middle", ["prepared", "linalg", "gpu"])
@pytest.mark.parametrize(("target", "last"), [("cpu", "spirv"), ("cuda", "nvvm"), ("cuda", "ptx")])
def test_pipelines_of_tinytc_opt(middle, target, last):
    module = parse(TEXT)
    command = [find_opt(), f"--{middle}-to-{last}", "-"]
    text = str(module.lower(middle, target=target))
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert contents(tt.Context().parse_mlir(output.stdout).compile()) == contents(
        module.lower(last, target=target).compile()
    )


@pytest.mark.parametrize("options", [(), ("--vector-bytes", 16, "--debug")], ids=str)
@pytest.mark.parametrize("stage", stages_of("cpu")[1:])
def test_the_command_line(stage, options, tinytc, tmp_path):
    file, lowered = tmp_path / "scale.ir", tmp_path / "lowered.mlir"
    file.write_text(TEXT)
    assert tinytc("lower", file, "--to", stage, *options, "-o", lowered)[::2] == (0, "")
    for source in (file, lowered):
        given = options if source == file else ()
        command = ("compile", source, *given, "--emit", "spirv", "-o", source.with_suffix(".spv"))
        assert tinytc(*command) == (0, "", "")
    assert file.with_suffix(".spv").read_bytes() == lowered.with_suffix(".spv").read_bytes()


def test_refused_stages():
    lowered = parse(TEXT).lower("gpu")
    with pytest.raises(tt.LoweringError, match="expected a module of stage 'linalg' or an earlier"):
        lowered.lower("linalg")
    with pytest.raises(tt.LoweringError, match="of stage 'nvvm' or an earlier one, got 'spirv'"):
        lowered.lower("spirv").lower("nvvm")
    with pytest.raises(
        tt.LoweringError, match="expected a target of the family 'nvidia_gpu', got 'cpu'"
    ):
        lowered.lower("ptx")
    with pytest.raises(tt.LoweringError, match="was lowered for the target 'intel-gpu:pvc', got"):
        lowered.compile("intel-gpu:pvc")
    assert lowered.compile("cpu").spirv


NO_KERNELS = {
    "tinytc": "func.func private @f()",
    "linalg": "module { }",
    "gpu": "gpu.module @kernels { }",
    "spirv": "spirv.module Physical64 OpenCL requires #spirv.vce<v1.4, [Kernel], []> { }",
}


@pytest.mark.parametrize("text", NO_KERNELS.values(), ids=NO_KERNELS)
def test_a_module_without_kernels_is_an_error(text, tinytc, tmp_path):
    with pytest.raises(tt.LoweringError, match="expected a (module|program) with a .*, got"):
        tt.Context().parse_mlir(text).compile("cpu")
    file = tmp_path / "empty.mlir"
    file.write_text(text)
    status, _, errors = tinytc("compile", file)
    assert status == 1
    assert "expected a" in errors


# Without it, a func.func is a kernel that has not been lowered: its group is no memref of scalars.
UNDESCRIBED = {
    "linalg": "parameter 1: expected a scalar element type",
    "gpu": "expected the kernel 'scale' to have the attribute 'tinytc.manifest', got none",
    "spirv": "expected the kernel 'scale' to have the attribute 'tinytc.manifest', got none",
}


@pytest.mark.parametrize("stage", UNDESCRIBED)
def test_a_kernel_without_description_is_an_error(stage):
    text = str(parse(TEXT).lower(stage)).replace("tinytc.manifest =", "other.manifest =")
    with pytest.raises(tt.LoweringError, match=UNDESCRIBED[stage]):
        tt.Context().parse_mlir(text).compile("cpu")


DECIDED = [
    *({"debug": True}, {"vector_bytes": 64}, {"registers": 256}, {"tuned": True}),
    {"allow_tf32": True},
    {"abi": "plain"},
]


@pytest.mark.parametrize("options", DECIDED, ids=str)
@pytest.mark.parametrize("stage", ["prepared", "gpu", "spirv"])
def test_options_of_a_lowered_module(stage, options):
    """They were decided when the program was prepared."""
    lowered = parse(TEXT).lower(stage, target="cpu")
    ((name, value),) = options.items()
    message = (
        f"stage 'tinytc' for {name}={value!r}, got one of stage {stage!r}: .* give it to `lower`"
    )
    with pytest.raises(tt.LoweringError, match=message):
        lowered.compile("cpu", **options)
    with pytest.raises(tt.LoweringError, match=message):
        lowered.lower("spirv", **options)
    if name == "debug":
        with pytest.raises(tt.LoweringError, match=message):
            lowered.explore(**options)
    with pytest.raises(tt.LoweringError, match="lowered for the target 'intel-gpu:pvc'"):
        lowered.explore("intel-gpu:pvc")


@pytest.mark.parametrize("command", ["lower", "compile", "run"])
def test_options_of_commands_for_a_lowered_file(command, tinytc, tmp_path):
    file = tmp_path / "scale.mlir"
    file.write_text(str(parse(TEXT).lower("gpu", target="cpu")))
    options = [("--debug",), ("--vector-bytes", 64), ("--registers", 256), ("--tuned",)]
    options.append(("--allow-tf32",))
    if command == "lower":
        options.append(("--abi", "plain"))
    if command == "compile":
        options.append(("--emit", "spirv-mlir", "--debug"))
    for words in options:
        status, _, errors = tinytc(command, file, *words)
        switch = [word for word in words if str(word).startswith("--")][-1]
        assert status == 2
        assert f"scale.mlir: expected a module of stage 'tinytc' for {switch}, got one of" in errors
