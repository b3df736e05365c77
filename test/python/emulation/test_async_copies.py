"""Copies that threads do not wait for, on the emulator: controls without a wait or a barrier."""

import ctypes

import numpy as np
import pytest

from tinytc_mlir.emulators.findings import FINDINGS, Fault
from tinytc_mlir.emulators.memory import ARENA
from tinytc_mlir.emulators.ptx.launch import Launch
from tinytc_mlir.emulators.ptx.module import Module

THREADS, STAGES = 64, 3
CHANGE = "st.global.b32 [%rd2], %r1;"
SAME = "ld.global.b32 %r5, [%rd2]; st.global.b32 [%rd2], %r5;"
#: Each thread copies 16 bytes into a ring of stages, and reads what its neighbour has copied.
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in)
.reqntid 64, 1, 1
{{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .shared .align 16 .b8 ring[3072];
    ld.param.b64 %rd1, [out];
    ld.param.b64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 16;
    add.s64 %rd2, %rd2, %rd3;
    add.s64 %rd1, %rd1, %rd3;
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, ring;
    add.s32 %r2, %r2, %r3;
    xor.b32 %r4, %r1, 33;
    shl.b32 %r4, %r4, 4;
    add.s32 %r4, %r4, %r3;
    {code}
    ret;
}}
"""


def copies(number):
    stage = number % STAGES * 1024
    text = f"cp.async.cg.shared.global [%r2+{stage}], [%rd2+{number * 1024}], 16{{size}};"
    return text + "cp.async.commit_group;"


def ring(number, *, wait=True, barrier=True, size=""):
    """Return PTX that copies `number` pieces through the ring, two of them under way at a time."""
    pieces = [copies(step) for step in range(number)] + ["cp.async.commit_group;"] * 2
    lines = pieces[:2]
    for step in range(number):
        lines += ["cp.async.wait_group 1;"] * wait + ["bar.sync 0;"] * barrier
        lines.append(pieces[step + 2])
        lines.append(f"ld.shared.v2.b64 {{{{%rd4, %rd5}}}}, [%r4+{step % STAGES * 1024}];")
        lines.append(f"st.global.v2.b64 [%rd1+{step * 1024}], {{{{%rd4, %rd5}}}};")
    return PTX.format(code="\n".join(lines).format(size=size))


def run(ptx, number=5):
    """Return what comes out, what should, and the kinds of findings."""
    data = np.random.default_rng(5).integers(0, 2**63, (number, THREADS, 2)).astype(np.uint64)
    out, source = (ARENA.allocate(data.nbytes) for _ in range(2))
    ARENA.write(source, data.tobytes())
    FINDINGS.start()
    parameters = {"out": bytes(ctypes.c_uint64(out)), "in": bytes(ctypes.c_uint64(source))}
    Launch(Module(ptx).entries["kernel"], (1, 1, 1), (THREADS, 1, 1), parameters, 0)
    result = np.frombuffer(ARENA.read(out, data.nbytes), np.uint64).reshape(data.shape)
    ARENA.free(out)
    ARENA.free(source)
    return result, data[:, np.arange(THREADS) ^ 33], set(FINDINGS.by_kind)


def test_stages_bring_all_bytes():
    result, expected, findings = run(ring(5))
    assert (result == expected).all()
    assert not findings


def test_a_missing_wait_leaves_bytes_undefined():
    result, expected, findings = run(ring(5, wait=False))
    assert (result != expected).all()
    assert "uninitialised" in findings


def test_a_missing_barrier_is_a_race():
    assert "race" in run(ring(5, barrier=False))[2]


def test_bytes_beyond_the_source_are_zero():
    result, expected, findings = run(ring(1, size=", 8"), number=1)
    assert (result[..., 0] == expected[..., 0]).all()
    assert not result[..., 1].any()
    assert not findings


def test_only_bytes_that_are_read_must_exist():
    result, _, findings = run(ring(1, size=", 0").replace("[%rd2+0]", "[%rd2+1048576]"), number=1)
    assert not result.any()
    assert not findings
    with pytest.raises(Fault, match="out of bounds"):
        run(ring(1).replace("[%rd2+0]", "[%rd2+1048576]"), number=1)


@pytest.mark.parametrize(
    "store", [CHANGE, "ld.global.b32 %r5, [%rd2];" + CHANGE.replace("r1", "r5")]
)
def test_a_source_that_is_stored_to_before_the_wait_leaves_bytes_undefined(store):
    begin = ring(1).index("cp.async.wait_group")
    ptx = ring(1)[:begin] + store + ring(1)[begin:]
    result, expected, findings = run(ptx, number=1)
    assert "uninitialised" in findings
    assert (result != expected).all()
