/* Made by tinytc 0.1.0. The kernels of the library kernels. */
#ifndef TINYTC_LIBRARY_KERNELS_H
#define TINYTC_LIBRARY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<float> tinytc_c32;
typedef std::complex<double> tinytc_c64;
extern "C" {
#else
#include <stdbool.h>
typedef float _Complex tinytc_c32;
typedef double _Complex tinytc_c64;
#endif

/** What kernels_gemm takes: gemm(alpha: f32, A: memref<f32x?x9x?>, B: memref<f32x9x7>, beta: f32, C: memref<f32x?x7x?>) */
typedef struct kernels_gemm_args {
  float alpha; /**< alpha: f32 */
  const float *A; /**< A: memref<f32x?x9x?>, strides (1, ?, ?), read */
  int64_t A_shape0; /**< size of mode 0 of A */
  int64_t A_shape2; /**< size of mode 2 of A */
  int64_t A_stride1; /**< stride in elements of mode 1 of A */
  int64_t A_stride2; /**< stride in elements of mode 2 of A */
  const float *B; /**< B: memref<f32x9x7>, strides (1, 9), read */
  float beta; /**< beta: f32 */
  float *C; /**< C: memref<f32x?x7x?>, strides (1, ?, ?), read and written */
  int64_t C_shape0; /**< size of mode 0 of C */
  int64_t C_shape2; /**< size of mode 2 of C */
  int64_t C_stride1; /**< stride in elements of mode 1 of C */
  int64_t C_stride2; /**< stride in elements of mode 2 of C */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_gemm_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_gemm(const kernels_gemm_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_gemm_check(const kernels_gemm_args *args, char *message, size_t size);

/** What kernels_members takes: members(alpha: f64, A: group<memref<f64x?x?>x?, offset: ?>, B: group<memref<f64x?x?>x?>) */
typedef struct kernels_members_args {
  double alpha; /**< alpha: f64 */
  const double *const *A; /**< A: group<memref<f64x?x?>x?, offset: ?>, strides (1, ?), read */
  const int64_t *A_shape0; /**< size of mode 0 of A, for each member */
  const int64_t *A_shape1; /**< size of mode 1 of A, for each member */
  const int64_t *A_stride1; /**< stride in elements of mode 1 of A, for each member */
  int64_t A_size; /**< number of members of A */
  int64_t A_offset; /**< number of elements of A before each member begins */
  double *const *B; /**< B: group<memref<f64x?x?>x?>, strides (1, ?), read and written */
  const int64_t *B_shape0; /**< size of mode 0 of B, for each member */
  const int64_t *B_shape1; /**< size of mode 1 of B, for each member */
  const int64_t *B_stride1; /**< stride in elements of mode 1 of B, for each member */
  int64_t B_size; /**< number of members of B */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_members_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_members(const kernels_members_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_members_check(const kernels_members_args *args, char *message, size_t size);

/** What kernels_twice takes: twice(A: memref<i32x4x?x?>) */
typedef struct kernels_twice_args {
  int32_t *A; /**< A: memref<i32x4x?x?>, strides (1, 4, ?), read and written */
  int64_t A_shape1; /**< size of mode 1 of A */
  int64_t A_shape2; /**< size of mode 2 of A */
  int64_t A_stride2; /**< stride in elements of mode 2 of A */
  int64_t groups_x; /**< number of groups of the whole batch in x */
  int64_t groups_y; /**< number of groups of the whole batch in y */
} kernels_twice_args;

/** Runs groups first to last - 1, counted along x, then y, then z. Several threads may run different groups at once. */
void kernels_twice(const kernels_twice_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_twice_check(const kernels_twice_args *args, char *message, size_t size);

/** What kernels_large takes: large(A: memref<f32x128x128>, B: memref<f32x128x128>) */
typedef struct kernels_large_args {
  const float *A; /**< A: memref<f32x128x128>, strides (1, 128), read */
  float *B; /**< B: memref<f32x128x128>, strides (1, 128), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
  void *scratch; /**< memory for one thread, at a multiple of 128 bytes */
} kernels_large_args;

/** Runs groups first to last - 1. Several threads may run different groups at once.
 * Each thread needs 65536 bytes of scratch memory. */
void kernels_large(const kernels_large_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_large_check(const kernels_large_args *args, char *message, size_t size);

/** What kernels_scale_i8 takes: scale_i8(a: i8, X: memref<i8x37>) */
typedef struct kernels_scale_i8_args {
  int8_t a; /**< a: i8 */
  int8_t *X; /**< X: memref<i8x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_i8_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_i8(const kernels_scale_i8_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_i8_check(const kernels_scale_i8_args *args, char *message, size_t size);

/** What kernels_scale_i16 takes: scale_i16(a: i16, X: memref<i16x37>) */
typedef struct kernels_scale_i16_args {
  int16_t a; /**< a: i16 */
  int16_t *X; /**< X: memref<i16x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_i16_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_i16(const kernels_scale_i16_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_i16_check(const kernels_scale_i16_args *args, char *message, size_t size);

/** What kernels_scale_i32 takes: scale_i32(a: i32, X: memref<i32x37>) */
typedef struct kernels_scale_i32_args {
  int32_t a; /**< a: i32 */
  int32_t *X; /**< X: memref<i32x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_i32_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_i32(const kernels_scale_i32_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_i32_check(const kernels_scale_i32_args *args, char *message, size_t size);

/** What kernels_scale_i64 takes: scale_i64(a: i64, X: memref<i64x37>) */
typedef struct kernels_scale_i64_args {
  int64_t a; /**< a: i64 */
  int64_t *X; /**< X: memref<i64x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_i64_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_i64(const kernels_scale_i64_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_i64_check(const kernels_scale_i64_args *args, char *message, size_t size);

/** What kernels_scale_bf16 takes: scale_bf16(a: bf16, X: memref<bf16x37>) */
typedef struct kernels_scale_bf16_args {
  uint16_t a; /**< a: bf16 (its bits) */
  uint16_t *X; /**< X: memref<bf16x37>, strides (1), read and written, elements as their bits */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_bf16_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_bf16(const kernels_scale_bf16_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_bf16_check(const kernels_scale_bf16_args *args, char *message, size_t size);

/** What kernels_scale_f16 takes: scale_f16(a: f16, X: memref<f16x37>) */
typedef struct kernels_scale_f16_args {
  uint16_t a; /**< a: f16 (its bits) */
  uint16_t *X; /**< X: memref<f16x37>, strides (1), read and written, elements as their bits */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_f16_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_f16(const kernels_scale_f16_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_f16_check(const kernels_scale_f16_args *args, char *message, size_t size);

/** What kernels_scale_f32 takes: scale_f32(a: f32, X: memref<f32x37>) */
typedef struct kernels_scale_f32_args {
  float a; /**< a: f32 */
  float *X; /**< X: memref<f32x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_f32_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_f32(const kernels_scale_f32_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_f32_check(const kernels_scale_f32_args *args, char *message, size_t size);

/** What kernels_scale_f64 takes: scale_f64(a: f64, X: memref<f64x37>) */
typedef struct kernels_scale_f64_args {
  double a; /**< a: f64 */
  double *X; /**< X: memref<f64x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_f64_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_f64(const kernels_scale_f64_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_f64_check(const kernels_scale_f64_args *args, char *message, size_t size);

/** What kernels_scale_c32 takes: scale_c32(a: c32, X: memref<c32x37>) */
typedef struct kernels_scale_c32_args {
  tinytc_c32 a; /**< a: c32 */
  tinytc_c32 *X; /**< X: memref<c32x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_c32_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_c32(const kernels_scale_c32_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_c32_check(const kernels_scale_c32_args *args, char *message, size_t size);

/** What kernels_scale_c64 takes: scale_c64(a: c64, X: memref<c64x37>) */
typedef struct kernels_scale_c64_args {
  tinytc_c64 a; /**< a: c64 */
  tinytc_c64 *X; /**< X: memref<c64x37>, strides (1), read and written */
  int64_t groups; /**< number of groups of the whole batch in x */
} kernels_scale_c64_args;

/** Runs groups first to last - 1. Several threads may run different groups at once. */
void kernels_scale_c64(const kernels_scale_c64_args *args, int64_t first, int64_t last);

/** Checks sizes, strides, alignment and the number of groups; returns 0 if all groups may run.
 * Otherwise writes the reason, as text of at most size bytes, and returns 1. */
int kernels_scale_c64_check(const kernels_scale_c64_args *args, char *message, size_t size);

/** Returns the name of the target whose code runs on this processor, null if there is none. */
const char *kernels_target(void);

#ifdef __cplusplus
}
#endif

#endif
