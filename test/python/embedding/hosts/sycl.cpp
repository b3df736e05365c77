// Launches a kernel on a queue of SYCL, after another launch of it, and prints the first results.
#include "kernels_batch.hpp"

#include <algorithm>
#include <cstdio>

int main() {
  constexpr int rows = 5, groups = 300;
  sycl::queue queue{sycl::cpu_selector_v};
  const kernels::sycl_kernels launches(queue.get_context());
  float *a = sycl::malloc_shared<float>(rows * 9 * groups, queue);
  float *b = sycl::malloc_shared<float>(9 * 7, queue);
  float *c = sycl::malloc_shared<float>(rows * 7 * groups, queue);
  std::fill_n(a, rows * 9 * groups, 1.0f);
  std::fill_n(b, 9 * 7, 2.0f);
  std::fill_n(c, rows * 7 * groups, 3.0f);
  kernels::gemm_args args{.alpha = 0.5f,
                          .A = {a, {rows, 9, groups}},
                          .B = b,
                          .beta = 2,
                          .C = {c, {rows, 7, groups}},
                          .groups = groups};
  kernels::check(args);
  const sycl::event first = launches.gemm(queue, args);
  const sycl::event second = launches.gemm(queue, args, {first});
  args.groups = 0;
  launches.gemm(queue, args, {second}).wait();
  const auto [least, greatest] = std::minmax_element(c, c + rows * 7 * groups);
  std::printf("%g %g\n", *least, *greatest);
  std::complex<double> *x = sycl::malloc_shared<std::complex<double>>(37, queue);
  std::fill_n(x, 37, std::complex<double>(1, 1));
  launches.scale_c64(queue, {.a = {2, -3}, .X = x, .groups = 1}).wait();
  std::printf("%g %g\n", x[36].real(), x[36].imag());
  kernels::batch::scale_c64(1, &queue, {2, -3}, x);
  queue.wait();
  std::printf("%g %g\n", x[36].real(), x[36].imag());
  args.groups = groups + 1;
  try {
    kernels::check(args);
  } catch (const std::invalid_argument &error) {
    std::puts(error.what());
  }
  for (void *memory : {static_cast<void *>(a), static_cast<void *>(b), static_cast<void *>(c)})
    sycl::free(memory, queue);
  sycl::free(x, queue);
}
