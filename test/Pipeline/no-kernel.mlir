// RUN: tinytc-opt %s --prepared-to-linalg --verify-diagnostics
// RUN: tinytc-opt %s --prepared-to-spirv --verify-diagnostics
// RUN: tinytc-opt %s --linalg-to-gpu --verify-diagnostics
// RUN: tinytc-opt %s --linalg-to-spirv --verify-diagnostics
// RUN: tinytc-opt %s --gpu-to-spirv --verify-diagnostics

// No pipeline turns a module without kernels into an empty program.
// expected-error @below {{expected a module with a kernel, got none}}
module {
  func.func private @elsewhere()
}
