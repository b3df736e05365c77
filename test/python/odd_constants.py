"""Programs with constants that nobody means, compiled in a process that may end.

Sizes, offsets, strides, counts, bounds, steps and attributes are odd: negative, 0, or close to the
end of a type's range. Each program is compiled for some targets to their last stages.
"""

import gc
import os
import random
import re
import select
import warnings

import instruction_kernels
import tinytc_mlir as tt
from programs import generate
from tinytc_mlir.compiler import TARGETS

TIME_LIMIT_S = 600
ODD = (-(2**63) + 1, -(2**31), -1, 0, 1, 2, 3, 5, 64, 2**16, 2**20, 2**30, 2**31 - 1, 2**31, 2**32)
ODD += (2**40, 2**61, 2**62, 2**62 + 1, 2**63 - 1)
TYPES = ("i8", "i64", "index", "bf16", "f32", "f64", "c64")
_NUMBER = re.compile(r"(?<![%@$.\w])[-+]?\d+(?![.\w])|(?<=x)\d+(?=[x,>\s])|(?<=16)x(?=\d)")
_PARAMETER = re.compile(r"(%\w+): (index|i32)(?=[,)])")
_MEMREF = re.compile(r"(%\w+: (?:memref|group)<[^{}%]*>)(?=[,)])")
_HEADER = """func @kernel(%x: f32, %n: index, %k: index, %m: index, %i: index, %o: memref<f32>,
  %a: memref<f32x64>, %d: memref<f32x?>, %A: memref<f32x16x16>, %D: memref<f32x?x?,strided<1,?>>,
  %G: group<memref<f32x4x4>x4>, %H: group<memref<f32x?x4>x?,offset:?>) {
"""
_VIEWS = """%v = subview %a[0:%n] : memref<f32x?>
%v = subview %a[%k:%n] : memref<f32x?>
%v = subview %d[%k:%n] : memref<f32x?>
%v = subview %d[%k:4] : memref<f32x4>
%v = subview %A[%k:%n,%m] : memref<f32x?>
%v = subview %D[%m,%k:%n] : memref<f32x?,strided<?>>
%u = subview %a[4:%n] : memref<f32x?> %v = subview %u[%k:%m] : memref<f32x?>
%u = subview %d[%n:8] : memref<f32x8> %v = subview %u[%k:%m] : memref<f32x?>
%u = expand %a[0->%n x 4] : memref<f32x?x4> %v = subview %u[:,%k] : memref<f32x?>
%u = expand %a[0->%n x %k] : memref<f32x?x?> %v = fuse %u[0,1] : memref<f32x?>
%u = expand %d[0->2 x %k] : memref<f32x2x?> %v = subview %u[%m,:] : memref<f32x?,strided<2>>
%u = expand %d[0->%n x %k x %m] : memref<f32x?x?x?> %v = fuse %u[0,2] : memref<f32x?>
%u = load %G[%n] : memref<f32x4x4> %v = subview %u[%k:%m,1] : memref<f32x?>
%u = load %H[%n] : memref<f32x?x4> %v = subview %u[%k:%m,1] : memref<f32x?>
%l = alloca : memref<f32x64,local> %u = subview %l[0:%n] : memref<f32x?,local> sum.n %x, %u, %x, %o
%s = arith.mul %n, %k : index %v = subview %d[0:%s] : memref<f32x?>
%s = arith.sub %n, %k : index %v = subview %d[%s:%m] : memref<f32x?>
%s = size %d[0] : index %t = arith.mul %s, %n : index %v = subview %d[%t:%k] : memref<f32x?>
""".splitlines()
_USES = """axpby.n %x, %v, %x, %v
sum.n %x, %v, %x, %o
cumsum %x, %v, 0, %x, %d
gemv.n %x, %D, %v, %x, %d
ger %x, %v, %v, %x, %D
hadamard_product %x, %v, %v, %x, %d
%s = size %v[0] : index for %j = 0, %s { axpby.n %x, %o, %x, %o }
%s = size %v[0] : index foreach (%j) = (0), (%s) { store %x, %v[%j] }
store %x, %v[%i]
%e = expand %v[0->%k x 2] : memref<f32x?x2> axpby.n %x, %e, %x, %D
""".splitlines()
_LOOPS = """for %j = %n, %k, %m { axpby.n %x, %o, %x, %o }
for %j = %n, %k, %m { axpby.n %x, %o, %x, %o } {unroll=true}
for %j = %n, %k { axpby.n %x, %o, %x, %o } {unroll=4}
%r = for %j = %n, %k, %m init(%y=%x) -> (f32) { yield (%y) } store %r, %o[]
foreach (%j) = (%n), (%k) { store %x, %a[%j] }
foreach (%j, %h) = (%n, 0), (%k, %m) { store %x, %D[%j,%h] }
foreach_tile (%j) = (%n), (%k) as (%e) <= (16) { store %x, %a[%j] }
parallel { for %j = %n, %k, %m { store %x, %a[%j] } }
gemm.n.n %x, %A, %A, %x, %D
""".splitlines()
_MATRICES = """%m1 = constant 1.0 : coopmatrix<f32x16x8,matrix_acc>
%m1 = cooperative_matrix_load.n.both_checked %D[%n,%k] : coopmatrix<f32x16x8,matrix_acc>
%m1 = cooperative_matrix_load.n %A[%n,%k] : coopmatrix<f32x16x8,matrix_acc>
%m1 = cooperative_matrix_construct %x : coopmatrix<f32x16x8,matrix_acc>
""".splitlines()
_MATRIX_USE = """cooperative_matrix_store.both_checked %m1, %D[%k,%m]
cooperative_matrix_prefetch 0, %D[%n,%k], 16, 8 cooperative_matrix_store %m1, %D[%k,%m]
%r = cooperative_matrix_extract %m1 [0] : f32 store %r, %o[]
%m2 = arith.add %m1, %m1 : coopmatrix<f32x16x8,matrix_acc> cooperative_matrix_store %m2, %D[0,0]
""".splitlines()


def body(rng):
    """Return a kernel that is made for its constants."""
    kind = rng.randrange(4)
    if kind == 0:
        lines = [rng.choice(_LOOPS)]
    elif kind == 1:
        lines = ["parallel {", rng.choice(_MATRICES), rng.choice(_MATRIX_USE), "}"]
    else:
        lines = [rng.choice(_VIEWS)]
        lines += [rng.choice(_USES)] if "%v = " in lines[0] else []
    return _HEADER + "\n".join(lines) + "\n}\n"


def program(seed):
    """Return the text of a program."""
    rng = random.Random(seed)
    kind = rng.randrange(4)
    if kind == 0:
        text = generate(rng, count=rng.randint(1, 4))
    elif kind == 1:
        template = rng.choice(list(instruction_kernels.TEMPLATES.values()))
        text = instruction_kernels.kernel(template, rng.choice(TYPES))
    else:
        text = body(rng)
    text = with_constants(rng, text, rng.choice((0.3, 0.6, 1)))
    text = with_attributes(rng, text, rng.choice((0, 0, 0.2)))
    return with_numbers(rng, text, rng.choice((0, 0, 0.05, 0.2)))


def with_constants(rng, text, probability):
    """Replace some parameters that are integers by constants."""
    lines = []

    def constant(match):
        if rng.random() > probability:
            return match[0]
        limit = 2**31 if match[2] == "i32" else 2**63
        value = rng.choice([odd for odd in ODD if -limit <= odd < limit])
        lines.append(f"{match[1]} = constant {value} : {match[2]}")
        return f"%unused{len(lines)}: {match[2]}"

    head, brace, rest = text.partition(") {\n")
    if not brace:
        head, brace, rest = text.partition("}} {\n" if "}} {\n" in text else "} {\n")
    head = _PARAMETER.sub(constant, head)
    return head + brace + "\n".join(lines) + "\n" + rest


def with_attributes(rng, text, probability):
    """Give attributes to some parameters, and to functions."""

    def odd():
        return rng.choice(ODD)

    def parameter(match):
        if rng.random() > probability:
            return match[0]
        order = match[1].partition("strided")[0].count("x") - match[1].startswith("group")
        entries = [f"alignment={odd()}"]
        entries += [f"{name}_gcd={[odd() for _ in range(order)]}" for name in ("shape", "stride")]
        chosen = rng.sample(entries, rng.randint(1, 3))
        return f"{match[1]} {{{', '.join(chosen)}}}"

    text = _MEMREF.sub(parameter, text)
    if probability and rng.random() < 0.5 and "attributes" not in text:
        entries = [f"subgroup_size={odd()}", f"work_group_size=[{odd()},{odd()}]"]
        entries += [f"work_group_size=[{rng.choice((16, 32))},{odd()}]", "subgroup_size=16"]
        words = ("rows", "columns", "unroll", "groups")
        entries.append(f"schedule={{{', '.join(f'{word}={odd()}' for word in words)}}}")
        text = text.replace(") {\n", f") attributes {{{rng.choice(entries)}}} {{\n", 1)
    return text


def with_numbers(rng, text, probability):
    """Replace some numbers of the text."""

    def number(match):
        return str(rng.choice(ODD)) if rng.random() < probability else match[0]

    return _NUMBER.sub(number, text)


def compile_everywhere(seed, text):
    """Compile a program for some targets; errors of the compiler are what is expected."""
    targets = random.Random(f"{seed} targets").sample(TARGETS, 2)
    try:
        module = tt.Context().parse(text)
    except tt.CompileError as error:
        assert error.diagnostics
        return "refused"
    result = "compiled"
    for target in targets:
        try:
            module.lower("gpu", target=target)
            module.compile(target=target)
        except tt.TinyTCError as error:
            assert str(error)
            result = "not compiled"
    try:
        module.export_tile()
    except tt.TinyTCError as error:
        assert str(error)
    return result


def failure_of(seeds, counts, program=program):
    """Compile the programs of seeds; return the first that ends the process, and the rest.

    Args:
        seeds: of the programs.
        counts: how many programs were refused, not compiled and compiled, which is updated.
        program: returns the text for a seed.
    """
    read, write = os.pipe()
    with warnings.catch_warnings():
        # Of JAX, if other tests have loaded it; the child does not call it.
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        child = os.fork()
    if not child:
        os.close(read)
        _work(seeds, write, program)
    os.close(write)
    done, message = 0, ""
    with open(read) as lines:
        while True:
            ready, _, _ = select.select([lines], [], [], TIME_LIMIT_S)
            line = lines.readline() if ready else ""
            if line.rstrip() not in ("refused", "not compiled", "compiled"):
                message = line if ready else f"expected an end within {TIME_LIMIT_S} s"
                break
            counts[line.rstrip()] += 1
            done += 1
    os.kill(child, 9)
    _, status = os.waitpid(child, 0)
    if done == len(seeds):
        return None, []
    return f"{message} (status {status})", seeds[done:]


def _work(seeds, write, program):
    """Write a line for each seed, and end the process."""
    gc.freeze()  # what the parent leaves may need its threads to go
    try:
        with open(write, "w", buffering=1) as results:
            for seed in seeds:
                try:
                    line = compile_everywhere(seed, program(seed))
                except Exception as error:
                    line = f"{type(error).__name__}: {error}".replace("\n", " ")
                results.write(line + "\n")
    finally:
        os._exit(0)
