//===- Interface.cpp - How instructions are differentiated ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/Derivatives.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

#include "dialect/TinyTCDerivatives.cpp.inc"
