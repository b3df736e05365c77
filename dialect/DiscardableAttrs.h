//===- DiscardableAttrs.h - Our attributes on ops of any dialect -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Passes leave these attributes for later ones (dialect/TinyTC.td declares them). The
// verifier has checked name, op, type and value; here they are read and written.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_DIALECT_DISCARDABLEATTRS_H
#define TINYTC_DIALECT_DISCARDABLEATTRS_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// The attribute of `op` that `Helper`, one of the classes that ODS declares in
/// TinyTCDialect, stands for; null if it has none.
template <typename Helper>
auto getDiscardable(Operation *op) {
  return Helper(op->getContext()).getAttr(op);
}

/// Sets the attribute of `op` that `Helper` stands for.
template <typename Helper, typename Attr>
void setDiscardable(Operation *op, Attr value) {
  Helper(op->getContext()).setAttr(op, value);
}

/// Removes the attribute of `op` that `Helper` stands for, if it has one.
template <typename Helper>
void removeDiscardable(Operation *op) {
  op->removeDiscardableAttr(Helper::getNameStr());
}

/// The attribute of parameter `index` of a function that `Helper` stands for; null if
/// it has none.
template <typename Helper>
auto getParameterAttr(FunctionOpInterface func, unsigned index) {
  using Attr = decltype(std::declval<Helper>().getAttr(nullptr));
  return func.getArgAttrOfType<Attr>(index, Helper::getNameStr());
}

/// The target of the module around `op`, or of `op` itself; null if there is none.
TargetAttr findTarget(Operation *op);

/// The manifest of a kernel; an empty one if it has none.
ManifestAttr getManifest(Operation *kernel);
void setManifest(Operation *kernel, ManifestAttr manifest);

/// The request to unroll a loop of another dialect (true) or not to (false), if any.
std::optional<bool> getUnroll(Operation *loop);
/// The number of iterations that shall become one, if the request says it.
std::optional<int64_t> getUnrollFactor(Operation *loop);
void setUnroll(Operation *loop, bool value);

/// The sizes that a kernel of another dialect runs with.
struct KernelSizes {
  int32_t subgroupSize;
  /// Two entries.
  ArrayRef<int32_t> workGroupSize;
};

/// The sizes of a kernel. Emits an error if it lacks one of them.
FailureOr<KernelSizes> getKernelSizes(FunctionOpInterface kernel);

} // namespace mlir::tinytc

#endif // TINYTC_DIALECT_DISCARDABLEATTRS_H
