"""Programs without our optimisation."""

from mlir.passmanager import PassManager

from tinytc_mlir import Program
from tinytc_mlir._tinytc import emit
from tinytc_mlir.runtime.manifest import Manifest

#: The conversions of the pipeline, and the passes that they need.
LOWERING = """
    tinytc-convert-to-linalg, tinytc-normalize-linalg, tinytc-choose-strategies,
    tinytc-distribute-linalg, tinytc-outline-kernels,
    tinytc-outline-products, convert-complex-to-standard{complex-range=improved},
    gpu.module(gpu.func(scf-for-to-while)), tinytc-convert-gpu-to-spirv,
    spirv.module(spirv-lower-abi-attrs, spirv-update-vce), tinytc-finalize-spirv"""


def compile_unoptimized(module):
    """Return the program of a module for the CPU."""
    prepared = module.operation.clone().operation
    with prepared.context:
        PassManager.parse("builtin.module(prepare)").run(prepared)
        PassManager.parse(f"builtin.module({LOWERING})").run(prepared)
        spirv, manifest = emit(prepared)
    return Program(spirv, Manifest.from_json(manifest))
