/* Runs kernels on arrays from stdin and writes all of the arrays to stdout. WHERE is a header that
 * says where arrays and kernels are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include WHERE

static void *receive(size_t size) {
  void *data = allocate(size);
  if (!data || fread(data, 1, size, stdin) != size)
    exit(3);
  return data;
}

static void *copy(const void *from, size_t size) {
  return memcpy(allocate(size), from, size);
}

static void send(void *data, size_t size) {
  fwrite(data, 1, size, stdout);
  release(data);
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
    RUN(kernels_scale_##type, args, 0, 1)                                                          \
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
  RUN(kernels_gemm, args, 0, groups)
  release(a);
  release(b);
  send(c, c_size);
  return 0;
}

static int run_members(void) {
  enum { count = 3, offset = 2 };
  char message[200];
  static const int64_t sizes[2][count] = {{5, 1, 17}, {4, 3, 2}};
  int64_t *const rows_of = copy(sizes[0], sizeof sizes[0]);
  int64_t *const columns_of = copy(sizes[1], sizeof sizes[1]);
  double *arrays[2][count];
  for (int i = 0; i < count; ++i) {
    arrays[0][i] = receive((size_t)(offset + sizes[0][i] * sizes[1][i]) * sizeof(double));
    arrays[1][i] = receive((size_t)(sizes[0][i] * sizes[1][i]) * sizeof(double));
  }
  double **const a = copy(arrays[0], sizeof arrays[0]), **const b = copy(arrays[1], sizeof arrays[1]);
  kernels_members_args args = {
      .alpha = 3, .A = (const double *const *)a, .A_shape0 = rows_of, .A_shape1 = columns_of,
      .A_stride1 = rows_of, .A_size = count, .A_offset = offset, .B = b, .B_shape0 = rows_of,
      .B_shape1 = columns_of, .B_stride1 = rows_of, .B_size = count, .groups = count};
  CHECKED(kernels_members, args)
  RUN(kernels_members, args, 0, count)
  for (int i = 0; i < count; ++i) {
    release(arrays[0][i]);
    send(arrays[1][i], (size_t)(sizes[0][i] * sizes[1][i]) * sizeof(double));
  }
  release(rows_of);
  release(columns_of);
  release(a);
  release(b);
  return 0;
}

int main(void) {
  char message[200];
  start();
  if (run_gemm(0) || run_gemm(-1.5f) || run_members())
    return 1;
  {
    int32_t *a = receive(4 * 5 * 3 * sizeof(int32_t));
    kernels_twice_args args = {.A = a, .A_shape1 = 5, .A_shape2 = 3, .A_stride2 = 20,
                                .groups_x = 5, .groups_y = 3};
    CHECKED(kernels_twice, args)
    RUN(kernels_twice, args, 1, 12)
    RUN_REST(kernels_twice, args, 12, 14)
    send(a, 4 * 5 * 3 * sizeof(int32_t));
  }
  {
    const size_t size = 128 * 128 * sizeof(float);
    float *a = receive(size), *b = receive(size);
    kernels_large_args args = {.A = a, .B = b, .groups = 1};
    GIVE_SCRATCH(args, 128 * 128 * sizeof(float))
    CHECKED(kernels_large, args)
    RUN(kernels_large, args, 0, 1)
    TAKE_SCRATCH(args)
    release(a);
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
  stop();
  return 0;
}
