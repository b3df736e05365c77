//===- Plugin.cpp - The dialect and its passes for mlir-opt ---------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// mlir-opt --load-dialect-plugin=TinyTCPlugin.so --load-pass-plugin=TinyTCPlugin.so
//
//===----------------------------------------------------------------------===//

#include "dialect/Register.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tinytc", TINYTC_VERSION,
          [](DialectRegistry *registry) { tinytc::registerDialect(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tinytc", TINYTC_VERSION,
          [] { tinytc::registerPassesAndPipelines(); }};
}
