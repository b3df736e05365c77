"""Memory that is loaded atomically is not promised to be constant."""

import pytest

import tinytc_mlir as tt
from tinytc_bench import ptxas

TEXT = """
func @poll(%A: memref<i32x8>, %B: memref<i32>) {
  parallel {
    %zero = constant 0 : index
    %a = atomic_load.cross_device %A[%zero] : i32
    store %a, %B[]
  }
}"""


@pytest.mark.parametrize("target", ptxas.CHIPS.values())
def test_no_load_through_the_cache_for_constants(target):
    ptx = str(tt.Context().parse(TEXT).lower("ptx", target=target))
    assert "ld.relaxed.sys.global" in ptx
    assert "ld.global.nc" not in ptx
