"""Forms of PTX: each that the emulator's table has runs, and others are unknown."""

import ctypes
import itertools
import random
import re

import pytest

import profiles
from tinytc_mlir.emulators.findings import FINDINGS, Fault, Unsupported
from tinytc_mlir.emulators.memory import ARENA
from tinytc_mlir.emulators.ptx.compiler import Compiled
from tinytc_mlir.emulators.ptx.forms import FORMS, expanded
from tinytc_mlir.emulators.ptx.launch import Launch
from tinytc_mlir.emulators.ptx.module import Module

LINE = 16
"""That of the first instruction under test."""
PTX = """
.version 8.0
.target sm_90
.address_size 64
.const .align 16 .b8 table[64];
.visible .entry kernel(.param .align 16 .b8 out[64])
{{
    .reg .pred %p<9>;
    .reg .b16 %rs<9>;
    .reg .b32 %r<99>;
    .reg .b64 %rd<99>;
    .shared .align 16 .b8 tile[64];
    .local .align 16 .b8 place[64];
    ld.param.b64 %rd90, [out];
    mov.b32 %r1, 1;
    {code}
after:
    ret;
}}
"""
REFUSED = """
bar.red.popc.u32 %r1, 0, %p1
bar.arrive 0, 64
bar.sync 1
bar.sync 0, 64
bar.sync %r1
barrier.sync 2
fma.rn.relu.f16 %rs1, %rs2, %rs3, %rs4
add.sat.s32 %r1, %r2, %r3
add.cc.u32 %r1, %r2, %r3
addc.u32 %r1, %r2, %r3
add.rz.f32 %r1, %r2, %r3
add.rn.f32x2 %rd1, %rd2, %rd3
fma.rn.f32x2 %rd1, %rd2, %rd3, %rd4
cvt.rz.f16x2.f32 %r1, %r2, %r3
cvt.rna.tf32.f32 %r1, %r2
cvt.rz.f32.f64 %r1, %rd2
cvt.rn.satfinite.e4m3x2.f32 %rs1, %r2, %r3
cvt.sat.f32.f32 %r1, %r2
cvt.rn.relu.bf16x2.f32 %r1, %r2, %r3
cvt.ftz.f64.f32 %rd1, %r2
mov.b128 %rd1, {%rd2, %rd3}
div.rp.f32 %r1, %r2, %r3
div.rm.f64 %rd1, %rd2, %rd3
max.xorsign.abs.f32 %r1, %r2, %r3
max.f32 %r1, %r2, %r3, %r4
min.ftz.f32 %r1, %r2, %r3
redux.sync.max.f32 %r1, %r2, -1
redux.sync.mul.s32 %r1, %r2, -1
ex2.approx.ftz.f32 %r1, %r2
shfl.sync.swap.b32 %r1, %r2, 1, 31, -1
shfl.bfly.b32 %r1, %r2, 1, 31
prmt.b32.f4e %r1, %r2, %r3, %r4
lop3.and.b32 %r1|%p1, %r2, %r3, %r4, 1, %p2
setp.lt.f32 %p1|%p2, %r1, %r2
setp.lt.b32 %p1, %r1, %r2
slct.f32.s32 %r1, %r2, %r3, %r4
ld.b32 %r1, [%rd90]
ld.global.cv.b32 %r1, [%rd90]
ld.shared::cluster.b32 %r1, [%r2]
ld.mmio.relaxed.sys.global.b32 %r1, [%rd90]
discard.global.L2 [%rd90], 128
ld.global.v2.b32 <3>, [%rd90]
ld.global.b128 %rd1, [%rd90]
st.global.wt.b32 [%rd90], %r1
st.async.weak.b32 [%r1], %r2, [%r3]
atom.global.add.v2.f32 <2>, [%rd90], <2>
red.async.relaxed.add.u32 [%r1], %r2
atom.global.add.noftz.f16x2 %r1, [%rd90], %r2
atom.global.cas.b128 %r1, [%r2], %r3, %r4
mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 <4>, <2>, <1>, <4>
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 <4>, <4>, <2>, <4>
mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 <4>, <2>, <2>, <4>, %r9, 0
cp.async.ca.shared.global [%r1], [%rd90], 16, %p1
cp.async.cg.shared.global [%r1], [%rd90], 8
cp.async.bulk.shared.global [%r1], [%rd90], 16, [%r2]
cp.async.mbarrier.arrive.b64 [%r1]
testp.subnormal.f32 %p1, %r1
call.uni helper, ()
vote.sync.all.pred %p1, 1, -1
add.s32 %r1, %rs1, %r2
add.f32 %r1, %rd1, %r2
add.s32 %rs1, %r2, %r3
and.b32 %r1, %p1, %r2
selp.b32 %r1, %r2, %r3, %r4
mov.b32 %q1, 0
add.f32 %r1, %r2, 0d3FF0000000000000
add.f32 %r1, %r2, 1
mov.u32 %r1, %clock
mov.b32 %r1, nowhere
bra nowhere
@%r1 mov.b32 %r2, 0
@%p1 bar.sync 0
shfl.sync.bfly.b32 %rd1, %rd2, 1, 31, -1
"""
WIDTHS = {16: "%rs", 32: "%r", 64: "%rd"}
ADDRESSES = {
    "shared": "tile",
    "global": "%rd90",
    "const": "table",
    "param": "out",
    "local": "place",
}


def compiled(code):
    """Return what the emulator makes of instructions."""
    (entry,) = Module(PTX.format(code=code)).entries.values()
    entry.compiled = Compiled(entry)
    return entry


def run(entry):
    """Launch a warp; findings do not count here, faults of addresses neither."""
    address = ARENA.allocate(64)
    try:
        Launch(entry, (1, 1, 1), (32, 1, 1), {"out": bytes(ctypes.c_uint64(address)) * 8}, 0)
    except Fault as fault:
        assert str(fault) in ("misaligned", "trap")
    finally:
        ARENA.free(address)
        FINDINGS.start()


def vector(register, first, count):
    """Return registers in braces."""
    return "{" + ", ".join(f"{register}{first + k}" for k in range(count)) + "}"


def operand(letter, width, number, words):
    """Return the text of an operand."""
    kind, count = letter[0], letter[1:]
    if count == "N":
        count = next((word[1:] for word in words if word in ("v2", "v4")), "")
    if kind == "m":
        space = next(
            (word for word in words if word in ADDRESSES and "shared" not in words), "tile"
        )
        if words[0] == "async" and number:
            space = "global"
        return f"[{ADDRESSES.get(space, space)}]"
    fixed = {"p": "!%p1", "q": "%p2", "n": "%p1", "e": "%r2|%p2", "i": "8", "0": "0", "l": "after"}
    if kind in fixed:
        return "16" if kind == "i" and "cg" in words else fixed[kind]
    if kind == "r" and not count:
        return "-1" if number > 1 or "warp" in words else "%r1"
    found = vector(WIDTHS[width], number + 1, int(count or 1))
    return found if count else found.strip("{}")


def texts(opcode, words, letters):
    """Yield an instruction of a form with registers of all widths."""
    free = [k for k, letter in enumerate(letters) if letter[0] in "dsr"]
    for widths in itertools.product(WIDTHS, repeat=len(free)):
        of = dict(zip(free, widths, strict=True))
        operands = [operand(each, of.get(k), k, words) for k, each in enumerate(letters)]
        yield f"{'.'.join((opcode, *words))} {', '.join(operands)};"


def test_each_form_runs():
    rng = random.Random(4)
    for opcodes, modifiers, operands in FORMS:
        several = list(itertools.product(opcodes.split(), expanded(modifiers)))
        for opcode, words in several if profiles.IS_NIGHTLY else rng.sample(several, 1):
            for text in texts(opcode, words, operands.split()):
                try:
                    entry = compiled(text)
                except Unsupported:
                    continue  # registers of these widths do not fit
                run(entry)
                break
            else:
                pytest.fail(f"no registers fit {opcode}.{'.'.join(words)}")


@pytest.mark.parametrize("text", REFUSED.strip().split("\n"))
def test_other_forms_are_unknown(text):
    text = re.sub("<(.)>", lambda count: vector("%r", 1, int(count[1])), text)
    with pytest.raises(Unsupported) as error:
        compiled(f"\n{text};")
    assert str(error.value) == f"'{text}' in line {LINE + 1}"


def test_unknown_declarations():
    text = PTX.format(code=".reg .b128 %q<3>;")
    with pytest.raises(Unsupported, match=f"'.reg .b128 %q<3>' in line {LINE}"):
        Module(text)
    with pytest.raises(Unsupported, match=".func"):
        Module(text.replace(".entry", ".func"))
