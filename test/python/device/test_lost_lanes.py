"""A kernel that the driver computes with the first lane alone is refused."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.spirv import builder, sycl_programs, vectors
from tinytc_mlir.runtime.spirv.build_log import Build
from tinytc_mlir.runtime.spirv.code import tells_lanes_apart

LANES = "func @f(%A: memref<f32x16>) { foreach (%i) = (0), (16) { store 1.0, %A[%i] } }"
SHARED = "func @f(%A: memref<f32x16>) { %a = load %A[3] : f32\n store %a, %A[0] }"
LOG = 'Device build done\nKernel "f" was not vectorized\nDone.'
MESSAGE = "f: expected the driver to compute with all lanes of a subgroup, got code for the first"


@pytest.mark.parametrize(("text", "are_told"), [(LANES, True), (SHARED, False)])
def test_lanes_of_a_module(text, are_told):
    spirv = tt.Context().parse(text).compile("cpu").spirv
    assert tells_lanes_apart(spirv) == are_told
    assert vectors.lost_lanes(spirv, LOG) == ("f" if are_told else None)
    assert vectors.lost_lanes(spirv, LOG.replace("not", "successfully")) is None


def test_the_driver_is_asked(monkeypatch):
    """Nothing is launched, at each try."""
    monkeypatch.setenv("TINYTC_BUILD_APART", "0")
    monkeypatch.setattr(sycl_programs, "log_of", lambda library, program: LOG)
    text = LANES.replace("1.0", "1.25")  # which the cache does not have
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    a = np.zeros(16, np.float32)
    for _ in range(2):
        with pytest.raises(tt.DeviceError, match=MESSAGE):
            kernel(a, groups=1)
    assert not a.any()


def test_another_process_asks_the_driver(monkeypatch, tmp_path):
    monkeypatch.setattr(builder, "build", lambda spirv, device: Build(LOG, code=b"code"))
    source = tmp_path / "f.spv"
    source.write_bytes(tt.Context().parse(LANES).compile("cpu").spirv)
    path = tmp_path / "code.device"
    assert builder.outcome(str(source), str(path), {}, "the device").startswith(MESSAGE)
    assert not path.exists()
