# SPDX-License-Identifier: Apache-2.0
"""Random arguments of a kernel."""

import enum

from .._compiler import dtypes
from .._compiler.errors import ArgumentError


class TensorSupplyType(enum.Enum):
    """How a profiler fills the inputs."""

    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7


def supply(param, kind, rng):
    """An array for one parameter: torch's if torch is loaded, else NumPy's."""
    import sys

    import numpy

    if any(not isinstance(e, int) for e in param.shape):
        raise ArgumentError(f"argument {param.name} has extents of run time; give input_tensors")
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
    else:
        made = rng.standard_normal(shape)
    if "torch" in sys.modules or name.startswith(("bfloat", "float8")):
        import torch

        return torch.from_numpy(numpy.ascontiguousarray(made)).to(dtypes.dtype(name).as_torch())
    return made.astype(name)


def get_tensor_supply(supply_type=TensorSupplyType.Integer):
    """A function that makes an argument for a KernelParam, as a profiler does: a tensor of torch, on the GPU that %device
    means if there is one."""
    import numpy

    from .._gpu import array, devices

    rng = numpy.random.default_rng()

    def make(param):
        import torch  # noqa: F401  (its tensors are wanted)

        made, gpu = supply(param, supply_type, rng), devices.chosen()
        return made if gpu is None else array.on_gpu(made, gpu)

    return make


def map_torch_type(intype):
    """The torch dtype of a name; torch dtypes stay what they are."""
    import torch

    return intype if isinstance(intype, torch.dtype) else dtypes.dtype(intype).as_torch()


def values(array):
    """A NumPy copy of an array or tensor of any dtype; bfloat16 and float8 widened to float32."""
    import numpy

    if hasattr(array, "detach"):
        array = array.detach().cpu()
        array = (array.float() if str(array.dtype).startswith(("torch.bfloat", "torch.float8")) else array).numpy()
    return numpy.asarray(array)


def strides(array):
    """In elements."""
    return tuple(array.stride()) if hasattr(array, "stride") else tuple(s // array.itemsize for s in array.strides)


def torch_assert_close(tensor_a, tensor_b, rtol=1e-2, atol=1e-3, max_mismatched_ratio=0.001, verbose=False,
                       equal_nan=True, check_device=True, check_dtype=True, check_layout=True,
                       check_stride=False, base_name="LHS", ref_name="RHS"):
    """Raises AssertionError where shapes or (if check_dtype) dtypes differ, or where more than
    `max_mismatched_ratio` of the elements has |a - b| > atol + rtol |b|. Takes tensors and arrays;
    the checks of device and layout have nothing to tell apart here."""
    import numpy

    names = f"{base_name} and {ref_name}"
    if check_dtype and str(tensor_a.dtype) != str(tensor_b.dtype):
        raise AssertionError(f"{names} differ in dtype: {tensor_a.dtype} and {tensor_b.dtype}")
    a, b = values(tensor_a), values(tensor_b)
    if a.shape != b.shape:
        raise AssertionError(f"{names} differ in shape: {a.shape} and {b.shape}")
    if check_stride and strides(tensor_a) != strides(tensor_b):
        raise AssertionError(f"{names} differ in stride: {strides(tensor_a)} and {strides(tensor_b)}")
    wrong = ~numpy.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    count = int(wrong.sum())
    if verbose:
        print(f"{count} of {wrong.size} elements differ")
    if count > int(wrong.size * max_mismatched_ratio):
        first = tuple(int(i) for i in numpy.argwhere(wrong)[0])
        raise AssertionError(f"{names}: {count} of {wrong.size} elements differ, first at {first}: {a[first]} instead of {b[first]}")
