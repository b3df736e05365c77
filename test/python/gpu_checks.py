"""What the code of kernels for Intel's GPUs must keep to."""

import dataclasses
import functools
import json
import pathlib
import re
from collections.abc import Callable

import accepted_code
import tinytc_mlir as tt
from tinytc_bench import ocloc_counts
from tinytc_bench.cases import all_cases
from tinytc_mlir.explore import ocloc

COUNTS = pathlib.Path(__file__).parents[2] / "docs" / "measurements" / "intel_gpus.json"
TYPES = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "c32", "c64"]
ELEMENTWISE = ["axpby.n", "axpby.t", "hadamard_product", "ger"]
SUMS = ["sum.n", "sum.t", "gemv.t", "cumsum 0", "cumsum 1"]
_REGISTERS = 128


@dataclasses.dataclass(frozen=True)
class Check:
    """Kernels, and what their code must keep to.

    Args:
        name: what it is of; no two have the same.
        text: the program.
        gpu: a name of `ocloc_counts.COUNTED`.
        registers: how many a thread may have.
        verify: takes the counts by kernel.
    """

    name: str
    text: str
    gpu: str
    registers: int
    verify: Callable[[dict], None]

    def run(self):
        """Compile; check the code unless it is known to keep to that."""
        device = ocloc.DEVICES[self.gpu].name
        spirv = tt.Context().parse(self.text).compile(device, registers=self.registers).spirv

        def verify():
            self.verify(ocloc_counts.measure(spirv, self.gpu, registers=self.registers))

        accepted_code.check_once(self.name, spirv, verify)


@functools.cache
def documented():
    """Return the rows of the table of counts by case, kernel, GPU and registers.

    `tinytc bench gpu --tables` writes it: a change that is worth more instructions in some cases
    replaces it.
    """
    table = json.loads(COUNTS.read_text(encoding="utf-8"))["kernels"]
    found = (dict(zip(table["columns"], row, strict=True)) for row in table["rows"])
    return {(row["case"], row["kernel"], row["GPU"], row["registers"]): row for row in found}


def suite_check(name, gpu, registers):
    """Return the check that a case of the bench has no more instructions than the page says."""
    source = all_cases()[name].ours

    def verify(found):
        assert set(source.kernels) <= set(found)
        for kernel, counts in found.items():
            known = documented()[name, kernel, gpu, registers]
            assert counts["spilled_bytes"] == 0
            # A twentieth, for other versions of ocloc.
            assert counts["instructions"] <= 1.05 * known["instructions"] + 5
            assert counts["messages"] <= 1.05 * known["sends"] + 1
            if fmas := counts["loop_multiply_adds_of_16"]:
                assert counts["loop_instructions"] <= 1.05 * known["an FMA"] * fmas + 5

    text = source.text_for_gpus
    return Check(f"{name} {gpu} {registers}", text, gpu, registers, verify)


def square(instruction, type_, is_known):
    """Return a program with an instruction on matrices of 32 x 32.

    alpha and beta are 1, or parameters: C is only read then if beta is not zero.
    """
    matrix, vector = f"memref<{type_}x32x32>", f"memref<{type_}x32>"
    word = re.split("[. ]", instruction)[0]
    x = vector if word == "ger" else matrix
    y = vector if word in ("ger", "gemv") else matrix
    c = vector if word in ("sum", "gemv") else matrix
    factors = "%x, %y" if word in ("hadamard_product", "ger", "gemv") else "%x"
    instruction, *mode = instruction.split()
    one = {"i": "1", "c": "[1.0, 0.0]"}.get(type_[0], "1.0")
    scalars = f"%a: {type_}, %b: {type_}, "
    constants = f"%a = constant {one} : {type_} %b = constant {one} : {type_}"
    return f"""func @f({"" if is_known else scalars}%x: {x}, %y: {y}, %C: {c}) {{
        {constants if is_known else ""}
        {instruction} %a, {", ".join([factors, *mode])}, %b, %C
    }}"""


def square_checks(instruction, type_, is_known):
    """Return the checks that an instruction has ten messages at most, for all GPUs."""
    most = 12 if (instruction, type_) == ("gemv.t", "c64") else 10

    def verify(found):
        assert found["f"]["messages"] <= most

    text = square(instruction, type_, is_known)
    scalars = "constants" if is_known else "parameters"
    return [
        Check(f"{instruction} {type_} {scalars} {gpu}", text, gpu, _REGISTERS, verify)
        for gpu in ocloc_counts.gpus_for(text)
    ]


def pairs():
    """Return the cases of the bench and the GPUs that they can run on."""
    return [
        (name, gpu)
        for name, case in all_cases().items()
        for gpu in ocloc_counts.gpus_for(case.ours.text_for_gpus)
    ]
