# SPDX-License-Identifier: Apache-2.0
"""For test files of kernels: `import tilelang.testing`. Marks for a GPU are satisfied by the simulator; marks for a compute capability
compare with the target's: (9, 0) for sm_90a, (3, 1) for mp_31, by default (8, 0). Other vendors' marks skip the test."""

import functools
import inspect
import operator
import random
import sys

from .._redirect import capability
from ..utils.tensor import torch_assert_close
from .reference import cast_to_output_dtype, get_tolerance, is_fp8_dtype, list_tolerance_profiles, matmul_reference

_ORDER = ("ge", "gt", "le", "lt", "eq")

__all__ = [
    "main", "set_random_seed", "torch_assert_close", "matmul_naive", "process_func", "regression", "get_tilelang_type", "requires_cuda",
    "requires_musa", "requires_cuda_or_cdna", "requires_package", "requires_metal", "requires_rocm", "requires_llvm", "requires_cdna",
    "matmul_reference", "cast_to_output_dtype", "is_fp8_dtype", "get_tolerance", "list_tolerance_profiles", "requires_gfx950", "requires_cuda_compute_version", "requires_musa_compute_version",
    *(f"requires_{maker}_compute_version_{order}" for maker in ("cuda", "musa") for order in _ORDER),
]


def main():
    """Runs the tests of the calling file with this command's arguments, and exits."""
    import pytest

    sys.exit(pytest.main([inspect.getsourcefile(sys._getframe(1)), *sys.argv[1:]]))


def set_random_seed(seed=42):
    """Seeds random, NumPy and torch, as far as they are loaded or installed."""
    random.seed(seed)
    for name, function in (("numpy", "random.seed"), ("torch", "manual_seed")):
        try:
            module = __import__(name)
        except ImportError:
            continue
        operator.attrgetter(function)(module)(seed)


def _skip_if(condition, reason):
    import pytest

    return pytest.mark.skipif(condition, reason=reason)


def requires_cuda(function=None):
    """Satisfied by a GPU or by the simulator."""
    return function if function is not None else requires_cuda


requires_cuda_or_cdna = requires_musa = requires_cuda


def _not_here(what):
    def mark(function):
        return _skip_if(True, f"needs {what}, which tilelab does not target")(function)

    mark.__doc__ = f"Skips: tilelab does not target {what}."
    return mark


requires_rocm = _not_here("an AMD GPU")
requires_cdna = _not_here("an AMD CDNA GPU")
requires_gfx950 = _not_here("an AMD gfx950 GPU")
requires_metal = _not_here("an Apple GPU")
requires_llvm = requires_cuda  # target="llvm" is the CPU, like "c"


def requires_package(*names):
    """Skips unless all packages can be imported."""
    from importlib.util import find_spec

    missing = [name for name in names if find_spec(name) is None]
    return _skip_if(bool(missing), f"needs the packages {', '.join(missing)}")


def _requires(here, major, minor, mode):
    """Skips unless the capability of the device (a GPU or the simulator) is `mode` (one of ge, gt, le, lt, eq) than (major, minor)."""
    if mode not in _ORDER:
        raise ValueError(f"mode is one of {', '.join(_ORDER)}, not {mode!r}")
    satisfied = getattr(operator, mode)(here, (major, minor))
    words = "{}.{}".format(*here), f"{major}.{minor}"
    return _skip_if(not satisfied, f"the compute capability here is {words[0]}, requested is {mode} {words[1]}")


def requires_cuda_compute_version(major, minor=0, mode="ge"):
    """Skips unless the capability of the NVIDIA GPU is `mode` than (major, minor)."""
    return _requires(capability.cuda(), major, minor, mode)


def requires_musa_compute_version(major, minor=0, mode="ge"):
    """Skips unless the capability of the Moore Threads GPU is `mode` than (major, minor)."""
    return _requires(capability.musa(), major, minor, mode)


for _order in _ORDER:
    globals()[f"requires_cuda_compute_version_{_order}"] = functools.partial(requires_cuda_compute_version, mode=_order)
    globals()[f"requires_musa_compute_version_{_order}"] = functools.partial(requires_musa_compute_version, mode=_order)


def matmul_naive(a, b, accum_dtype, out_dtype):
    """a @ b, summed in order of k in `accum_dtype`, like a loop in that precision."""
    import torch

    c = torch.zeros(a.shape[0], b.shape[1], dtype=accum_dtype)
    for k in range(a.shape[1]):
        c += a[:, k, None].to(accum_dtype) * b[None, k].to(accum_dtype)
    return c.to(out_dtype)


def get_tilelang_type(elem_type):
    """The dtype's name of a torch dtype."""
    from .._compiler.dtypes import dtype

    return str(dtype(elem_type))


def process_func(func, name=None, /, **kwargs):
    """Runs `func(**kwargs)`, which returns a latency in milliseconds, and prints it under its name."""
    latency = func(**kwargs)
    print(f"{name or getattr(func, '__name__', 'case')}: {latency:.4f} ms")


def regression(prefixes=("regression_",), verbose=True):
    """Runs the functions of the calling file whose names begin with one of the prefixes."""
    for name, function in list(sys._getframe(1).f_globals.items()):
        if callable(function) and name.startswith(tuple(prefixes)):
            function()
