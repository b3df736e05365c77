"""Sums of tensors for a batch, which are programs of the tests as chains are."""

from ..cache import TinytcWriter
from ..common import TinytcWrapper
from ..fused_gemms.tinytc import FusedGemmsTinytc

__all__ = ["CopyScaleAddTinytc", "TinytcWrapper", "TinytcWriter"]


class CopyScaleAddTinytc(FusedGemmsTinytc):
    pass
