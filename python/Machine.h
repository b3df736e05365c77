//===- Machine.h - What interpreters of kernels compute in C++ ------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory whose every access is checked: is it in bounds, does it read what somebody has
// written, does it race with others? And multiply-adds that are rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_PYTHON_MACHINE_H
#define TINYTC_PYTHON_MACHINE_H

namespace nanobind {
class module_;
} // namespace nanobind

/// Defines `CheckedMemory`, `Order` and `fused_multiply_add` of the extension.
void defineMachine(nanobind::module_ &m);

#endif // TINYTC_PYTHON_MACHINE_H
