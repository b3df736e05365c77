"""`Module.verify` and `tinytc verify`: what is shown, and that what is wrong is found."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.verified_cases import GEMM
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification import PARTS, derivatives, machine_code
from tinytc_mlir.verification.dependence import depending_on_data
from tinytc_mlir.verification.exactness import Subject
from tinytc_mlir.verification.stages import Comparison

OTHERS = {
    "quotients": """
func @f(%x: memref<f64x9>, %y: memref<f64x9>) {
  foreach (%i) = (0), (9) {
    %a = load %x[%i] : f64
    %b = load %y[%i] : f64
    %c = arith.div %a, %b : f64
    %d = math.exp %c : f64
    store %d, %y[%i]
  }
}""",
    "complex": """
func @f(%alpha: c32, %x: memref<c32x4x3>, %y: memref<c32x3x5>, %z: memref<c32x4x5>) {
  gemm.n.n %alpha, %x, %y, %alpha, %z
}""",
    "half": """
func @f(%alpha: bf16, %x: memref<bf16x4x3>, %y: memref<bf16x3x5>, %z: memref<f32x4x5>) {
  gemm.n.n %alpha, %x, %y, %alpha, %z
}""",
    "sizes": """
func @f(%x: memref<c32x9>, %y: memref<f32x9>) {
  foreach (%i) = (0), (9) {
    %a = load %x[%i] : c32
    %b = arith.abs %a : f32
    store %b, %y[%i]
  }
}""",
    "gather": """
func @f(%x: memref<f32x9>, %at: memref<indexx4>, %y: memref<f32x4>) {
  foreach (%i) = (0), (4) {
    %j = load %at[%i] : index
    %a = load %x[%j] : f32
    store %a, %y[%i]
  }
}""",
}


def parsed(text):
    return tt.Context().parse(text)


def subject(module, target="native", groups=(2,)):
    info = module.compile(target)[next(iter(module.compile(target)))].info
    return Subject(module, info, sample_arguments(info, SampleOptions(groups)), groups)


def outcomes(certificate):
    return {claim.subject: claim.outcome for claim in certificate.claims}


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_everything_is_shown_of_a_product(target):
    certificate = parsed(GEMM).verify(target=target)
    assert certificate.holds, str(certificate)
    assert {claim.part for claim in certificate.claims} == set(PARTS)
    assert dict(certificate.shapes)["B"] == (7, 6, 3)


def test_as_many_groups_as_fit():
    text = GEMM.replace("x?>", "x2>")
    assert parsed(text).verify(target="native", parts=["stages"]).groups == (1, 1, 1)
    assert parsed(GEMM).verify(target="native", parts=["stages"]).groups == (3, 1, 1)


def test_what_needs_no_device():
    certificate = parsed(GEMM).verify(target="cuda:sm_90", parts=["stages", "accesses"])
    assert certificate.holds, str(certificate)


@pytest.mark.parametrize("name", ["complex", "half"])
def test_other_types(name):
    certificate = parsed(OTHERS[name]).verify(
        target="native", options=SampleOptions(1), parts=["stages", "accesses", "machine"]
    )
    assert certificate.holds, str(certificate)


def test_quotients_and_functions():
    certificate = parsed(OTHERS["quotients"]).verify(target="native", options=SampleOptions(1))
    found = outcomes(certificate)
    assert found["gpu stage"] is found["vjp against jvp"] is Outcome.SHOWN
    assert found["jvp against jets"] is Outcome.SHOWN
    assert found["rounding errors"] is Outcome.UNSHOWN
    assert not certificate.holds
    assert not certificate.is_wrong


def test_roots_are_not_exact():
    certificate = parsed(OTHERS["sizes"]).verify(target="native", options=SampleOptions(1))
    found = outcomes(certificate)
    assert found["gpu stage"] is Outcome.TESTED  # it compares sizes of the parts
    assert Outcome.UNSHOWN in {each for name, each in found.items() if name.startswith("code on")}


def test_addresses_that_depend_on_data():
    stage = GpuStage(parsed(OTHERS["gather"]), target="cpu")
    assert depending_on_data(stage.function("f")) == ["'memref.load' in line 5"]
    assert depending_on_data(GpuStage(parsed(GEMM), target="cpu").function("gemm")) == []


def test_code_of_another_program_is_wrong():
    module, other = parsed(GEMM), parsed(GEMM.replace("0.5", "0.25"))
    claim = machine_code.claim(subject(module), other.compile("native")["gemm"], 0, "code")
    assert claim.outcome is Outcome.WRONG
    assert "elements of C differ for integers up to" in claim.text


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [("_reverse", "gemm.n.t", "gemm.n.n"), ("_forward", "%alpha_tangent", "%alpha")],
)
def test_a_wrong_derivative_is_wrong(kind, old, new):
    module = parsed(re.sub(r"[57]\b|(?<=x)[57](?=x)", "6", GEMM).replace("0.6", "0.5"))
    checked = derivatives.Derivatives(module, subject(module), 0)
    assert all(claim.outcome is Outcome.SHOWN for claim in checked.claims())
    derivative = getattr(checked, kind)
    text = derivative.text
    places = [place for place in range(len(text)) if text.startswith(old, place)]
    changed = text[: places[-1]] + new + text[places[-1] + len(old) :]
    derivative.module = parsed(changed)
    assert any(claim.outcome is Outcome.WRONG for claim in checked.claims())


def test_rounding_errors_are_within_their_bound():
    module = parsed(GEMM)
    of = subject(module)
    rng = np.random.default_rng(2)
    values = {name: rng.uniform(0.5, 1, np.shape(each)) for name, each in of.values.items()}
    rounded = {
        name: np.asfortranarray(each, np.float32) if each.ndim else np.float32(each)
        for name, each in values.items()
    }
    exact = parsed(GEMM.replace("f32", "f64"))
    wide = {name: np.asarray(each, np.float64, order="F") for name, each in rounded.items()}
    wide["alpha"] = float(rounded["alpha"])
    tt.reference.interpret(exact, "gemm", wide, 2)
    module.compile("native")["gemm"](rounded, groups=2)
    bound = of.roundings()["C"]
    assert 7 < bound < 12  # seven products and sums, and those with alpha and beta
    error = np.max(np.abs(rounded["C"] - wide["C"]) / wide["C"])  # all numbers are positive
    assert error < bound * 2.0**-24


@pytest.mark.parametrize("type_", ["f32", "f64", "c64"])
def test_units_of_rounding_errors(type_):
    text = OTHERS["quotients"].replace("math.exp %c", "arith.mul %c, %b").replace("f64", type_)
    if type_ == "c64":
        text = text.replace("arith.div", "arith.mul")
    (units,) = subject(parsed(text), groups=(1,)).roundings().values()
    assert units == pytest.approx(4 if type_ == "c64" else 2)


@pytest.mark.parametrize("word", ["arith.max %a, %b", "arith.min %b, %a"])
def test_kernels_that_compare_are_tested(word):
    text = OTHERS["quotients"].replace("arith.div %a, %b", word).replace("math.exp", "arith.neg")
    certificate = parsed(text).verify(target="native", options=SampleOptions(1))
    found = {claim.part: claim.outcome for claim in certificate.claims}
    assert found["stages"] is found["machine"] is found["derivatives"] is Outcome.TESTED
    assert not certificate.holds


def test_arrays_of_integers_are_tested():
    text = GEMM.replace("%B: memref<f32", "%B: memref<i8").replace(
        ": memref<f32x7x6>", ": memref<i8x7x6>"
    )
    certificate = parsed(text).verify(target="native", parts=["stages", "machine"])
    assert {claim.outcome for claim in certificate.claims} == {Outcome.TESTED}
    assert "for one value of B" in certificate.claims[0].text


def stages_of(text, wrong):
    """Return the outcome of the gpu stage of a program in which another one was compiled."""
    module = parsed(text)
    comparison = Comparison(
        subject(module, groups=(1,)), GpuStage(parsed(wrong), target="native"), 0
    )
    return {claim.subject: claim.outcome for claim in comparison.claims()}["gpu stage"]


CONDITION = """
func @f(%a: f32, %b: f32, %n: i32, %B: memref<f32x1>) {
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  %at = constant 0 : index
  %first = cmp.eq %a, %zero : bool
  %second = cmp.eq %b, %zero : bool
  if %first {
    if %second {
      store %one, %B[%at]
    }
  }
}"""
SUM = """
func @f(%A: memref<f32x4>, %B: memref<f32>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  sum.n %one, %A, %zero, %B
}"""


def test_a_sum_that_is_wrong():
    assert stages_of(SUM, SUM) is Outcome.SHOWN
    assert stages_of(SUM, SUM.replace("= constant 1.0", "= constant 2.0")) is Outcome.WRONG


def test_conditions_on_several_scalars():
    wrong = CONDITION.replace("store %one", "store %zero")
    assert stages_of(CONDITION, wrong) is Outcome.WRONG


def test_roots_are_tested():
    root = OTHERS["quotients"].replace("arith.div %a, %b", "arith.mul %a, %a")
    root = root.replace("math.exp %c", "sqrt %c")
    assert stages_of(root, root) is Outcome.TESTED


def test_values_of_integers_are_named():
    certificate = parsed(CONDITION).verify(
        target="native", options=SampleOptions(1, scalars={"n": 3}), parts=["accesses"]
    )
    assert certificate.scalars == (("n", 3),)
    assert "values of n" in certificate.claims[0].text
    assert "n = 3" in str(certificate)


@pytest.mark.parametrize("word", ["mul", "div"])
def test_overflow_and_quotients_are_not_exact(word):
    text = f"""
func @f(%A: memref<f16x4>) {{
  %huge = constant 32768.0 : f16
  foreach (%i) = (0), (4) {{
    %a = load %A[%i] : f16
    %b = arith.{word} %a, %huge : f16
    %c = arith.mul %b, %huge : f16
    store %c, %A[%i]
  }}
}}"""
    found = parsed(text).verify(target="native", options=SampleOptions(1), parts=["machine"])
    assert [claim.outcome for claim in found.claims] == [Outcome.UNSHOWN]


def test_constants_that_the_compiler_rounds():
    text = OTHERS["quotients"].replace("math.exp %c", "arith.mul %c, %e")
    text = text.replace(
        "  foreach",
        """  %t = constant 0.1 : f64
  %u = constant 0.3 : f64
  %e = arith.mul %t, %u : f64
  foreach""",
    )
    certificate = parsed(text).verify(target="native", options=SampleOptions(1))
    assert not certificate.is_wrong, str(certificate)
    loop = "func @f(%A: memref<f32x4>) { for %i = 0, 4 { load %A[%i] : f32 } }"
    assert not subject(parsed(loop.replace("load", "%a = load")), groups=(1,)).folds


def test_numbers_of_16_bits_inside():
    text = (
        OTHERS["quotients"]
        .replace("f64", "f32")
        .replace("math.exp %c : f32", "cast %h : f32")
        .replace("    %d =", "    %h = cast %c : f16\n    %d =")
    )
    certificate = parsed(text).verify(target="native", options=SampleOptions(1))
    assert outcomes(certificate)["gpu stage"] is Outcome.SHOWN
