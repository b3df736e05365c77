//===- ParameterViews.h - Views of parameters -------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_PARAMETERVIEWS_H
#define TINYTC_LIB_ANALYSIS_PARAMETERVIEWS_H

#include "lib/Analysis/LaunchIntegers.h"

namespace mlir::tinytc {

/// Adjacent modes of a memref parameter, of the members of a group parameter, or of an
/// alloca or constant; or if there are none, the members themselves. Allocas are
/// counted after the parameters.
struct IndexedModes {
  /// The mode of the parts of complex numbers, which precedes mode 0.
  static constexpr unsigned kParts = -1;

  unsigned parameter;
  unsigned first = 0;
  unsigned count = 0;

  bool operator<(const IndexedModes &other) const {
    return std::tie(parameter, first, count) <
           std::tie(other.parameter, other.first, other.count);
  }
};

/// A place within some modes of a parameter.
struct Coordinate {
  IndexedModes modes;
  LaunchInteger begin;
  /// Number of places.
  Polynomial size;
};

/// A mode of a view: index i moves a coordinate by `stride` * i.
struct ViewMode {
  size_t coordinate;
  LaunchInteger stride;
  LaunchInteger size;
};

/// A view of a memref parameter, of a member of a group parameter, of an alloca or a
/// constant.
struct ParameterView {
  unsigned parameter;
  std::vector<Coordinate> coordinates;
  std::vector<ViewMode> modes;
};

/// The views of a kernel's parameters. Operations must be added in the order of
/// execution.
class ParameterViews {
public:
  /// Takes values of offsets and sizes from `integers`.
  explicit ParameterViews(const LaunchIntegers &integers) : integers(integers) {}

  /// Adds a parameter if it is a memref. All must be added before any operation.
  void addParameter(BlockArgument parameter);
  /// Adds the result of an operation if it is a view.
  void addResult(Operation *op);

  /// Null for a memref that comes from elsewhere.
  const ParameterView *find(Value memref) const;
  /// The members of a group parameter as a view of one mode; nothing for other values.
  std::optional<ParameterView> getMembers(Value group) const;
  LaunchInteger getSize(SizeOp op) const;
  LaunchInteger getSize(Value memref, int64_t mode) const;
  /// The parameters, allocas and constants, as modes count them.
  ArrayRef<Value> getRoots() const { return roots; }
  /// The distance between neighbours along the first one of some modes, in elements of
  /// the parameter.
  Polynomial getStride(IndexedModes modes) const;

private:
  void addMember(LoadOp op);
  void addMemory(Value memory);
  void addSubview(SubviewOp op, ParameterView view);
  void addExpand(ExpandOp op, ParameterView view);
  void addExpandC2R(ExpandC2ROp op, ParameterView view);
  void addFuse(FuseOp op, ParameterView view);

  const LaunchIntegers &integers;
  DenseMap<Value, ParameterView> views;
  std::vector<Value> roots;
  /// Numbers of loads of members, by the group and the index, if it is known.
  std::map<std::pair<unsigned, Polynomial>, unsigned> loads;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_PARAMETERVIEWS_H
