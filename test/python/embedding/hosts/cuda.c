/* Launches kernels on what takes the place of CUDA's driver. */
#include "small_cuda.c"

#include <stdlib.h>

int main(void) {
  small_cuda *kernels;
  float *memory = aligned_alloc(64, 4096 * sizeof(float));
  if (small_cuda_create(&kernels) != CUDA_SUCCESS)
    return 1;
  small_product_args args = {
      .alpha = 1, .A = memory, .B = memory + 1024, .C = memory + 2048, .C_shape2 = 3, .groups = 100};
  small_product_cuda(kernels, &args, "aligned");
  args.A = memory + 1;
  small_product_cuda(kernels, &args, "off by one");
  args.groups = 0;
  small_product_cuda(kernels, &args, "none");
  small_rows_args rows = {.A = memory, .A_shape0 = 9, .B = memory + 64, .B_shape0 = 9,
                          .groups_x = 2, .groups_y = 3};
  end_of_memory = (uintptr_t)(memory + 64 + 12);
  small_rows_cuda(kernels, &rows, "room");
  end_of_memory = (uintptr_t)(memory + 64 + 11);
  small_rows_cuda(kernels, &rows, "no room");
  end_of_memory = (uintptr_t)(memory + 4096);
  rows.B = memory + 8;
  small_rows_cuda(kernels, &rows, "overlap");
  rows.A = NULL;
  rows.A_shape0 = rows.B_shape0 = 0;
  small_rows_cuda(kernels, &rows, "empty");
  small_cuda_release(kernels);
  free(memory);
  return 0;
}
