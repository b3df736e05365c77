//===- Interfaces.td - Traits of ops: execution kinds --------*- tablegen -*-===//
//
// Where an op may stand (collective, SPMD, mixed) and what kind of region an op
// opens. The rule itself is checked in one place, lib/IR/Interfaces.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_INTERFACES_TD
#define TINYTC_INTERFACES_TD

class TinyTC_ExecutionTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::mlir::tinytc";
}

/// The work is distributed among all work-items: must not stand in an SPMD region.
def Collective : TinyTC_ExecutionTrait<"Collective">;
/// Runs once for each work-item: must not stand in a collective region.
def Spmd : TinyTC_ExecutionTrait<"Spmd">;
/// May stand in both kinds of regions.
def Mixed : TinyTC_ExecutionTrait<"Mixed">;

/// Its regions are collective regions.
def CollectiveRegion : TinyTC_ExecutionTrait<"CollectiveRegion">;
/// Its regions are SPMD regions.
def SpmdRegion : TinyTC_ExecutionTrait<"SpmdRegion">;

#endif // TINYTC_INTERFACES_TD
