# SPDX-License-Identifier: Apache-2.0
"""Runtime of the scripts that %report writes: inputs, and a run that reports whether it still fails."""

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
    """An array from compressed bytes in text form."""
    return filled(dtype, shape, zlib.decompress(base64.b85decode(text)))


def stored(dtype, shape, path, beside):
    """An array from a compressed file next to the script."""
    with open(os.path.join(os.path.dirname(os.path.abspath(beside)), path), "rb") as file:
        return filled(dtype, shape, zlib.decompress(file.read()))


def random(dtype, shape, low, high, seed=0):
    """Random numbers in a range, the same for a seed on every machine."""
    import numpy

    rng = numpy.random.default_rng(seed)
    if dtype.startswith(("int", "uint", "bool")):
        return rng.integers(low, high + 1, shape).astype(dtype)
    return (low + (high - low) * rng.random(shape)).astype(dtype)


def run(make, values, expected):
    """Runs the call of a report; returns 1 if an expected kind of finding occurs. `make` compiles the kernel, which may fail."""
    try:
        found, text, _ = findings_of(make(), values)
    except RuntimeError as error:
        if not is_internal(error):
            raise
        found, text = [{"kind": "internal error"}], str(error) + "\n"
    kinds = {finding["kind"] for finding in found}
    print(text, end="")
    if kinds & set(expected):
        print(f"still fails: {', '.join(expected)}")
        return 1
    print(f"fixed: {', '.join(expected)}" + (f"; new: {', '.join(sorted(kinds))}" if kinds else ""))
    return 0
