"""The tinytc dialect: op classes and enums generated from ODS, and type classes."""

from .._tinytc import CoopMatrixType, GroupType, MemrefType, register_dialect
from ._tinytc_enum_gen import *
from ._tinytc_ops_gen import *
