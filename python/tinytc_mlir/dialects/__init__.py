# SPDX-License-Identifier: BSD-3-Clause
"""Python classes of the dialect: ops, enums and types."""

from mlir.dialects._ods_common import _cext

# The mlir package looks a dialect's classes up by module name: tell it where ours are.
_cext.globals.append_dialect_search_prefix(__name__)
