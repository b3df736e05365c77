"""Chains of products for a batch."""

from cases.seissol.maker import V031

from ..cache import TinytcWriter
from ..common import Function, TinytcKernelArgument, TinytcScalarKernelArgument, TinytcWrapper

C_TYPES = {"f32": "float", "f64": "double"}


class FusedGemmsTinytc:
    """Writes the call of a chain, which is a program of the tests."""

    def __init__(self, arch, descr):
        self._descr = descr

    def generate(self, cpp, routineCache):
        program, type_ = self._descr, C_TYPES[self._descr.type_]
        written = {statement.c.matrix.name for statement in program.statements}
        given = [TinytcScalarKernelArgument("alpha", type_, "alpha")] * program.has_alpha
        for name, matrix in program.parameters().items():
            constant, temporary = matrix.kind == "constant", matrix.kind == "batch"
            given.append(
                TinytcKernelArgument(name, type_, name, constant, temporary, name in written)
            )
        wrapper = TinytcWrapper(Function(program.name, program.text(V031)), given)
        cpp(wrapper.call())
        prototype = wrapper.prototype()
        routineCache.addRoutine(prototype, TinytcWriter(prototype, wrapper.definition()))
        return wrapper.name
