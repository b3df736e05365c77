# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class TinytcMlir(PythonPackage):
    """The Tiny Tensor language as an MLIR dialect, compiled to SPIR-V.

    There is no public address yet: `spack develop` or `spack dev-build` builds a folder of sources.
    MLIR and its Python bindings come from wheels of PyPI that pyproject.toml pins.
    """

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0")

    requires("platform=linux", "target=x86_64:")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3.10:3.14", type=("build", "run"))
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-scikit-build-core@1.1:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("py-numpy@2:", type="build")
    depends_on("py-numpy", type="run")
    depends_on("py-ml-dtypes", type=("build", "run"))
    depends_on("py-opt-einsum@3.3:", type=("build", "run"))
    depends_on("py-platformdirs", type=("build", "run"))
    depends_on("py-shtab@1.13:", type=("build", "run"))
