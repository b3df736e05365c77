"""The back ends of libCEED, built once."""

import pytest

from tinytc_mlir.clients.libceed import build_backend, load_backend
from tinytc_mlir.runtime.native import host


@pytest.fixture(scope="session")
def back_end(tmp_path_factory):
    """Return the folder of the library, which is loaded."""
    from clients.ceed_problems import SIZES

    folder = tmp_path_factory.mktemp("ceed")
    load_backend(build_backend(folder, sizes=SIZES, targets=[host.targets()[0]]))
    return folder
