"""Compiles the device tests' SPIR-V that ocloc has not compiled before; see `accepted_spirv`."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

import accepted_spirv  # noqa: E402
from cases.compiled_cases import device_calls  # noqa: E402
from cases.running import compile_for_gpus  # noqa: E402


def write(digests):
    text = "".join(f"{digest}\n" for digest in sorted(digests))
    accepted_spirv.FILE.write_text(text, encoding="utf-8")


def main():
    """Compile, and write the digests now and then, so that another run goes on."""
    calls = [(cases, options) for cases, options in device_calls() if "compile_" not in options]
    for number, (cases, options) in enumerate(calls):
        failures = compile_for_gpus(cases, **options)
        if failures:
            sys.exit("\n".join(failures[:8]))
        if number % 20 == 0:
            print(f"{number} of {len(calls)}", flush=True)
            write(accepted_spirv.used | accepted_spirv.ACCEPTED)
    write(accepted_spirv.used)


if __name__ == "__main__":
    main()
