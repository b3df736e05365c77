#!/usr/bin/env python3
"""Runs every instruction under a condition of lanes, natively, and compares with the reference.

A kernel is an instruction on a type, in a branch that some lanes take. All are compiled for
subgroups of 16, 32 and 64, for vector registers of 16, 32 and 64 bytes, and for the levels of
x86-64 that this processor has. Each setting has a process of its own, since LLVM may end it.
Prints what is wrong, and ends with status 1 if anything is.

    python test/lane_condition_check.py                        # all of it
    python test/lane_condition_check.py --every 50 --first 7   # each 50th kernel from the 7th
"""

import argparse
import itertools
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "python"))

import numpy as np

import tinytc_mlir as tt
from cases import kernel_check
from cases.case import Case, buffer, halves, parse
from tinytc_mlir.frontend import instructions
from tinytc_mlir.runtime.native.processor import NativeLoader

LEVELS = {16: "x86-64-v2", 32: "x86-64-v3", 64: "x86-64-v4"}
"""By the size of their registers, which code for the host's processor may have, too."""
SETTINGS = tuple(
    (level if is_level else "native", lanes, width)
    for is_level in (True, False)
    for width, level in LEVELS.items()
    for lanes in (16, 32, 64)
)
SIZE = 64
FLOATS = ("f16", "bf16", "f32", "f64")
COMPLEX = ("c32", "c64")
INTEGERS = ("i8", "i16", "i32", "i64")
PARTS = {"c32": "f32", "c64": "f64"}
BITS = {"f16": "i16", "bf16": "i16", "f32": "i32", "f64": "i64", "i32": "f32", "i64": "f64"}

BODY = """%g = group_id.x : index
%first = mul %g, {lanes} : index
parallel {{
  %lane = builtin.subgroup_local_id : i32
  %l = cast %lane : index
  %i = add %first, %l : index
  %m = load %M[%i] : i32
  %c = not_equal %m, 0 : bool
  if %c {{
    %a = load %A[%i] : {type}
    %b = load %B[%i] : {type}
    %j64 = load %J[%i] : i64
    %j = cast %j64 : index
    %n = cast %m : index
{steps}
  }}
}}"""

OF_ALL = {
    "store": "store %a, %O[%j]",
    "load": "%r = load %A[%j] : {T}",
    "select": "%q = equal %a, %b : bool\n%r = select %q, %a, %b : {T}",
    "constant": "%z = constant {ONE} : {T}\n%r = add %z, %a : {T}",
    "if": "%q = less_than %n, 2 : bool\n%r = if %q -> ({T}) {{ yield (%a) }} else {{ yield (%b) }}",
    "for": "%r = for %k = 0, %n init(%x = %a) -> ({T}) {{ %y = add %x, %b : {T}\nyield (%y) }}",
    "for to places": "for %k = 0, %n {{ store %a, %W[%k, %j] }}",
    "subview": "%v = subview %W[:, %j] : memref<{T}x4>\nstore %a, %v[%n]",
    "expand": "%v = expand %A[0 -> 8 x 8] : memref<{T}x8x8>\n%r = load %v[%n, 3] : {T}",
    "fuse": "%v = fuse %W[0, 1] : memref<{T}x256>\nstore %b, %v[%j]",
    "size": "%s = size %A[0] : index\n%k = sub %s, %n : index\n%r = load %A[%k] : {T}",
    "associated": "%q = associated %A : bool\nif %q {{ store %a, %O[%i] }}",
    "assert": '%q = less_than %n, 4 : bool\nassert %q, "n is small"\nstore %a, %O[%i]',
    "print": '%q = equal %n, 1 : bool\nif %q {{ print "a", %a }}\nstore %a, %O[%i]',
    "expandc2r": "%v = expandc2r %O : memref<{R}x2x64>\n%x = re %a : {R}\nstore %x, %v[1, %j]",
    "atomic_load": "%r = atomic_load %U[%j] : {T}",
    "atomic_store": "atomic_store %a, %O[%j]",
    "store.atomic": "store.atomic %a, %O[%j]",
    "store.atomic_add": "store.atomic_add %a, %O[%j]",
    "store.atomic_add to one": "store.atomic_add %a, %O[3]",
    **{
        f"atomic_{word}": f"%r = atomic_{word} %a, %U[%j] : {{T}}" for word in ("add", "min", "max")
    },
    "bitcast": "%x = bitcast %a : {BITS}\n%r = bitcast %x : {T}",
    "builtin.subgroup_id": "%x = builtin.subgroup_id : i32\n%r = cast %x : {T}",
    "builtin.subgroup_local_id": "%x = builtin.subgroup_local_id : i32\n%r = cast %x : {T}",
    "builtin.subgroup_size": "%x = builtin.subgroup_size : i32\n%r = cast %x : {T}",
    "builtin.num_subgroups": "%x = builtin.num_subgroups : i32\n%r = cast %x : {T}",
    "builtin.group_id": "%x = builtin.group_id : index\n%r = cast %x : {T}",
    "builtin.group_size": "%x = builtin.group_size : index\n%r = cast %x : {T}",
    "subgroup_broadcast": "%r = subgroup_broadcast %a, 0 : {T}",
    **{
        f"subgroup_{word}.{mode}": f"%r = subgroup_{word}.{mode} %a : {{T}}"
        for word in ("add", "max", "min")
        for mode in ("reduce", "exclusive_scan", "inclusive_scan")
    },
    **{
        f"cast.{t}": f"%x = cast %a : {t}\n%r = cast %x : {{T}}"
        for t in (*FLOATS, *INTEGERS, *COMPLEX)
    },
}


def steps():
    """Return the steps of each instruction; those that have a result leave it in %r."""
    found = dict(OF_ALL)
    for name, spec in instructions.INSTRUCTIONS.items():
        operands = ", ".join(("%a", "%b", "%a")[: len(spec.operands)])
        if spec.typing is instructions.Typing.COMPARE:
            found[name] = f"%q = {name} {operands} : bool\n%r = select %q, %a, %b : {{T}}"
        elif name in ("arith.shl", "arith.shr"):
            found[name] = f"%s = arith.and %b, 3 : {{T}}\n%r = {name} %a, %s : {{T}}"
        elif name.startswith("arith.") or name in instructions.MATH:
            kind = "T" if spec.typing is instructions.Typing.SAME else "R"
            found[name] = f"%r = {name} {operands} : {{{kind}}}"
    return found


def case(name, text, type_, lanes):
    """Return the kernel of some steps on a type."""
    rng = random.Random(f"{name} {type_}")
    part = PARTS.get(type_, type_)
    one = "[1.0, 0.0]" if type_ in COMPLEX else "1.0" if type_ in FLOATS else "1"
    filled = text.format(T=type_, R=part, BITS=BITS.get(type_, ""), ONE=one)
    result = part if f"%r = {name} %a : {part}" == filled else type_
    if "%r" in filled:
        filled += "\nstore %r, %O[%i]" if result == type_ else "\nstore %r, %P[%i]"
    buffers = {
        **{word: (type_, buffer(rng, type_, (SIZE,))) for word in "ABOU"},
        "P": (part, buffer(rng, part, (SIZE,))),
        "W": (type_, buffer(rng, type_, (4, SIZE))),
        "M": ("i32", buffer(rng, "i32", (SIZE,))),
        "J": ("i64", buffer(rng, "i64", (SIZE,))),
    }
    mask = buffers["M"][1].view(buffers["M"][1].data)
    mask[...] = rng.choices((0, 1, 2, 3), k=SIZE)
    mask[:16] = 0
    if name.startswith("subgroup_"):
        mask[::lanes] = 1  # a broadcast is of the first lane
    if "scan" in name:
        first = np.arange(SIZE) % lanes < rng.randint(1, lanes)
        mask[...] = np.where(first, np.maximum(mask, 1), 0)
    places = buffers["J"][1].view(buffers["J"][1].data)
    places[...] = rng.sample(range(SIZE), SIZE)
    parameters = {
        word: (f"memref<{kind}x{'x'.join(map(str, array.shape))}>", array)
        for word, (kind, array) in buffers.items()
    }
    return Case(
        f"{name} of {type_}",
        BODY.format(lanes=lanes, type=type_, steps=filled),
        parameters,
        groups=SIZE // lanes,
        attributes=f"subgroup_size={lanes}, work_group_size=[{lanes},1]",
        may_round=True,
    )


def cases(lanes):
    """Return the kernels that the language has."""
    found = []
    for (name, text), type_ in itertools.product(steps().items(), (*FLOATS, *INTEGERS, *COMPLEX)):
        each = case(name, text, type_, lanes)
        try:
            parse([each])
        except tt.TinyTCError:
            continue
        found.append(each)
    return found


def work(target, lanes, vector_bytes, words, every, first):
    """Check the kernels of a setting whose names have one of the words; return what is counted."""
    count = kernel_check.Count()
    chosen = [each for each in cases(lanes) if any(word in each.name for word in words)]
    chosen = chosen[first % every :: every]

    def build(some):
        module = parse(some)
        names = ", ".join(each.name for each in some)
        print(f"building {names}", file=sys.stderr, flush=True)
        return module, module.compile(target, vector_bytes=vector_bytes)

    for begin in range(0, len(chosen), 40):
        for some, (module, program) in halves(chosen[begin : begin + 40], build, count.unbuilt):
            for number, each in enumerate(some):
                message = kernel_check.compare(each, module, program, f"k{number}", count)
                if message:
                    count.failures.append(f"{each.name}: {message}\n{each.text('f')}")
    return count


def main():
    """Check all settings; return the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1, help="check each Nth kernel")
    parser.add_argument("--first", type=int, default=0, help="which of these, and of settings")
    parser.add_argument("--matching", nargs="+", default=[""], help="words of their names")
    parser.add_argument("--setting", type=int, help="check one setting, in this process")
    options = parser.parse_args()
    if options.setting is not None:
        target, lanes, vector_bytes = SETTINGS[options.setting]
        os.environ["TINYTC_TARGET"] = target  # of arrays
        first = options.first + options.setting
        count = work(target, lanes, vector_bytes, options.matching, options.every, first)
        print(count, *count.unbuilt, *count.failures, sep="\n")
        return int(bool(count.unbuilt or count.failures or count.undefined))
    (device,) = NativeLoader().devices()
    wrong = 0
    for number, setting in enumerate(SETTINGS):
        if LEVELS[setting[2]] not in device.runs:
            continue
        words = [sys.executable, __file__, "--setting", str(number)]
        words += ["--every", str(options.every), "--first", str(options.first)]
        words += ["--matching", *options.matching]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        wrong += done.returncode != 0
        lines = done.stdout.splitlines()
        print(*setting, *lines[-1:] if done.returncode == 0 else lines, sep="\n", flush=True)
        if done.returncode not in (0, 1):
            print(f"status {done.returncode}:", done.stderr[-2000:])
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
