# SPDX-License-Identifier: Apache-2.0
"""Random arguments of a kernel."""

import enum

from .._compiler import dtypes
from .._compiler.errors import ArgumentError
from .._gpu import array, devices


class TensorSupplyType(enum.Enum):
    """Kinds of a profiler's input values."""

    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7


def supply(param, kind, rng):
    """An array for one parameter: torch's if torch is loaded, otherwise NumPy's."""
    import sys

    import numpy

    if any(not isinstance(e, int) for e in param.shape):
        raise ArgumentError(f"argument {param.name} has dynamic extents; pass input_tensors")
    name, kinds = str(param.dtype), TensorSupplyType
    whole = not name.startswith(("float", "bfloat"))
    if kind in (None, kinds.Auto):
        kind = kinds.Integer if whole else kinds.Uniform
    shape = tuple(param.shape)
    if kind == kinds.Zero or kind == kinds.One:
        made = numpy.full(shape, kind == kinds.One, dtype="float64")
    elif kind == kinds.Integer or whole:
        low, high = (0, 2) if name == "bool" else (0, 3) if name.startswith("uint") else (-2, 3)
        made = rng.integers(low, high, shape).astype("float64")
    elif kind == kinds.Uniform:
        made = rng.uniform(-1, 1, shape)
    else:  # as in TileLang, the mean of Normal is -1
        made = rng.normal(-1 if kind == kinds.Normal else 0, 1, shape)
    if "torch" in sys.modules or name.startswith(("bfloat", "float8")):
        import torch

        return torch.from_numpy(numpy.ascontiguousarray(made)).to(dtypes.dtype(name).as_torch())
    return made.astype(name)


def get_tensor_supply(supply_type=TensorSupplyType.Integer):
    """A function that makes an argument for a KernelParam, as a profiler does: a tensor of torch, on the GPU of %device if there is one."""
    import numpy

    rng = numpy.random.default_rng()

    def make(param):
        import torch  # noqa: F401  (supply() makes its tensors)

        made, gpu = supply(param, supply_type, rng), devices.chosen()
        return made if gpu is None else array.on_gpu(made, gpu)

    return make
