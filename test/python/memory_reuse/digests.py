"""Prints digests of the code of programs: a list of [target, text] comes from standard input."""

import hashlib
import json
import sys

import tinytc_mlir as tt


def digest(target, text):
    try:
        code = tt.Context().parse(text).compile(target).code
    except tt.TinyTCError as error:
        return str(error)
    return hashlib.sha256(code).hexdigest()


json.dump([digest(*each) for each in json.load(sys.stdin)], sys.stdout)
