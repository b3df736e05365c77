"""Programs lowered in one piece, and through the text or the bytecode of a stage."""

import dataclasses
import io

import profiles
import tinytc_mlir as tt
from tinytc_mlir.compiler import stages_of


def bytecode(module):
    """Return a module as MLIR writes it in binary form."""
    stream = io.BytesIO()
    module.operation.write_bytecode(stream)
    return stream.getvalue()


FORMS = {"text": lambda module: str(module.operation), "bytecode": bytecode}
"""How a module is written, by the names of what is written."""


def without_excerpts(manifest):
    """Return a manifest without lines of the source, which only its reader knows."""

    def bare(diagnostic):
        notes = tuple(map(bare, diagnostic.notes))
        return dataclasses.replace(diagnostic, excerpt=None, excerpt_column=1, notes=notes)

    kernels = []
    for kernel in manifest.kernels:
        checks = tuple(
            dataclasses.replace(check, diagnostic=bare(check.diagnostic)) for check in kernel.checks
        )
        kernels.append(dataclasses.replace(kernel, checks=checks))
    return dataclasses.replace(manifest, kernels=tuple(kernels))


def contents(program):
    """Return what two equal programs have in common."""
    return program.code, without_excerpts(program.manifest)


def differences(module, **options):
    """Return the stages and forms through which a module becomes another program.

    In a commit, each stage is written in one of the forms.

    Args:
        module: a module of the first stage.
        options: those of `Module.lower`.
    """
    stages = stages_of(options.get("target"))
    expected = contents(module.lower(stages[-1], **options).compile())
    found = []
    for stage in stages[1:]:
        lowered = module.lower(stage, **options)
        for form in profiles.in_turns(FORMS, f"{stage} {expected[0]!r}"):
            again = tt.Context().parse_mlir(FORMS[form](lowered))
            if again.stage != stage or contents(again.compile()) != expected:
                found.append(f"{form} of {stage}")
    return found
