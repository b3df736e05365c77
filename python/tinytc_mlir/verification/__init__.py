# SPDX-License-Identifier: BSD-3-Clause
"""Evidence that one kernel is compiled right: what `tinytc verify` shows.

Stages of the compiler run on residues modulo random primes, where order of sums and rounding have
no part; compiled code runs on integers whose sums are exact.
"""

from .programs import check_options, options_of, verify_program
from .verify import PARTS, default_groups, verify

__all__ = ["PARTS", "check_options", "default_groups", "options_of", "verify", "verify_program"]
