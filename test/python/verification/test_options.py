"""Programs are verified with the options that they were compiled with, and loops have a limit."""

import dataclasses
import re

import pytest

import tinytc_mlir as tt
from cases.verified_cases import GEMM
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.cli import main
from tinytc_mlir.measure.sample_data import SampleOptions
from tinytc_mlir.verification import options_of
from tinytc_mlir.verification.stages import LINALG, PREPARED

OPTIONS = {
    "native": [{"abi": "plain"}, {"debug": True}],
    "cpu": [{"vector_bytes": 16}, {"abi": "plain", "vector_bytes": 32}],
    "intel-gpu:pvc": [{"registers": 256}, {"allow_tf32": True}],
    "cuda:sm_90": [{"debug": True}],
}
STEPS = """
func @steps(%n: index, %A: memref<f32x4>) {
  %zero = constant 0 : index
  %two = constant 2.0 : f32
  %one = constant 1.0 : f32
  for %i=%zero,%n {
    axpby.n %two, %A, %one, %A
  }
}"""


def options():
    return [(target, given) for target, several in OPTIONS.items() for given in several]


@pytest.mark.parametrize(("target", "given"), options(), ids=str)
def test_options_of_programs(target, given):
    program = tt.Context().parse(GEMM).compile(target, **given)
    certificate = program.verify(parts=["stages", "machine"])
    assert certificate.holds, str(certificate)
    assert dict(certificate.options) == given
    subjects = [claim.subject for claim in certificate.claims]
    assert (PREPARED in subjects) != ("debug" in given)


def test_a_stage_of_other_options_is_another_one():
    module = tt.Context().parse(GEMM)
    plain, packed = (module.compile("cpu", abi=abi).verify() for abi in ("plain", "packed"))
    assert plain.options == (("abi", "plain"),)
    assert not packed.options
    assert all(claim.outcome is Outcome.SHOWN for claim in (*plain.claims, *packed.claims))


def test_the_command_repeats_options(tmp_path, capsys):
    source, path = tmp_path / "gemm.ir", tmp_path / "gemm.tinytcb"
    source.write_text(GEMM)
    words = ["--target", "cuda:sm_90", "--abi", "plain", "--parts", "stages", "-o", str(path)]
    assert main(["verify", *words, str(source)]) == 0
    assert main(["verify", "--check", str(path)]) == 0
    assert "gemm for cuda:sm_90, abi=plain, groups 3" in capsys.readouterr().out
    assert tt.load(path).verify(parts=["stages"]).options == (("abi", "plain"),)


def test_a_certificate_of_another_kernel_is_an_error():
    module = tt.Context().parse(GEMM)
    program = module.compile("native")
    certificate = module.verify(target="native", parts=["rounding"])
    for changes in ({"kernel": "other"}, {"shapes": certificate.shapes[:2]}):
        with pytest.raises(tt.TinyTCError, match="expected a certificate of a kernel of the progr"):
            options_of(dataclasses.replace(certificate, **changes), program)


def test_options_of_other_versions_are_errors(tmp_path, capsys):
    program = tt.Context().parse(GEMM).compile("native")
    certificate = program.verify(parts=["rounding"])
    changes = {"options": (("speed", 11),), "versions": (("tinytc", "9.9.0"),)}
    changed = dataclasses.replace(certificate, **changes)
    path = tmp_path / "gemm.tinytcb"
    manifest = dataclasses.replace(program.manifest, certificates=(changed,))
    tt.Program(program.code, manifest).save(path)
    message = (
        f"expected options of version {tt.__version__}, got 'speed' of version 9.9.0 in the "
        "certificate of gemm"
    )
    with pytest.raises(tt.TinyTCError, match=re.escape(message)):
        tt.load(path).verify()
    assert main(["verify", "--check", str(path)]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("steps", "has_loops"), [(2, True), (4000, False)])
def test_loops_of_unknown_size_have_a_limit(steps, has_loops):
    program = tt.Context().parse(STEPS).compile("cpu")
    options = SampleOptions(1, scalars={"n": steps})
    certificate = program.verify(options=options, parts=["stages"])
    outcomes = {claim.subject: claim.outcome for claim in certificate.claims}
    assert (LINALG in outcomes) == has_loops
    assert set(outcomes.values()) == {Outcome.TESTED}
