//===- Outlining.h - Functions that passes make -----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_OUTLINING_H
#define TINYTC_LIB_BUILDERS_OUTLINING_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace mlir::tinytc {

/// `name` if no symbol of the table `scope` has it, else a name made from it that none
/// has.
std::string createUniqueName(Operation *scope, StringRef name);

/// Whether two functions are the same but for their names.
bool computesSame(FunctionOpInterface a, FunctionOpInterface b);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_OUTLINING_H
