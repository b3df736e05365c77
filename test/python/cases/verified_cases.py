"""Kernels of the device tests as subjects of verification."""

import dataclasses
import re

import numpy as np

from cases.case import parse
from cases.memory import Memory
from tinytc_mlir.certificates import Claim, Outcome
from tinytc_mlir.errors import LoweringError
from tinytc_mlir.frontend._instructions_gen import DISCARDABLE_ATTRIBUTES
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.runtime.kernel_info import MemrefArgument
from tinytc_mlir.verification import derivatives
from tinytc_mlir.verification.exactness import Subject
from tinytc_mlir.verification.machine_code import claim_for
from tinytc_mlir.verification.stages import Comparison

_MANIFEST = DISCARDABLE_ATTRIBUTES["manifest"]
_ACCESSES = {"read": "is_read", "write": "is_written"}
GEMM = """
func @gemm(%alpha: f32, %A: memref<f32x5x7x?>, %B: memref<f32x7x6x?>, %C: memref<f32x5x6x?>) {
  %g = builtin.group_id : index
  %a = subview %A[0:5,0:7,%g] : memref<f32x5x7>
  %b = subview %B[0:7,0:6,%g] : memref<f32x7x6>
  %c = subview %C[0:5,0:6,%g] : memref<f32x5x6>
  %beta = constant 0.5 : f32
  gemm.n.n %alpha, %a, %b, %beta, %c
}"""
"""A batch of products of odd sizes."""


def subject_of(case, stage, module):
    """Return a case with its arguments, without guard zones."""
    groups = case.groups if isinstance(case.groups, tuple) else (case.groups,)
    values = Memory(case.parameters, np.copy).arguments
    return Subject(module, _with_accesses(stage), values, groups)


def _with_accesses(stage):
    """Return the signature of the kernel with what the compiler says of accesses."""
    info, operations = stage.info("k0"), stage.prepared.operation.regions[0].blocks[0].operations
    (kernel,) = (each for each in operations if _MANIFEST in each.attributes)
    manifest = str(kernel.attributes[_MANIFEST])
    arguments = tuple(_with_access(each, manifest) for each in info.arguments)
    flops = re.search(r"flops_per_group = (\d+)", manifest)
    count = None if flops is None else int(flops[1])
    return dataclasses.replace(info, arguments=arguments, flops_per_group=count)


def _with_access(argument, manifest):
    if not isinstance(argument, MemrefArgument):
        return argument
    text = manifest.split(f'<name = "{argument.name}", type = ')[1].split("<name = ")[0]
    does = [word for word, name in _ACCESSES.items() if f"{name} = true" in text]
    return dataclasses.replace(argument, access="_".join(does) or "none")


def claims_of(case, target, *, machine=False, parts=("stages",)):
    """Return what verification says of a case that fits a target."""
    module = parse([case])
    try:
        stage = GpuStage(module, target=target)
    except LoweringError as error:
        return [Claim("stages", "lowering", Outcome.UNSHOWN, error.diagnostics[0].message)]
    subject = subject_of(case, stage, module)
    found = list(Comparison(subject, stage, 1).claims())
    if "derivatives" in parts:
        found += derivatives.claims(module, subject, 1)
    if machine:
        kernel = module.compile(target)["k0"]
        found.append(claim_for(subject, kernel, target, 1))
    return found
