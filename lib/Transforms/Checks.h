//===- Checks.h - Rules of a debug build and their reports ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The checks that tinytc-insert-checks inserts, without the rules of the language.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TRANSFORMS_CHECKS_H
#define TINYTC_LIB_TRANSFORMS_CHECKS_H

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"

namespace mlir::tinytc {

/// A message about values: those that are constant are part of the text, the others are
/// reported.
class Message {
public:
  Message &operator<<(StringRef part);
  Message &operator<<(int64_t number);
  Message &operator<<(Value value);

  std::string text;
  SmallVector<Value> values;
};

/// A condition under which an instruction is defined.
struct Rule {
  Value holds;
  /// Of the instruction that states the rule.
  Location loc;
  Message message;
  /// Whether the violation has been reported where the condition was computed.
  bool isReported = false;
};

/// Rules that must hold together, in the order in which they are reported.
class Rules {
public:
  /// Adds a rule, unless it always holds; code goes to the insertion point.
  void add(OpBuilder &builder, Rule rule);
  /// Adds the rules of a memref that an instruction accesses.
  void add(OpBuilder &builder, const Rules &others);

  bool empty() const { return list.empty(); }
  /// Whether all hold; there must be one.
  Value getCondition() const { return condition; }
  ArrayRef<Rule> getList() const { return list; }

private:
  void require(OpBuilder &builder, Location loc, Value holds);

  SmallVector<Rule> list;
  Value condition;
};

/// Makes the code that keeps instructions of one kernel within the rules.
class Guard {
public:
  explicit Guard(FuncOp func);

  /// Runs `op` only where the rules hold and reports where they do not; its results are
  /// then 0.
  void protect(Operation *op, const Rules &rules);
  /// Runs `op` and the rest of its block only where the rules hold, without a report;
  /// the block then yields 0.
  void protectRest(Operation *op, const Rules &rules);
  /// The values `regular` where the rules hold, else `safe`, after a report.
  ValueRange select(OpBuilder &builder, Location loc, const Rules &rules,
                    ValueRange regular, ValueRange safe);

  /// Prints a message.
  void print(OpBuilder &builder, Location loc, const Message &message);

private:
  void report(OpBuilder &builder, Location use, ArrayRef<Rule> rules);
  void report(OpBuilder &builder, Location use, const Rule &rule);
  void createReport(OpBuilder &builder, Location loc, const Message &message,
                    bool isPrint);
  Value getBuffer();

  FuncOp func;
  bool hasPrints = false;
  Value buffer;
  int64_t numReports = 0;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TRANSFORMS_CHECKS_H
