/* As much of CUDA's driver as libraries call. It prints launches instead. */
#ifndef CUDA_H
#define CUDA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum { CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_FOUND = 500 } CUresult;
typedef enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 } CUfunction_attribute;
typedef const char *CUmodule, *CUfunction;
typedef char *CUstream, *CUcontext;
typedef uintptr_t CUdeviceptr;

/* The code has an entry for each function. */
static inline CUresult cuModuleLoadData(CUmodule *module, const void *code) {
  *module = (CUmodule)code;
  return CUDA_SUCCESS;
}

static inline CUresult cuModuleUnload(CUmodule module) {
  printf("unload %zu\n", strlen(module));
  return CUDA_SUCCESS;
}

static inline CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                           const char *name) {
  char entry[200];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  *function = name;
  return strstr(module, entry) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static inline CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                          int value) {
  printf("attribute %d of %s: %d\n", attribute, function, value);
  return CUDA_SUCCESS;
}

static inline CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = NULL;
  return CUDA_SUCCESS;
}

static inline CUresult cuGetErrorName(CUresult status, const char **name) {
  *name = status == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_NOT_FOUND";
  return CUDA_SUCCESS;
}

/* All memory ends where an array of the test does. */
static uintptr_t end_of_memory;

static inline CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
  *base = address;
  *size = end_of_memory - address;
  return CUDA_SUCCESS;
}

static inline CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                      unsigned x, unsigned y, unsigned z, unsigned bytes,
                                      CUstream stream, void **parameters, void **extra) {
  (void)parameters, (void)extra;
  printf("%s <%u %u %u> <%u %u %u> %u %s\n", function, gx, gy, gz, x, y, z, bytes, stream);
  return CUDA_SUCCESS;
}

#endif
