//===- Passes.cpp - Pass that writes bytecode -----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/tile/BytecodePasses.h"
#include "lib/Tile/Bytecode/Bytecode.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::tile;

namespace mlir::tile {
#define GEN_PASS_DEF_WRITEBYTECODEPASS
#include "dialect/tile/TileBytecodePasses.h.inc"
} // namespace mlir::tile

namespace {

struct WriteBytecodePass : tile::impl::WriteBytecodePassBase<WriteBytecodePass> {
  using WriteBytecodePassBase::WriteBytecodePassBase;

  void runOnOperation() override {
    SmallVector<char, 0> bytes;
    std::string message;
    if (failed(writeBytecode(getOperation(), version, bytes)))
      return signalPassFailure();
    auto file = openOutputFile(output, &message);
    if (!file) {
      getOperation().emitError() << message;
      return signalPassFailure();
    }
    file->os().write(bytes.data(), bytes.size());
    file->keep();
  }
};

} // namespace
