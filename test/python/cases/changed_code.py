"""Kernels whose code for GPUs is changed by hand, one instruction at a time."""

import re

import numpy as np

import tinytc_mlir as tt
from cases.case import parse
from cases.verified_cases import subject_of
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.emulators import emulated
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.verification import machine_code
from tinytc_mlir.verification.data import different, integers
from tinytc_mlir.verification.machine_code import launch_emulated

HEAD = """
func @k(%alpha: f32, %beta: f32, %A: memref<f32x5x7x?>, %B: memref<f32x7x6x?>,
        %C: memref<f32x5x6x?>, %D: memref<f32x5x6x?>, %x: memref<f32x5x?>, %y: memref<f32x7x?>) {{
  %g = builtin.group_id : index
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %a = subview %A[0:5,0:7,%g] : memref<f32x5x7>
  %b = subview %B[0:7,0:6,%g] : memref<f32x7x6>
  %c = subview %C[0:5,0:6,%g] : memref<f32x5x6>
  %d = subview %D[0:5,0:6,%g] : memref<f32x5x6>
  %v = subview %x[0:5,%g] : memref<f32x5>
  %w = subview %y[0:7,%g] : memref<f32x7>
  {body}
}}"""
BODIES = (
    "gemm.n.n %alpha, %a, %b, %beta, %c",
    "gemm.t.n %alpha, %c, %d, %zero, %t\n  gemm.n.n %beta, %d, %t, %alpha, %c",
    "gemm.n.t %one, %c, %d, %zero, %s\n  gemv.n %one, %s, %v, %zero, %p\n"
    "  axpby.n %one, %p, %one, %v",
    "gemm.t.t %alpha, %b, %a, %zero, %r\n  axpby.t %beta, %r, %one, %d",
    "gemv.n %alpha, %a, %w, %beta, %v",
    "gemv.t %alpha, %a, %v, %beta, %w",
    "ger %alpha, %v, %w, %beta, %a",
    "axpby.n %alpha, %c, %beta, %d",
    "hadamard_product %alpha, %c, %d, %beta, %c",
    "sum.n %alpha, %a, %beta, %v",
    "sum.t %alpha, %a, %beta, %w",
    "cumsum %alpha, %c, 0, %beta, %d",
    "cumsum.reverse %alpha, %c, 1, %beta, %d",
    "syrk.l.n %alpha, %c, %beta, %s\n  gemv.n %one, %s, %v, %zero, %p\n"
    "  axpby.n %one, %p, %one, %v",
    "for %i = 0, 3 {\n    gemv.n %alpha, %a, %w, %beta, %v\n  }",
    """foreach (%i, %j) = (0, 0), (5, 6) {
    %m = load %c[%i,%j] : f32
    %n = load %d[%i,%j] : f32
    %q = arith.mul %m, %n : f32
    %o = arith.sub %q, %m : f32
    store %o, %c[%i,%j]
  }""",
    """foreach (%i) = (0), (5) {
    %m = for %j = 0, 7 init(%n = %alpha) -> (f32) {
      %q = load %a[%i,%j] : f32
      %o = arith.add %n, %q : f32
      yield (%o)
    }
    store %m, %v[%i]
  }""",
    "trmm.l.n %alpha, %s, %v",
    "gemm.n.n %one, %a, %b, %zero, %c2\n  hadamard_product %alpha, %c2, %d, %beta, %c",
    "axpby.n %alpha, %v, %beta, %v\n  axpby.n %beta, %w, %alpha, %w",
)
_LOCAL = {
    "%t": ("f32x6x6", ""),
    "%s": ("f32x5x5", "gemm.n.t %one, %c, %d, %zero, %s"),
    "%p": ("f32x5", ""),
    "%r": ("f32x6x5", ""),
    "%c2": ("f32x5x6", ""),
}
"""Temporaries, and what they hold at first."""


def program(body):
    """Return a kernel with the temporaries that it names."""
    lines = []
    for name, (type_, first) in _LOCAL.items():
        if re.search(rf"{name}\b", body):
            lines.append(f"%{name[1:]} = alloca : memref<{type_}>")
            lines += [first] if first else []
    return HEAD.format(body="\n  ".join([*lines, body]))


PTX = {
    "factor": (r"fma\.rn\.f32 \t?(%\w+), (%\w+), (%\w+), ", r"fma.rn.f32 \1, \2, \2, "),
    "sum": (r"fma\.rn\.f32 \t?(%\w+), (%\w+), (%\w+), %\w+;", r"mul.rn.f32 \1, \2, \3;"),
    "sign": (r"add\.rn\.f32", "sub.rn.f32"),
    "product": (r"mul\.rn\.f32 \t?(%\w+), (%\w+), (%\w+);", r"mul.rn.f32 \1, \2, \2;"),
    "load": (r"(ld\.global\S*\.b32 \t?%\w+, \[%\w+)(?:\+\d+)?\]", r"\1+12]"),
    "store": (r"(st\.global\S*\.b32 \t?\[%\w+)(?:\+\d+)?\]", r"\1+12]"),
    "condition": (r"setp\.gt\.", "setp.ge."),
}
"""Instructions of PTX, and what replaces them."""
_EXT_INST, _ADD, _SUB, _MUL, _CHAINS, _LESS, _LESS_EQUAL = 12, 129, 131, 133, (67, 70), 177, 179
_FMA = (26, 42)
_HEADER_WORDS = 5


def changed_ptx(code, kind, rng):
    """Return PTX with a fault in the last kernel, which is what runs; None if there is no place."""
    text = code.decode()
    pattern, replacement = PTX[kind]
    start = text.rindex(".entry ")
    places = [each.start() for each in re.finditer(pattern, text) if each.start() > start]
    if not places:
        return None
    place = rng.choice(places)
    return (text[:place] + re.sub(pattern, replacement, text[place:], count=1)).encode()


def _sites(words):
    """Yield the place and the opcode of each instruction of SPIR-V."""
    place = _HEADER_WORDS
    while place < len(words):
        yield place, int(words[place]) & 0xFFFF
        place += int(words[place]) >> 16


def _is_fma(words, place, opcode):
    return opcode == _EXT_INST and int(words[place + 4]) in _FMA


SPIRV = {
    "factor": (_is_fma, lambda words, place, _: words.__setitem__(place + 6, words[place + 5])),
    "sum": (_is_fma, lambda words, place, _: words.__setitem__(place + 7, words[place + 5])),
    "sign": (
        lambda words, place, opcode: opcode == _ADD,
        lambda words, place, _: words.__setitem__(place, words[place] - _ADD + _SUB),
    ),
    "product": (
        lambda words, place, opcode: opcode == _MUL,
        lambda words, place, _: words.__setitem__(place + 4, words[place + 3]),
    ),
    "index": (
        lambda words, place, opcode: opcode in _CHAINS,
        lambda words, place, before: words.__setitem__(place + 4, words[before + 4]),
    ),
    "condition": (
        lambda words, place, opcode: opcode == _LESS,
        lambda words, place, _: words.__setitem__(place, words[place] - _LESS + _LESS_EQUAL),
    ),
}
"""Of each kind, whether an instruction of SPIR-V can have the fault, and what makes it."""


def changed_spirv(code, kind, rng):
    """Return SPIR-V with a fault; None if there is no place for it."""
    words = np.frombuffer(code, np.uint32).copy()
    fits, change = SPIRV[kind]
    places = [place for place, opcode in _sites(words) if fits(words, place, opcode)]
    if len(places) < 2:
        return None
    number = rng.randrange(1, len(places))
    change(words, places[number], places[number - 1])
    return words.tobytes()


KINDS = {"cuda:sm_90": (changed_ptx, PTX), "intel-gpu:pvc": (changed_spirv, SPIRV)}
"""What changes code for a target, and the kinds of changes."""


class CodeSuspect:
    """A case of the device tests whose code for a GPU gets faults, one at a time.

    Args:
        case: the case.
        target: name of a target of `KINDS` that it fits.
    """

    def __init__(self, case, target):
        module = parse([case])
        self._subject = subject_of(case, GpuStage(module, target=target), module)
        self._program, self._target = module.compile(target), target

    def outcome(self, kind, rng):
        """Return "found", "missed", "refused", "not shown" or "equivalent"; None: no place."""
        code = KINDS[self._target][0](self._program.code, kind, rng)
        if code is None:
            return None
        changed = tt.Program(code, self._program.manifest)
        try:
            claim = machine_code.claim_for(self._subject, changed["k0"], self._target, 0)
            if claim.outcome is Outcome.WRONG:
                return "found"
            if claim.outcome is Outcome.UNSHOWN:
                return "not shown"
            return "equivalent" if self._is_equivalent(changed) else "missed"
        except tt.TinyTCError:
            return "refused"

    def _is_equivalent(self, changed):
        """Return whether both programs leave the same on more small numbers."""
        info, subject = self._subject.info, self._subject
        with emulated(self._target) as queue:
            for seed in range(4):
                runs = []
                for each in (self._program, changed):
                    runs.append(integers(info, subject.values, 100 + seed, (1, 9)[seed % 2]))
                    launch_emulated(each["k0"], queue, runs[-1], subject.groups, is_shifted=False)
                if different(*runs, info):
                    return False
        return True
