# SPDX-License-Identifier: Apache-2.0
"""A kernel as a program for another machine, which has its hardware."""

from .. import _core
from .._compiler.errors import UsageError, refuse
from . import arguments


def write(kernel, directory, values, name=None, expected=None):
    """Writes `NAME.mu`, `NAME.tile`, inputs and expected outputs into the directory, and what builds and runs all of
    it, `run.sh`. `values`: of a call of the kernel. `expected`: {parameter's number: (array, relative, absolute)}, arrays of
    float64 for floats, else of the parameter's dtype; or what the simulator computes."""
    import numpy

    described, arrays, _ = arguments.describe(kernel.name, kernel._raw_params, kernel._outputs, values)
    keep, wanted = [arrays], None
    if expected is not None:
        wanted = [None] * len(described)
        for i, (array, relative, absolute) in expected.items():
            keep.append(numpy.ascontiguousarray(array))
            wanted[i] = keep[-1].ctypes.data, float(relative), float(absolute)
    wrong, said = _core.gpu.export_program(kernel._at_level("flat"), name or kernel.name, described, wanted, str(directory))
    refuse(said)
    if wrong:
        raise UsageError(f"kernel {kernel.name}: {wrong}")
