// Launches the kernel of gemm.ir from C++, by OpenCL alone:
//
//   tinytc compile --abi plain --emit spirv gemm.ir -o gemm.spv
//   tinytc compile --abi plain --emit manifest gemm.ir -o gemm.json
//   c++ -std=c++17 launch.cpp -lOpenCL -o launch && ./launch gemm.spv gemm.json

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

constexpr int kRows = 16, kInner = 8, kColumns = 4, kGroups = 1000;
constexpr float kAlpha = 2.0f;

static void check(cl_int status, const char *what) {
  if (status != CL_SUCCESS) {
    std::fprintf(stderr, "expected %s to succeed, got status %d\n", what, status);
    std::exit(1);
  }
}

static std::string readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "expected the file %s, got none\n", path);
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// The work-group size is the only thing that this program does not know of its kernel.
static std::vector<size_t> readLocalSize(const std::string &manifest) {
  const std::string key = "\"local_size\"";
  const char *text = manifest.c_str() + manifest.find('[', manifest.find(key)) + 1;
  std::vector<size_t> size;
  for (char *end = nullptr; size.size() < 3; text = end + 1)
    size.push_back(std::strtoul(text, &end, 10));
  return size;
}

static cl_device_id findDevice() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  cl_device_id device = nullptr;
  for (cl_uint i = 0; i < count && !device; ++i)
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  if (!device) {
    std::fprintf(stderr, "expected an OpenCL device, got none\n");
    std::exit(1);
  }
  return device;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: launch gemm.spv gemm.json\n");
    return 2;
  }
  const std::string spirv = readFile(argv[1]);
  const std::vector<size_t> local = readLocalSize(readFile(argv[2]));

  cl_int status;
  cl_device_id device = findDevice();
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  check(status, "clCreateCommandQueueWithProperties");
  cl_program program =
      clCreateProgramWithIL(context, spirv.data(), spirv.size(), &status);
  check(status, "clCreateProgramWithIL");
  // Before OpenCL 2.0, drivers of CPUs make barriers of work-groups of those of
  // subgroups.
  check(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", nullptr, nullptr),
        "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "gemm", &status);
  check(status, "clCreateKernel");

  // Column-major, and the batch is the last mode.
  std::vector<float> a(kRows * kInner * kGroups), b(kInner * kColumns);
  std::vector<float> c(kRows * kColumns * kGroups);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 13) - 6;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 7) - 3;
  auto makeBuffer = [&](std::vector<float> &data) {
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   data.size() * sizeof(float), data.data(), &status);
    check(status, "clCreateBuffer");
    return buffer;
  };
  cl_mem bufferA = makeBuffer(a), bufferB = makeBuffer(b), bufferC = makeBuffer(c);

  // From left to right: a scalar is its value; a memref is its pointer and then one
  // 64-bit integer for each ? of its shape.
  const std::int64_t batch = kGroups;
  cl_uint index = 0;
  auto setArgument = [&](size_t size, const void *value) {
    check(clSetKernelArg(kernel, index++, size, value), "clSetKernelArg");
  };
  setArgument(sizeof(kAlpha), &kAlpha);
  setArgument(sizeof(cl_mem), &bufferA);
  setArgument(sizeof(batch), &batch);
  setArgument(sizeof(cl_mem), &bufferB);
  setArgument(sizeof(cl_mem), &bufferC);
  setArgument(sizeof(batch), &batch);

  const size_t global[3] = {kGroups * local[0], local[1], local[2]};
  check(clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local.data(), 0,
                               nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, bufferC, CL_TRUE, 0, c.size() * sizeof(float),
                            c.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");

  float error = 0;
  for (int i = 0; i < kGroups; ++i)
    for (int n = 0; n < kColumns; ++n)
      for (int m = 0; m < kRows; ++m) {
        float sum = 0;
        for (int k = 0; k < kInner; ++k)
          sum += a[m + kRows * (k + kInner * i)] * b[k + kInner * n];
        error = std::fmax(error,
                          std::fabs(kAlpha * sum - c[m + kRows * (n + kColumns * i)]));
      }
  std::printf("%d groups, largest error %g\n", kGroups, error);

  for (cl_mem buffer : {bufferA, bufferB, bufferC})
    clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return error == 0 ? 0 : 1;
}
