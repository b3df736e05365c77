# SPDX-License-Identifier: BSD-3-Clause
"""The IR classes of the `mlir` package, where the generated op classes expect them."""

from mlir.ir import *
from mlir.ir import register_attribute_builder
