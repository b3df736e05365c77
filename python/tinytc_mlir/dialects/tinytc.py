# SPDX-License-Identifier: BSD-3-Clause
"""The tinytc dialect: op classes and enums generated from ODS, and type classes."""

from .._tinytc import CoopMatrixType, GroupType, MemrefType, register_dialect
from ._tinytc_enum_gen import *
from ._tinytc_ops_gen import *

from ._builders import (  # isort: skip (in place of generated ones)
    ConstantOp,
    ForeachOp,
    ForOp,
    FuncOp,
    IfOp,
    ParallelOp,
    SubviewOp,
    constant,
    subview,
)
from ._builders import ForeachOp as foreach  # noqa: N813  isort: skip
from ._builders import ForOp as for_  # noqa: N813  isort: skip
from ._builders import FuncOp as func  # noqa: N813  isort: skip
from ._builders import IfOp as if_  # noqa: N813  isort: skip
from ._builders import ParallelOp as parallel  # noqa: N813  isort: skip
