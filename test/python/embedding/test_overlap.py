"""Checks in C refuse arrays that overlap where launches from Python do, in the same words."""

import subprocess

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.embedding import build_library

PRODUCT = """
func @product(%A: memref<f32x4x4x?>, %B: memref<f32x4x4>, %C: memref<f32x4x4x?>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %g = group_id.x : index
  %a = subview %A[:,:,%g] : memref<f32x4x4>
  %c = subview %C[:,:,%g] : memref<f32x4x4>
  gemm.n.n %one, %a, %B, %zero, %c
}
"""
COPY = """
func @copy(%x: memref<f64x?x?,strided<1,?>>, %y: memref<f64x?x?,strided<1,?>>) {
  %one = constant 1.0 : f64
  axpby.n %one, %x, %one, %y
}
"""
GROUPS = """
func @members(%A: group<memref<f64x3x?>x?>, %B: memref<f64x3x3>, %C: group<memref<f64x3x?>x?>) {
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  %g = group_id.x : index
  %a = load %A[%g] : memref<f64x3x?>
  %c = load %C[%g] : memref<f64x3x?>
  gemm.n.n %one, %B, %a, %zero, %c
}
"""
HOST = """
#include <kernels.h>
#include <stdio.h>
static float f[1000];
static double d[1000];
static const char *text(int status, const char *message) { return status ? message : "right"; }
#define CHECK(kernel, ...)                                                               \\
  do {                                                                                   \\
    char message[300];                                                                   \\
    const kernels_##kernel##_args args = {__VA_ARGS__};                                  \\
    puts(text(kernels_##kernel##_check(&args, message, sizeof(message)), message));      \\
  } while (0)
#define PRODUCT(a, b, c)                                                                 \\
  CHECK(product, .A = f + a, .A_shape2 = 3, .B = f + b, .C = f + c, .C_shape2 = 3,       \\
        .groups = 3)
#define COPY(from, step, to, other)                                                      \\
  CHECK(copy, .x = d + from, .x_shape0 = 4, .x_shape1 = 3, .x_stride1 = step,            \\
        .y = d + to, .y_shape0 = 4, .y_shape1 = 3, .y_stride1 = other, .groups = 1)
int main(void) {
  PRODUCT(0, 100, 200);
  PRODUCT(0, 100, 0);
  PRODUCT(0, 215, 200);
  PRODUCT(0, 248, 200);
  PRODUCT(0, 235, 200);
  PRODUCT(216, 100, 200);
  PRODUCT(200, 100, 232);
  PRODUCT(200, 100, 247);
  PRODUCT(200, 100, 248);
  COPY(0, 8, 0, 8);
  COPY(0, 8, 4, 8);
  COPY(0, 8, 3, 8);
  COPY(0, 8, 100, 4);
  const double *a[] = {d, d + 9, d + 100};
  double *c[] = {d + 200, d + 300, d + 105};
  const int64_t three[] = {3, 3, 3};
  CHECK(members, .A = a, .A_shape1 = three, .A_size = 3, .B = d + 500, .C = c,
        .C_shape1 = three, .C_size = 3, .groups = 3);
  c[2] = d + 109;
  CHECK(members, .A = a, .A_shape1 = three, .A_size = 3, .B = d + 500, .C = c,
        .C_shape1 = three, .C_size = 3, .groups = 3);
}
"""


def launches():
    """Return what Python says of the same arrays."""
    program = tt.Context().parse(PRODUCT + COPY + GROUPS).compile("native")
    f, d = np.zeros(1000, np.float32), np.zeros(1000)

    def said(name, *arrays):
        try:
            program[name](*arrays)
        except tt.ArgumentError as error:
            return str(error)
        return "right"

    def at(first, size, *shape):
        return f[first : first + size].reshape(shape, order="F")

    def columns(first, stride):
        steps = (8, 8 * stride)
        return np.lib.stride_tricks.as_strided(d[first:], (4, 3), steps)

    distinct = [(0, 100, 200), (0, 100, 0), (0, 215, 200), (0, 248, 200), (0, 235, 200)]
    shifted = [(216, 100, 200), (200, 100, 232), (200, 100, 247), (200, 100, 248)]
    for a, b, c in distinct + shifted:
        yield said("product", at(a, 48, 4, 4, 3), at(b, 16, 4, 4), at(c, 48, 4, 4, 3))
    for x, y in (((0, 8), (0, 8)), ((0, 8), (4, 8)), ((0, 8), (3, 8)), ((0, 8), (100, 4))):
        yield said("copy", columns(*x), columns(*y))
    for last in (105, 109):
        a, b, *c = (d[first : first + 9].reshape(3, 3).T for first in (0, 9, 200, 300, last))
        members = [a, b, d[100:109].reshape(3, 3).T]
        yield said("members", members, d[500:509].reshape(3, 3).T, c)


def test_overlap(tmp_path):
    build_library(tt.Context().parse(PRODUCT + COPY + GROUPS), tmp_path, "kernels")
    (tmp_path / "host.c").write_text(HOST)
    words = ["gcc", "-std=c11", "-Wall", "-fsanitize=address,undefined", "-Iinclude", "host.c"]
    subprocess.run([*words, "lib/libkernels.a", "-lm", "-o", "host"], check=True, cwd=tmp_path)
    done = subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=True)
    found, expected = done.stdout.splitlines(), list(launches())
    assert found == expected
    assert [line == "right" for line in found] == [
        *(True, False, False, True, False),
        *(False, False, False, True),
        *(True, True, False, True),
        *(False, True),
    ]
