# SPDX-License-Identifier: Apache-2.0
"""Random arguments of a kernel."""

import enum
import sys

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


def _drawn(name, kind):
    """(distribution, its two parameters) of values of a dtype. As in TileLang, the mean of Normal is -1."""
    kinds, whole = TensorSupplyType, not name.startswith(("float", "bfloat"))
    if kind in (kinds.Zero, kinds.One):
        return "constant", float(kind == kinds.One), 0
    if whole or kind == kinds.Integer:
        return "integers", *((0, 2) if name == "bool" else (0, 3) if name.startswith("uint") else (-2, 3))
    if kind in (None, kinds.Auto, kinds.Uniform):
        return "uniform", -1, 1
    return "normal", -1 if kind == kinds.Normal else 0, 1


def _of_torch(name, shape, drawn, device):
    """Drawn where it will be: on a GPU a billion values take milliseconds."""
    import torch

    distribution, a, b = drawn
    made = torch.empty(shape, dtype=torch.float64 if name == "float64" else torch.float32, device=device)
    if distribution == "constant":
        made.fill_(a)
    elif distribution == "integers":
        made.random_(a, b)
    else:
        (made.uniform_ if distribution == "uniform" else made.normal_)(a, b)
    return made.to(dtypes.dtype(name).as_torch())


def _of_numpy(name, shape, drawn):
    import numpy

    (distribution, a, b), rng = drawn, numpy.random.default_rng()
    made = numpy.full(shape, a) if distribution == "constant" else getattr(rng, distribution)(a, b, shape)
    return made.astype(name)


def supply(param, kind, device="cpu"):
    """An array for one parameter: torch's on that device if torch is loaded, otherwise NumPy's."""
    if any(not isinstance(e, int) for e in param.shape):
        raise ArgumentError(f"argument {param.name} has dynamic extents; pass input_tensors")
    name, shape = str(param.dtype), tuple(param.shape)
    if "torch" in sys.modules or name.startswith(("bfloat", "float8")):
        return _of_torch(name, shape, _drawn(name, kind), device)
    return _of_numpy(name, shape, _drawn(name, kind))


def supply_on(param, kind, gpu):
    """The same for the GPU that kernels run on; None: in host memory."""
    made = supply(param, kind, "cpu" if gpu is None or gpu.in_worker else str(gpu))
    return made if gpu is None else array.on_gpu(made, gpu)


def get_tensor_supply(supply_type=TensorSupplyType.Integer):
    """A function that makes an argument for a KernelParam, as a profiler does: a tensor of torch, on the GPU of %device if there is one."""

    def make(param):
        import torch  # noqa: F401  (supply() makes its tensors)

        return supply_on(param, supply_type, devices.chosen())

    return make
