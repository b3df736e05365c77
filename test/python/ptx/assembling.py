"""What ptxas says of the kernels of a program."""

import accepted_code
from tinytc_bench import ptxas


def check_assembles(program, chip):
    """Check that ptxas takes a program, and that its kernels need neither stack nor spills."""
    variants = {
        variant
        for info in program.kernels.values()
        for variant in (info.aligned_variant, info.aligned_members_variant)
    }
    entries = {*program, *filter(None, variants)}

    def check():
        _, output = ptxas.assemble(program.ptx, chip)
        found = ptxas.resources(output)
        assert set(found) == entries
        assert {name: each for name, each in found.items() if each[1] or each[2]} == {}

    options = " ".join([chip, *sorted(entries)])
    accepted_code.check_once(f"ptxas {options}", program.ptx.encode(), check)
