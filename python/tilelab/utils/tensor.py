# SPDX-License-Identifier: Apache-2.0
"""Tensors of programs: random arguments of a kernel, comparison of results."""

from .._compiler import dtypes
from ..profiler.tensor_supply import TensorSupplyType, get_tensor_supply  # noqa: F401


def map_torch_type(intype):
    """The torch dtype of a name; torch dtypes stay unchanged."""
    import torch

    return intype if isinstance(intype, torch.dtype) else dtypes.dtype(intype).as_torch()


def values(array):
    """A NumPy copy of an array or tensor of any dtype; bfloat16 and float8 are widened to float32."""
    import numpy

    if hasattr(array, "detach"):
        array = array.detach().cpu()
        array = (array.float() if str(array.dtype).startswith(("torch.bfloat", "torch.float8")) else array).numpy()
    return numpy.asarray(array)


def strides(array):
    """Strides in elements; fractions if they are not whole elements."""
    return tuple(array.stride()) if hasattr(array, "stride") else tuple(
        s / array.itemsize if s % array.itemsize else s // array.itemsize for s in array.strides)


def torch_assert_close(tensor_a, tensor_b, rtol=1e-2, atol=1e-3, max_mismatched_ratio=0.001, verbose=False, equal_nan=True,
                       check_device=True, check_dtype=True, check_layout=True, check_stride=False, base_name="LHS", ref_name="RHS"):
    """Raises AssertionError where shapes or (if check_dtype) dtypes differ, or where more than `max_mismatched_ratio` of the elements has
    |a - b| > atol + rtol |b|. Takes tensors and arrays; the checks of device and layout have no effect."""
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
