"""The reader of SPIR-V says what `spirv-dis` prints."""

import re
import shutil
import subprocess

import pytest

import profiles
import tinytc_mlir as tt
from cases.case import halves, parse
from cases.compiled_cases import device_cases, fitting
from tinytc_mlir.emulators.spirv.words import instructions

TARGET, BATCH = "intel-gpu:pvc", 16
STEP = 4 if profiles.IS_NIGHTLY else 200
LINE = re.compile(r"(?:%(\d+) = )?Op(\w+)\s*(.*)")
COMMAND = ("spirv-dis", "--raw-id", "--no-color", "--no-header", "--no-indent", "-")
#: Instructions of which the emulator needs less than is there.
OTHERS = re.compile(
    r"Capability|EntryPoint|Extension|ExtInstImport|MemoryModel|.*Merge|Constant|Function|Name|Source|String"
)


def printed(code):
    """Yield result, name and words of instructions."""
    listing = subprocess.run(COMMAND, input=code, capture_output=True, check=True).stdout.decode()
    for line in listing.splitlines():
        result, name, words = LINE.match(line.strip()).groups()
        words = words.replace('"', "").replace("|", " ").replace("LinkageAttributes", "Linkage")
        yield result and int(result), name, words


@pytest.mark.skipif(shutil.which("spirv-dis") is None, reason="there is no spirv-dis")
def test_words():
    cases = [fitting(case, TARGET) for case in device_cases()[::STEP]]
    failures = []
    chosen = [case for case in cases if case is not None]
    for first in range(0, len(chosen), BATCH):
        some = chosen[first : first + BATCH]
        for _, code in halves(some, lambda part: parse(part).compile(TARGET).code, failures):
            pairs = zip(instructions(code), printed(code), strict=True)
            for found, (result, name, words) in pairs:
                if OTHERS.fullmatch(name):
                    continue
                assert (found.result, found.name, " ".join(found.words)) == (result, name, words)


def test_an_unknown_instruction_keeps_its_number():
    code = tt.compile("func @f() {}", target=TARGET).code
    found = list(instructions(code + (2 << 16 | 999).to_bytes(4, "little") + bytes(4)))[-1]
    assert str(found) == "Op999 0"
