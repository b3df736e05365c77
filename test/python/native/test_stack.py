"""Kernels that keep much from one barrier to the next run on threads with a small stack."""

import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from native.work_item_number import NUMBER
from nearness import assert_near
from tinytc_mlir.embedding import build_library

COUNT, GROUPS = 100, 3
STACK_BYTES = 384 * 1024
DTYPES = {"f64": np.float64, "c64": np.complex128}
# Runs a kernel on a thread with a small stack, and on those that help a launch.
RUN = """
import pathlib, sys, threading
import numpy as np
import tinytc_mlir as tt
text, type_, path = pathlib.Path(sys.argv[1]).read_text(), sys.argv[2], sys.argv[3]
kernel = tt.Context().parse(text).compile("native")["f"]
a, small, helped = (tt.asarray(x, queue="native") for x in np.load(path))
threading.stack_size(int(sys.argv[4]))
bound = kernel.bind(a, small, groups=a.shape[1], queue=tt.native_queue(threads=1))
thread = threading.Thread(target=bound.range, args=(0, bound.work_groups))
thread.start()
thread.join()
kernel(a, helped, groups=a.shape[1], queue=tt.native_queue(threads=3))
np.save(path, [a, small, helped])
"""
HOST = """
#include <kept.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static kept_f_args args = {.groups = GROUPS, .A_shape1 = GROUPS, .B_shape1 = GROUPS};

static void *run(void *unused) {
  char message[200];
  if (kept_f_check(&args, message, sizeof message))
    return fputs(message, stderr), unused;
  kept_f(&args, 0, GROUPS);
  return &args;
}

int main(void) {
  const size_t size = 1024 * GROUPS * sizeof(*args.A);
  pthread_attr_t attributes;
  pthread_t thread;
  void *done;
  kept_f_check(&args, NULL, 0);
  args.B = calloc(1, size);
  args.A = malloc(size);
  args.scratch = aligned_alloc(128, BYTES);
  if (fread((void *)args.A, 1, size, stdin) != size)
    return 1;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  if (pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, &done) || !done)
    return 2;
  fwrite(args.B, 1, size, stdout);
  return 0;
}
"""


def kept(type_, count=COUNT):
    """Return a kernel of 1,024 work-items that keep many values while they wait."""
    products = "\n".join(f"%v{n + 1} = mul %v{n}, %v0 : {type_}" for n in range(count))
    sums = "\n".join(f"%s{n + 1} = add %s{n}, %v{n + 1} : {type_}" for n in range(count))
    return f"""func @f(%A: memref<{type_}x1024x?>, %B: memref<{type_}x1024x?>)
        attributes {{subgroup_size=16, work_group_size=[64,16]}} {{
      %g = group_id.x : index
      %last = constant 1023 : index
      parallel {{
        {NUMBER}
        %j = sub %last, %i : index
        %v0 = load %A[%i,%g] : {type_}
        {products}
        store %v{count}, %B[%j,%g]
        barrier.global
        %s0 = load %B[%i,%g] : {type_}
        {sums}
        store %s{count}, %B[%i,%g]
      }}
    }}"""


def numbers(type_):
    """Return what a kernel reads, and what it should write."""
    angles = np.linspace(0, 6, 1024 * GROUPS).reshape(1024, GROUPS)
    a = np.asfortranarray(np.cos(angles) if type_ == "f64" else np.exp(1j * angles))
    powers = np.cumprod([a] * (COUNT + 1), axis=0)
    return a, powers[-1][::-1] + powers[1:].sum(axis=0)


@pytest.mark.parametrize("type_", DTYPES)
def test_threads_with_a_small_stack(type_, tmp_path):
    a, expected = numbers(type_)
    np.save(tmp_path / "arrays.npy", [a, np.zeros_like(a), np.zeros_like(a)])
    (tmp_path / "kernel.ir").write_text(kept(type_))
    words = ["kernel.ir", type_, "arrays.npy", str(STACK_BYTES)]
    done = subprocess.run([sys.executable, "-c", RUN, *words], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr[-2000:]
    _, small, helped = np.load(tmp_path / "arrays.npy")
    assert_near(small, expected)
    np.testing.assert_array_equal(small, helped)


@pytest.mark.parametrize("type_", DTYPES)
def test_threads_of_a_host_in_c(type_, tmp_path):
    a, expected = numbers(type_)
    module = tt.Context().parse(kept(type_))
    build_library(module, tmp_path, "kept")
    sizes = [
        module.compile(target)["f"].info.local_memory_bytes for target in ("x86-64-v3", "x86-64-v4")
    ]
    (tmp_path / "host.c").write_text(HOST)
    flags = [f"-DGROUPS={GROUPS}", f"-DBYTES={max(sizes)}", f"-DSTACK={STACK_BYTES}"]
    words = ["gcc", "-pthread", *flags, "-Iinclude", "host.c", "lib/libkept.a", "-o", "host"]
    subprocess.run(words, cwd=tmp_path, check=True)
    given = a.tobytes(order="F")
    done = subprocess.run([tmp_path / "host"], input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    b = np.frombuffer(done.stdout, a.dtype).reshape(a.shape, order="F")
    assert_near(b, expected)


def test_small_kernels_use_the_stack():
    info = tt.Context().parse(kept("f64", 3)).compile("native")["f"].info
    assert info.local_memory_bytes == 0


def test_most_memory_of_a_thread():
    with pytest.raises(
        tt.LoweringError, match=r"error: expected a kernel with at most 8388608 bytes of"
    ):
        tt.Context().parse(kept("f64", 1100)).compile("native")
