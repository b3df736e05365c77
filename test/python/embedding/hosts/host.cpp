// Calls a kernel with views and prints the errors of wrong ones.
#include "kernels.hpp"

#include <complex>
#include <cstdio>
#include <span>
#include <vector>

// Like std::mdspan, which C++20 does not have.
struct matrices {
  float *data;
  std::array<std::int64_t, 3> extents, strides;
  static constexpr std::size_t rank() { return 3; }
  float *data_handle() const { return data; }
  std::int64_t extent(std::size_t mode) const { return extents[mode]; }
  std::int64_t stride(std::size_t mode) const { return strides[mode]; }
};

static void report(const kernels::gemm_args &args) {
  try {
    kernels::check(args);
    std::puts("right");
  } catch (const std::invalid_argument &error) {
    std::puts(error.what());
  }
}

int main() {
  std::vector<float> a(4 * 9 * 2, 1), b(9 * 7, 2), c(5 * 7 * 2, 3);
  kernels::gemm_args args{.alpha = 0.5f,
                          .A = {a.data(), {4, 9, 2}},
                          .B = b.data(),
                          .beta = 1,
                          .C = matrices{c.data(), {4, 7, 2}, {1, 5, 35}},
                          .groups = 2};
  report(args);
  kernels::gemm(args, 0, 2);
  for (float value : std::span(c).first(5))
    std::printf("%g ", value);
  std::puts("");
  args.groups = 3;
  report(args);
  args.groups = 2;
  args.A = {a.data(), {4, 8, 2}};
  report(args);
  args.A = {a.data(), {3, 9, 2}};
  report(args);
  args.A = {nullptr, {4, 9, 2}};
  report(args);
  args.A = {a.data(), {4, 9, 2}};
  args.C.strides[1] = 3;
  report(args);
  for (std::int64_t groups : {std::int64_t(-1), std::int64_t(1) << 31}) {
    args.groups = groups;
    report(args);
  }

  std::vector<double> first(22, 1), second(20, 2);
  const std::vector<double *> from{first.data(), first.data()},
      to{second.data(), second.data() + 4};
  const std::vector<std::int64_t> rows{2, 2}, columns{2, 8};
  kernels::members_args groups{.alpha = 3,
                               .A = from,
                               .A_shape0 = rows,
                               .A_shape1 = columns,
                               .A_stride1 = rows,
                               .A_offset = 2,
                               .B = to,
                               .B_shape0 = rows,
                               .B_shape1 = columns,
                               .B_stride1 = rows,
                               .groups = 2};
  kernels::check(groups);
  kernels::members(groups, 0, 2);
  std::printf("%g %g %g\n", second[0], second[4], second[19]);
  groups.B = {to.data(), 1};
  try {
    kernels::check(groups);
  } catch (const std::invalid_argument &error) {
    std::puts(error.what());
  }

  std::vector<std::complex<double>> x(37, {1, 1});
  kernels::scale_c64_args scale{.a = {0, 2}, .X = x};
  kernels::check(scale);
  kernels::scale_c64(scale, 0, 1);
  std::printf("%g %g\n", x[36].real(), x[36].imag());
}
