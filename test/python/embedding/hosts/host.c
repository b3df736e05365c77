/* Runs kernels on arrays from stdin and writes all of the arrays to stdout. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *receive(size_t size) {
  void *data = malloc(size);
  if (!data || fread(data, 1, size, stdin) != size)
    exit(3);
  return data;
}

static void send(void *data, size_t size) {
  fwrite(data, 1, size, stdout);
  free(data);
}

#define CHECKED(kernel, args)                                                                      \
  if (kernel##_check(&args, message, sizeof message)) {                                            \
    fprintf(stderr, "%s\n", message);                                                              \
    return 1;                                                                                      \
  }

#define SCALE(type, element, factor)                                                               \
  {                                                                                                \
    element *x = receive(37 * sizeof(element));                                                    \
    kernels_scale_##type##_args args = {.a = factor, .X = x, .groups = 1};                         \
    CHECKED(kernels_scale_##type, args)                                                            \
    kernels_scale_##type(&args, 0, 1);                                                             \
    send(x, 37 * sizeof(element));                                                                 \
  }

enum { rows = 21, leading = 24, groups = 50, guard = 16 };

static int run_gemm(float beta) {
  char message[200];
  const size_t a_size = rows * 9 * groups * sizeof(float), b_size = 9 * 7 * sizeof(float);
  const size_t c_size = (2 * guard + leading * 7 * groups) * sizeof(float);
  float *a = receive(a_size), *b = receive(b_size), *c = receive(c_size);
  kernels_gemm_args args = {.alpha = 2, .A = a, .A_shape0 = rows, .A_shape2 = groups,
                            .A_stride1 = rows, .A_stride2 = rows * 9,
                            .B = b, .beta = beta, .C = c + guard,
                            .C_shape0 = rows, .C_shape2 = groups,
                            .C_stride1 = leading, .C_stride2 = leading * 7, .groups = groups};
  CHECKED(kernels_gemm, args)
#pragma omp parallel for schedule(dynamic)
  for (int64_t first = 0; first < groups; first += 8)
    kernels_gemm(&args, first, first + 8 < groups ? first + 8 : groups);
  free(a);
  free(b);
  send(c, c_size);
  return 0;
}

static int run_members(void) {
  enum { count = 3, offset = 2 };
  char message[200];
  const int64_t sizes[2][count] = {{5, 1, 17}, {4, 3, 2}};
  double *arrays[2][count];
  for (int i = 0; i < count; ++i) {
    arrays[0][i] = receive((size_t)(offset + sizes[0][i] * sizes[1][i]) * sizeof(double));
    arrays[1][i] = receive((size_t)(sizes[0][i] * sizes[1][i]) * sizeof(double));
  }
  const double *const a[count] = {arrays[0][0], arrays[0][1], arrays[0][2]};
  kernels_members_args args = {
      .alpha = 3, .A = a, .A_shape0 = sizes[0], .A_shape1 = sizes[1], .A_stride1 = sizes[0],
      .A_size = count, .A_offset = offset, .B = arrays[1], .B_shape0 = sizes[0],
      .B_shape1 = sizes[1], .B_stride1 = sizes[0], .B_size = count, .groups = count};
  CHECKED(kernels_members, args)
  kernels_members(&args, 0, count);
  for (int i = 0; i < count; ++i) {
    free(arrays[0][i]);
    send(arrays[1][i], (size_t)(sizes[0][i] * sizes[1][i]) * sizeof(double));
  }
  return 0;
}

int main(void) {
  char message[200];
  if (run_gemm(0) || run_gemm(-1.5f) || run_members())
    return 1;
  {
    int32_t *a = receive(4 * 5 * 3 * sizeof(int32_t));
    kernels_twice_args args = {.A = a, .A_shape1 = 5, .A_shape2 = 3, .A_stride2 = 20,
                                .groups_x = 5, .groups_y = 3};
    CHECKED(kernels_twice, args)
    kernels_twice(&args, 1, 12);
    kernels_twice(&args, 12, 14);
    send(a, 4 * 5 * 3 * sizeof(int32_t));
  }
  {
    const size_t size = 128 * 128 * sizeof(float);
    float *a = receive(size), *b = receive(size);
    void *scratch = aligned_alloc(128, 128 * 128 * sizeof(float));
    kernels_large_args args = {.A = a, .B = b, .groups = 1, .scratch = scratch};
    CHECKED(kernels_large, args)
    kernels_large(&args, 0, 1);
    free(scratch);
    free(a);
    send(b, size);
  }
  SCALE(i8, int8_t, -3)
  SCALE(i16, int16_t, -3)
  SCALE(i32, int32_t, -3)
  SCALE(i64, int64_t, -3)
  SCALE(bf16, uint16_t, 0xc040)
  SCALE(f16, uint16_t, 0xc200)
  SCALE(f32, float, -3)
  SCALE(f64, double, -3)
  SCALE(c32, float _Complex, (float _Complex)(__extension__(2 - 3.0fi)))
  SCALE(c64, double _Complex, (double _Complex)(__extension__(2 - 3.0i)))
  return 0;
}
