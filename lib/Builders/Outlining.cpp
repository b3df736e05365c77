//===- Outlining.cpp - Functions that passes make -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/Outlining.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::tinytc;

std::string tinytc::createUniqueName(Operation *scope, StringRef name) {
  auto isTaken = [&](StringRef candidate) {
    return SymbolTable::lookupSymbolIn(scope, candidate) != nullptr;
  };
  unsigned counter = 0;
  return isTaken(name)
             ? SymbolTable::generateSymbolName<64>(name, isTaken, counter).str().str()
             : name.str();
}

bool tinytc::computesSame(FunctionOpInterface a, FunctionOpInterface b) {
  return a.getFunctionType() == b.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getFunctionBody(), &b.getFunctionBody(),
             OperationEquivalence::IgnoreLocations);
}
