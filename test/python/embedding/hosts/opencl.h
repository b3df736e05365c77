/* Kernels run on the first device of OpenCL, on arrays in unified shared memory. */
#include "kernels_opencl.h"

#include <CL/cl_ext.h>

/* All groups run at once, so there is no rest. */
#define RUN(kernel, args, begin, end)                                                              \
  {                                                                                                \
    cl_event event;                                                                                \
    ensure(kernel##_opencl(library, &args, queue, 0, NULL, &event), #kernel);                      \
    ensure(clWaitForEvents(1, &event), "clWaitForEvents");                                         \
    ensure(clReleaseEvent(event), "clReleaseEvent");                                               \
  }
#define RUN_REST(kernel, args, begin, end)
#define GIVE_SCRATCH(args, size)
#define TAKE_SCRATCH(args)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static kernels_opencl *library;
static clSharedMemAllocINTEL_fn shared_alloc;
static clMemFreeINTEL_fn shared_free;

static void ensure(cl_int status, const char *what) {
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s returns %d\n", what, (int)status);
    exit(4);
  }
}

static void *allocate(size_t size) {
  cl_int status;
  void *data = shared_alloc(context, device, NULL, size, 64, &status);
  ensure(status, "clSharedMemAllocINTEL");
  return data;
}

static void release(void *data) { ensure(shared_free(context, data), "clMemFreeINTEL"); }

static void start(void) {
  cl_platform_id platform;
  cl_int status;
  char message[2000];
  void *found;
  ensure(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  ensure(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  ensure(status, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  ensure(status, "clCreateCommandQueueWithProperties");
  found = clGetExtensionFunctionAddressForPlatform(platform, "clSharedMemAllocINTEL");
  memcpy(&shared_alloc, &found, sizeof found);
  found = clGetExtensionFunctionAddressForPlatform(platform, "clMemFreeINTEL");
  memcpy(&shared_free, &found, sizeof found);
  status = kernels_opencl_create(context, device, &library, message, sizeof message);
  ensure(status, message);
}

static void stop(void) {
  kernels_opencl_release(library);
  ensure(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  ensure(clReleaseContext(context), "clReleaseContext");
}
