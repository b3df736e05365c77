//===- ScalarTable.td - Scalar types as a table of C++ ----------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The records for lib/IR/Scalars.cpp, made by llvm-tblgen -gen-searchable-tables.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_SCALARTABLE_TD
#define TINYTC_SCALARTABLE_TD

include "llvm/TableGen/SearchableTable.td"
include "dialect/Scalars.td"

def ScalarTable : GenericTable {
  let FilterClass = "TinyTC_ScalarRecord";
  let CppTypeName = "ScalarRecord";
  let Fields = ["Name", "Kind", "Bits", "Type", "Storage", "Parameter",
                "Compute", "PromotableTo"];
}

#endif // TINYTC_SCALARTABLE_TD
