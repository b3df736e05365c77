"""Damaged MLIR, and passes in any order: tinytc-opt ends with status 0 or 1, never otherwise.

TINYTC_FUZZ_SECONDS sets the number of seconds of the processor, TINYTC_FUZZ_SEED the seed.
"""

import os
import re

import pytest

import mlir_fuzzing
import profiles

SEED = int(os.environ.get("TINYTC_FUZZ_SEED", "0"))
OPT = mlir_fuzzing.find_opt()

# Functions of upstream that crash when code of ours calls them, with what they do wrong. Crashes
# without a function of ours on the stack, as in the inliner, are upstream's too.
UPSTREAM = {
    "SPIRVDialect::parseType": "an array of 0 elements in the text of a type",
    "parseDenseArrayAttr": "an assertion about `array<index: 1>`",
    "LLVM::AtomicRMWOp::parse": "an assertion about types that are no vectors",
    "linalg::GenericOp::parse": "assertions about iterator types that are not strings, and about "
    "uses of values of a region that does not parse",
    "parseDstStyleOp": "an assertion about dimensions that do not parse",
    "linalg::ReduceOp::parse": "the same",
    "linalg::BroadcastOp::parse": "the same",
    "linalg::TransposeOp::parse": "the same",
    "memref::ReinterpretCastOp::build": "an assertion about constant sizes below 0, by a folder",
    "gpu::GPUFuncOp::verifyBody": "an assertion about a number of attributions that is signed",
    "verifyAttributions": "reads arguments of a gpu.func without checking their number",
}

pytestmark = pytest.mark.skipif(OPT is None, reason="tinytc-opt is not built")


def is_upstream(errors):
    """Whether a crash is one of upstream."""
    # What is below MlirOptMain is main, which has no name in an installed binary.
    stack = errors.split("mlir::MlirOptMain(")[0]
    ours = re.findall(r"^ *#\d+ 0x\w+ .*tinytc-opt\+0x", stack, re.M)
    frames = "\n".join(mlir_fuzzing.top_frames(errors))
    return "Stack dump" in errors and (not ours or any(name in frames for name in UPSTREAM))


def test_status_is_0_or_1():
    pieces, flags = mlir_fuzzing.corpus(OPT), mlir_fuzzing.passes(OPT)
    assert len(pieces) > 300
    assert len(flags) > 20
    for number in profiles.fuzz_rounds():
        seed = f"{SEED} {number}"
        texts, chosen = mlir_fuzzing.batch(seed, pieces, flags)
        if mlir_fuzzing.run(OPT, mlir_fuzzing.SEPARATOR.join(texts), chosen)[0] in (0, 1):
            continue
        for text in texts:
            status, _, errors = mlir_fuzzing.run(OPT, text, chosen)
            message = f"seed {seed!r}, {' '.join(chosen)}: {status}\n{text}\n{errors}"
            assert status in (0, 1) or is_upstream(errors), message
    print(f"{number + 1} batches")
