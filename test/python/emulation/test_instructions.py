"""Single instructions of PTX, against numbers worked out by other means than the emulator's."""

import ctypes

import numpy as np
import pytest

from tinytc_mlir.emulators.findings import FINDINGS
from tinytc_mlir.emulators.memory import ARENA
from tinytc_mlir.emulators.ptx.launch import Launch
from tinytc_mlir.emulators.ptx.module import Module

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in)
{{
    .reg .pred %p<9>;
    .reg .b16 %rs<9>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .reg .b64 %fd<9>;
    ld.param.b64 %rd1, [out];
    ld.param.b64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 8;
    add.s64 %rd2, %rd2, %rd3;
    add.s64 %rd1, %rd1, %rd3;
    ld.global.b64 %rd4, [%rd2];
    cvt.u32.u64 %r2, %rd4;
    {code}
    st.global.b64 [%rd1], %rd5;
    ret;
}}
"""


def run(code, values):
    """Run a piece of code on words, with %rd4 and %r2 as its input and %rd5 as its result."""
    values = np.asarray(values).view(np.uint64)
    addresses = [ARENA.allocate(values.nbytes) for _ in range(2)]
    ARENA.write(addresses[1], values.tobytes())
    names = ("out", "in")
    parameters = {n: bytes(ctypes.c_uint64(a)) for n, a in zip(names, addresses, strict=True)}
    FINDINGS.start()
    entry = Module(PTX.format(code=code)).entries["kernel"]
    Launch(entry, (1, 1, 1), (len(values), 1, 1), parameters, 0)
    assert FINDINGS.by_kind == {}
    result = np.frombuffer(ARENA.read(addresses[0], values.nbytes), np.uint64)
    for address in addresses:
        ARENA.free(address)
    return result


WORDS = np.array([0, 1, 7, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xDEADBEEF], np.uint64)


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("popc.b32 %r3, %r2;", lambda x: bin(x).count("1")),
        ("clz.b32 %r3, %r2;", lambda x: 32 - x.bit_length()),
        ("brev.b32 %r3, %r2;", lambda x: int(f"{x:032b}"[::-1], 2)),
        ("bfe.u32 %r3, %r2, 4, 8;", lambda x: x >> 4 & 255),
        ("prmt.b32 %r3, %r2, 0, 0x0123;", lambda x: int.from_bytes(x.to_bytes(4, "little"), "big")),
        ("shf.l.wrap.b32 %r3, %r2, %r2, 8;", lambda x: (x << 8 | x >> 24) & 0xFFFFFFFF),
        ("shl.b32 %r3, %r2, 40;", lambda x: 0),
        ("shr.s32 %r3, %r2, 40;", lambda x: 0xFFFFFFFF if x >> 31 else 0),
        ("mul.hi.u32 %r3, %r2, %r2;", lambda x: x * x >> 32),
        ("mad.lo.u32 %r3, %r2, 3, 5;", lambda x: (3 * x + 5) & 0xFFFFFFFF),
        ("div.u32 %r3, %r2, 7;", lambda x: x // 7),
        ("rem.u32 %r3, %r2, 7;", lambda x: x % 7),
        ("lop3.b32 %r3, %r2, 0xFF, 0x0F, 0x96;", lambda x: x ^ 0xFF ^ 0x0F),
        ("setp.gt.s32 %p1, %r2, 5; selp.b32 %r3, 1, 0, %p1;", lambda x: 5 < x < 1 << 31),
        (
            "mov.b32 {%rs1, %rs2}, %r2; mov.b32 %r3, {%rs2, %rs1};",
            lambda x: x >> 16 | x % 65536 << 16,
        ),
    ],
)
def test_integers(code, meaning):
    result = run(f"{code} cvt.u64.u32 %rd5, %r3;", WORDS)
    assert result.tolist() == [int(meaning(int(word))) for word in WORDS]


NUMBERS = np.array([0.0, -0.0, 1.5, -2.5, 1e300, 5e-324, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("add.rn.f64 %fd2, %fd1, 0d3FF0000000000000;", lambda x: x + 1),
        ("neg.f64 %fd2, %fd1;", lambda x: -x),
        ("cvt.rni.f64.f64 %fd2, %fd1;", np.rint),
        ("max.f64 %fd2, %fd1, 0d3FF0000000000000;", lambda x: np.fmax(x, 1.0)),
        ("fma.rn.f64 %fd2, %fd1, %fd1, %fd1;", lambda x: x * x + x),  # exact for these
    ],
)
def test_floats(code, meaning):
    with np.errstate(all="ignore"):
        expected = meaning(NUMBERS)
    result = run(f"mov.b64 %fd1, %rd4; {code} mov.b64 %rd5, %fd2;", NUMBERS)
    np.testing.assert_array_equal(result.view(np.float64), expected)


@pytest.mark.parametrize(
    ("mode", "operands", "source"),
    [
        ("bfly", "1, 31", lambda lane: lane ^ 1),
        ("down", "2, 31", lambda lane: lane + 2 if lane + 2 < 32 else lane),
        ("up", "3, 0", lambda lane: lane - 3 if lane >= 3 else lane),
        ("idx", "5, 31", lambda lane: 5),
        ("idx", "5, 0x181F", lambda lane: lane // 8 * 8 + 5),
    ],
)
def test_shuffles(mode, operands, source):
    code = f"shfl.sync.{mode}.b32 %r3|%p1, %r2, {operands}, -1; cvt.u64.u32 %rd5, %r3;"
    result = run(code, np.arange(32, dtype=np.uint64) * 10)
    assert result.tolist() == [10 * source(lane) for lane in range(32)]


#: Loads words of the other thread, which writes the second one at the same time.
VECTOR = """
    st.global.b32 [%rd2+4], %r1;
    xor.b64 %rd4, %rd2, 8;
    ld.global.v2.b32 {{%r3, %r4}}, [%rd4];
    cvt.u64.u32 %rd5, {used};
"""


def test_vectors_may_have_elements_that_nobody_uses():
    words = np.array([5, 7], np.uint64)
    assert run(VECTOR.format(used="%r3"), words).tolist() == [7, 5]
    with pytest.raises(AssertionError, match="race"):
        run(VECTOR.format(used="%r4"), words)
