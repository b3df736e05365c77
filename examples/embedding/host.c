/* Computes C_i := 2 A_i B for a batch with the kernel of gemm.ir, on all cores. */
#include "gemm.h"

#include <stdio.h>
#include <stdlib.h>

enum { groups = 1000 };

int main(void) {
  float *a = malloc(sizeof(float) * 16 * 8 * groups), b[8 * 4];
  float *c = malloc(sizeof(float) * 16 * 4 * groups);
  if (!a || !c)
    return 1;
  for (int i = 0; i < 16 * 8 * groups; ++i)
    a[i] = 1;
  for (int i = 0; i < 8 * 4; ++i)
    b[i] = 0.5f;

  gemm_gemm_args args = {.alpha = 2, .A = a, .A_shape2 = groups, .B = b,
                         .C = c, .C_shape2 = groups, .groups = groups};
  char message[200];
  if (gemm_gemm_check(&args, message, sizeof message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
#pragma omp parallel for
  for (int64_t first = 0; first < groups; first += 100)
    gemm_gemm(&args, first, first + 100);

  printf("%s: %g %g\n", gemm_target(), c[0], c[16 * 4 * groups - 1]);
  free(a);
  free(c);
  return 0;
}
