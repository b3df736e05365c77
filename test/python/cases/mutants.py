"""Faults that are put into IR of the gpu stage, one at a time, for verification to find."""

import re

from mlir import ir

from cases.case import parse
from cases.verified_cases import subject_of
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.verification.data import different, integers
from tinytc_mlir.verification.stages import Comparison

_ONE = "%mutant_one = arith.constant 1 : index\n"
_MOVED = _ONE + "%mutant_index = arith.addi {0}, %mutant_one : index\n"

KINDS = {
    "wrong index of a load": (
        *(r"memref\.load (%\S+)\[(%\w+)\]", r"memref.load \1[%mutant_index]"),
        2,
    ),
    "wrong index of a store": (r"(memref\.store .*)\[(%\w+)\]", r"\1[%mutant_index]", 2),
    "missing barrier": (r"gpu\.barrier.*", "", 0),
    "lost sum": (r"math\.fma (%\S+), (%\S+), (%[\w#]+)", r"arith.mulf \1, \2", 0),
    "wrong factor": (r"math\.fma (%\S+), (%\S+), ", r"math.fma \1, \1, ", 0),
    "swapped operand": (r"math\.fma (%\S+), (%[\w#]+), (%[\w#]+)", r"math.fma \1, \3, \2", 0),
    "wrong sign": (r"arith\.addf (%\S+), ", r"arith.subf \1, ", 0),
    "swapped difference": (r"arith\.subf (%[\w#]+), (%[\w#]+)", r"arith.subf \2, \1", 0),
    "dropped factor": (r"arith\.mulf (%\S+), (%[\w#]+)", r"arith.mulf \1, \1", 0),
    "wrong condition": (r"arith\.cmpi slt, ", "arith.cmpi sle, ", 0),
    "short loop": (r"(scf\.for .* = %\w+) to (%\w+) step", r"\1 to %mutant_index step", -2),
    "wrong constant": (r"(%cst\w* = arith\.constant) (\d.*) : (f\d+)", r"\1 7.0 : \3", 0),
}
"""Of each kind of fault the pattern of an instruction, what replaces it, and the moved index."""


def mutants(text):
    """Yield the kinds of faults that IR can have, with the lines that they change."""
    for number, line in enumerate(text.split("\n")):
        for kind, (pattern, _, _) in KINDS.items():
            if re.search(pattern, line):
                yield kind, number


def mutant(text, kind, number):
    """Return IR with a fault."""
    pattern, replacement, moved = KINDS[kind]
    lines = text.split("\n")
    index = re.search(pattern, lines[number]).group(abs(moved)) if moved else ""
    before = _MOVED.format(index) if moved else ""
    before = before.replace("addi", "subi") if moved < 0 else before
    lines[number] = before + re.sub(pattern, replacement, lines[number], count=1)
    return "\n".join(lines)


class Suspect:
    """A case of the device tests whose IR gets faults.

    Args:
        case: the case.
        target: name of a target that it fits.
    """

    def __init__(self, case, target):
        self._module = parse([case])
        self._stage = GpuStage(self._module, target=target)
        self._subject = subject_of(case, self._stage, self._module)
        self.text = str(self._stage.lowered)
        self.faults = list(mutants(self.text))

    def changed(self, kind, number):
        """Return the stage with a fault."""
        text = mutant(self.text, kind, number)
        changed = ir.Module.parse(text, self._stage.lowered.context)
        return self._stage.changed(changed.operation)

    def is_equivalent(self, stage):
        """Return whether runs on numbers of NumPy neither differ nor have findings."""
        name, subject = self._subject.info.name, self._subject
        for seed in range(4):
            runs = [integers(subject.info, subject.values, seed, (1, 9)[seed % 2]) for _ in "ab"]
            found = [
                each.check(name, values, subject.groups)
                for each, values in zip((self._stage, stage), runs, strict=True)
            ]
            if len(found[0]) != len(found[1]) or different(*runs, subject.info):
                return False
        return True

    def outcome(self, kind, number):
        """Return "found", "missed", "refused" by MLIR, or "equivalent"."""
        try:
            stage = self.changed(kind, number)
        except ir.MLIRError:
            return "refused"
        try:
            claims = list(Comparison(self._subject, stage, 1).claims())
            if any(claim.outcome is Outcome.WRONG for claim in claims):
                return "found"
            return "equivalent" if self.is_equivalent(stage) else "missed"
        except TinyTCError:
            return "found"
