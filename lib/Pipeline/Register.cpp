//===- Register.cpp - Registration of dialect, passes and pipelines -------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Register.h"
#include "dialect/Passes.h"
#include "dialect/tile/BytecodePasses.h"
#include "dialect/tile/Passes.h"
#include "dialect/tile/Tile.h"
#include "lib/Pipeline/Pipelines.h"

using namespace mlir;

void tinytc::registerDialect(DialectRegistry &registry) {
  registerFamilies();
  registry.insert<TinyTCDialect, tile::TileDialect>();
}

void tinytc::registerPassesAndPipelines() {
  registerFamilies();
  registerTinyTCPasses();
  registerTilePasses();
  tile::registerTileBytecodePasses();
  registerPipelines();
}
