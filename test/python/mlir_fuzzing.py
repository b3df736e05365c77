"""Damaged MLIR for tinytc-opt: pieces of the lit tests with changed tokens and lines."""

import pathlib
import random
import re
import subprocess

from tinytc_mlir.cli.tools import tool_path

ROOT = pathlib.Path(__file__).parents[2]
SEPARATOR = "\n// -----\n"
TIME_LIMIT_S = 600
_TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w$]+(?:\.[\w$]+)*|->|\s+|.')
_NUMBERS = """
0 1 2 3 -1 7 16 63 64 65 255 256 32767 2147483647 2147483648 4294967296 9223372036854775807
2305843009213693952 4611686018427387904 -9223372036854775807
-9223372036854775808 9223372036854775808 1.0 0.0 -0.0 1e40 0x7FC00000 ? true
"""
_TYPES = """
i1 i4 i8 i16 i32 i64 si32 ui8 index f16 bf16 f32 f64 f80 none complex<f32> complex<i8>
vector<4xf32> tensor<4xf32> tensor<?xf32> memref<4xf32> memref<?xf32> memref<*xf32> memref<f32,1>
!tinytc.memref<4xf32> !tinytc.memref<?x?xf64> !tinytc.memref<0xf32> !tinytc.memref<4xf32,local>
!tinytc.group<!tinytc.memref<4xf32>x?> !tinytc.coopmatrix<8x8xf32,matrix_acc> !llvm.ptr
"""
_ATTRIBUTES = """
subgroup_size=16:i32 subgroup_size=0:i32 subgroup_size=16:si32 subgroup_size=16:i64
work_group_size=array<i32:16,1> work_group_size=array<i32> work_group_size=array<i32:-16,1>
work_group_size=[16,1] tinytc.subgroup_size=16:si32 tinytc.subgroup_size=16:i32
tinytc.work_group_size=array<i32:16,1> tinytc.work_group_size=array<i64:16,1> tinytc.unroll
tinytc.unroll=true tinytc.target="cpu" tinytc.schedule=1 tinytc.alignment=0 tinytc.alignment=-8:i64
tinytc.shape_gcd=array<i64:0> tinytc.stride_gcd=array<i32:1> schedule=1 atomic mode=9:i64
tinytc.modes=array<i64:1,0> tinytc.name="" tinytc.manifest={} tinytc.manifest=#tinytc.manifest<>
operandSegmentSizes=array<i32:1,1> sym_visibility="private" gpu.kernel spirv.entry_point_abi
"""
_WORDS = """
tinytc.func func.func gpu.func gpu.module spirv.func module tinytc.yield gpu.return linalg.generic
linalg.matmul linalg.fill scf.forall scf.parallel memref.subview memref.cast memref.alloca
"""


def find_opt():
    """Return the path of tinytc-opt, None if it is not built."""
    candidates = (tool_path("tinytc-opt"), ROOT / "build" / "bin" / "tinytc-opt")
    return next((path for path in candidates if path.is_file()), None)


def passes(opt):
    """Return the flags of our passes and pipelines, and of some of upstream."""
    listed = subprocess.run([opt, "--help"], capture_output=True, text=True).stdout
    ours = re.findall(
        r"^ +--(tinytc-[\w-]+|lower-to-(?:linalg|gpu|spirv|nvvm|ptx)|"
        r"(?:prepared|linalg|gpu|nvvm)-to-(?:linalg|gpu|spirv|nvvm|ptx)|prepare) ",
        listed,
        re.M,
    )
    upstream = ["canonicalize", "cse", "symbol-dce", "inline", "loop-invariant-code-motion"]
    return [f"--{flag}" for flag in [*ours, *upstream]]


def corpus(opt):
    """Return pieces of MLIR: of the tests, the same in generic form, and later stages."""
    tests = ROOT / "test"
    conversion = tests / "Conversion"
    texts = _pieces(tests.glob("*/**/*.mlir"))
    language = _pieces(
        [*conversion.glob("TinyTCToLinalg/*.mlir"), *conversion.glob("TinyTCToMatrixUnits/*.mlir")]
    )
    printed = [
        run(opt, SEPARATOR.join(texts), ["--mlir-print-op-generic"])[1],
        *(
            run(opt, SEPARATOR.join(language), [f"--lower-to-{stage}"])[1]
            for stage in ("linalg", "gpu", "spirv")
        ),
        run(
            opt,
            SEPARATOR.join(_pieces(conversion.glob("GPUToNVVM/*.mlir"))),
            ["--tinytc-convert-gpu-to-nvvm"],
        )[1],
    ]
    return texts + _split("\n".join(printed))


def _pieces(paths):
    """Return the modules of tests without comments."""
    lines = [line for path in sorted(paths) for line in ["// -----", *path.read_text().split("\n")]]
    code = [line for line in lines if line == "// -----" or not line.lstrip().startswith("//")]
    return _split("\n".join(code))


def _split(text):
    return [piece for piece in map(str.strip, text.split("// -----")) if piece]


def run(opt, text, flags):
    """Return exit status, standard output and standard error of tinytc-opt."""
    command = [opt, "--split-input-file", "--allow-unregistered-dialect", *flags]
    try:
        result = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=TIME_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return "timeout", "", f"expected an end within {TIME_LIMIT_S} s"
    return result.returncode, result.stdout.decode(), result.stderr.decode(errors="replace")


def top_frames(errors):
    """Return the functions on top of the stack of a crash, three at most."""
    frames = re.findall(r"^ *#\d+ 0x\w+ (.+)", errors, re.M)
    is_handler = [re.search(r"SignalHandler|pthread|raise|abort|^_|^\(/lib", f) for f in frames]
    first = next((n for n, handler in enumerate(is_handler) if n > 1 and not handler), 0)
    return frames[first : first + 3]


def damaged(rng, pieces):
    """Return a piece with some changes."""
    tokens = _TOKEN.findall(rng.choice(pieces))
    for _ in range(rng.randrange(4)):
        _change(rng, tokens, pieces)
    return "".join(tokens)


def _change(rng, tokens, pieces):
    """Change some tokens in place."""
    words = [i for i, token in enumerate(tokens) if not token.isspace()]
    if not words:
        return
    place = rng.choice(words)
    kind = rng.randrange(9)
    if kind == 0:
        del tokens[place : place + rng.choice([1, 1, 2, 5, 20])]
    elif kind == 1:
        tokens[place:place] = tokens[place : place + rng.choice([1, 3, 10, 40])]
    elif kind == 2:
        other = rng.choice(words)
        tokens[place], tokens[other] = tokens[other], tokens[place]
    elif kind == 3:
        _replace(rng, tokens, r"-?\d[\w.]*", rng.choice(_NUMBERS.split()))
    elif kind == 4:
        _replace(rng, tokens, r"[iuf]+\d+|index", rng.choice(_TYPES.split()))
    elif kind == 5:
        _replace(rng, tokens, r"\{", "{" + rng.choice(_ATTRIBUTES.split()) + rng.choice(["", ","]))
    elif kind == 6:
        tokens[place] = rng.choice(_TOKEN.findall(rng.choice(pieces)))
    elif kind == 7:
        _replace(rng, tokens, r"\"?\w+\.\w[\w.]*\"?", rng.choice(_WORDS.split()))
    else:
        _swap_lines(rng, tokens)


def _replace(rng, tokens, pattern, text):
    """Replace one of the tokens that match."""
    places = [i for i, token in enumerate(tokens) if re.fullmatch(pattern, token)]
    if places:
        tokens[rng.choice(places)] = text


def _swap_lines(rng, tokens):
    lines = "".join(tokens).split("\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    tokens[:] = _TOKEN.findall("\n".join(lines))


def batch(seed, pieces, flags):
    """Return texts and the flags to run them with."""
    rng = random.Random(seed)
    chosen = [rng.choice(flags) for _ in range(rng.choice([1, 1, 2, 3, 5]))]
    if rng.random() < 0.2:
        chosen.append("--mlir-print-op-generic")
    return [damaged(rng, pieces) for _ in range(40)], chosen
