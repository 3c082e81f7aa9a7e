# SPDX-License-Identifier: Apache-2.0
"""What the scripts that %report writes are made of: inputs, and a run that says whether it still fails."""

import base64
import ctypes
import os
import zlib

from .._compiler.errors import is_internal
from .._kernel.arrays import empty, view
from .reproducer import findings_of


def filled(dtype, shape, content):
    """A dense array with these bytes."""
    made = empty(list(shape), dtype, "numpy")
    ctypes.memmove(view(made).address, content, len(content))
    return made


def packed(dtype, shape, text):
    """An array of bytes that were compressed and written as text."""
    return filled(dtype, shape, zlib.decompress(base64.b85decode(text)))


def stored(dtype, shape, path, beside):
    """An array whose bytes are in a file beside the script."""
    with open(os.path.join(os.path.dirname(os.path.abspath(beside)), path), "rb") as file:
        return filled(dtype, shape, zlib.decompress(file.read()))


def random(dtype, shape, low, high, seed=0):
    """Numbers between two others, the same for a seed on every machine."""
    import numpy

    rng = numpy.random.default_rng(seed)
    if dtype.startswith(("int", "uint", "bool")):
        return rng.integers(low, high + 1, shape).astype(dtype)
    return (low + (high - low) * rng.random(shape)).astype(dtype)


def run(make, values, expected):
    """Runs the call of a report; the exit status: 1 while one of the expected kinds of findings is there. `make` gives the
    kernel: that may be what fails."""
    try:
        found, text, _ = findings_of(make(), values)
    except RuntimeError as error:
        if not is_internal(error):
            raise
        found, text = [{"kind": "internal error"}], str(error) + "\n"
    kinds = {finding["kind"] for finding in found}
    print(text, end="")
    if kinds & set(expected):
        print(f"still there: {', '.join(expected)}")
        return 1
    print(f"gone: {', '.join(expected)}" + (f"; but there is {', '.join(sorted(kinds))}" if kinds else ""))
    return 0
