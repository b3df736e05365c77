//===- tinytc-opt.cpp - mlir-opt with the tinytc dialect ------------------===//

#include "dialect/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tinytc::registerEverything(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tiny Tensor optimizer driver\n", registry));
}
