# SPDX-License-Identifier: Apache-2.0
"""Exports a kernel: as a program for a machine that has the hardware, as a library for programs without tilelab."""

from .. import _core
from .._compiler.errors import UsageError, refuse
from . import arguments


def write(kernel, directory, values, name=None, expected=None):
    """Writes `NAME.mu`, `NAME.tile`, inputs, expected outputs and `run.sh` into the directory. `values`: the arguments of a call.
    `expected`: {parameter index: (array, relative, absolute)}, float64 for floats; by default the results of the simulator."""
    import numpy

    described, arrays, _ = arguments.describe(kernel, values)
    keep, wanted = [arrays], None
    if expected is not None:
        wanted = [None] * len(described)
        for i, (array, relative, absolute) in expected.items():
            keep.append(numpy.ascontiguousarray(array))
            wanted[i] = keep[-1].ctypes.data, float(relative), float(absolute)
    _refuse(kernel, *_core.gpu.export_program(kernel._at_level("flat"), name or kernel.name, described, wanted, str(directory)))


def library(kernel, path, arch):
    """Writes the shared object and its header."""
    _refuse(kernel, *_core.gpu.export_library(kernel._at_level("flat"), str(path), arch))


def _refuse(kernel, wrong, said):
    refuse(said)
    if wrong:
        raise UsageError(f"kernel {kernel.name}: {wrong}")
