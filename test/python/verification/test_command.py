"""`tinytc verify`, and certificates in compiled programs."""

import dataclasses

import pytest

import tinytc_mlir as tt
from cases.verified_cases import GEMM
from tinytc_mlir.cli import main


def parsed(text):
    return tt.Context().parse(text)


def test_the_command(tmp_path, capsys):
    source, program = tmp_path / "gemm.ir", tmp_path / "gemm.tinytcb"
    source.write_text(GEMM)
    words = ["--target", "native", "--groups", "2", "-o", str(program), str(source)]
    assert main(["verify", *words]) == 0
    assert "shown      gpu stage: equal at 2 random points" in capsys.readouterr().out
    assert main(["verify", "--check", str(program)]) == 0
    (certificate,) = tt.load(program).certificates
    assert certificate.holds
    capsys.readouterr()
    assert main(["doctor", str(program)]) == 0
    assert str(certificate) in capsys.readouterr().out


def test_programs_verify_themselves(tmp_path):
    program = parsed(GEMM).compile("native")
    certificate = program.verify(parts=["stages", "machine"])
    assert certificate.holds
    path = tmp_path / "gemm.tinytcb"
    program.save(path)
    with pytest.raises(tt.TinyTCError, match="got one without its source"):
        tt.load(path).verify()
    manifest = dataclasses.replace(program.manifest, certificates=(certificate,))
    tt.Program(program.code, manifest).save(path)
    again = tt.load(path).verify(parts=["stages", "machine"])
    assert again == certificate


def test_the_code_of_a_program_is_what_is_run():
    program, other = parsed(GEMM).compile("native"), parsed(GEMM.replace("0.5", "0.25"))
    changed = tt.Program(other.compile("native").code, program.manifest)
    changed.source = program.source
    assert changed.verify(parts=["machine"]).is_wrong


def test_a_certificate_of_other_code_is_told(tmp_path, capsys):
    module = parsed(GEMM)
    program = module.compile("native")
    certificate = parsed(GEMM.replace("0.5", "0.25")).verify(target="native", parts=["stages"])
    manifest = dataclasses.replace(program.manifest, certificates=(certificate,))
    path = tmp_path / "other.tinytcb"
    tt.Program(program.code, manifest).save(path)
    assert main(["verify", "--check", str(path)]) == 1
    assert "the code is not what this version compiles" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--parts", "stage"], 1, "expected parts of stages, accesses"),
        (["--kernel", "gem"], 1, "expected one of the kernels gemm, got 'gem'; did you mean"),
        (
            ["--size", "B.2=1000000000000"],
            1,
            "argument 'B': expected sizes for which there is memory, got 7x6x1000000000000 of f32",
        ),
        (["--check"], 2, "expected a compiled program, got"),
    ],
)
def test_errors(words, status, message, tmp_path, capsys):
    source = tmp_path / "gemm.ir"
    source.write_text(GEMM)
    assert main(["verify", "--target", "native", *words, str(source)]) == status
    assert message in capsys.readouterr().err


def test_an_undefined_kernel_is_an_error(tmp_path, capsys):
    source = tmp_path / "race.ir"
    source.write_text("""
func @f(%x: memref<f32x4>) {
  %a = alloca : memref<f32x4>
  %one = constant 1.0 : f32
  axpby.n %one, %a, %one, %x
}""")
    assert main(["verify", "--target", "native", "--groups", "1", str(source)]) == 1
    assert "race.ir:5:3: error: expected element 0 of" in capsys.readouterr().err
