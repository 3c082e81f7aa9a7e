# SPDX-License-Identifier: Apache-2.0
"""Which kernel computed a tensor: tl.last_kernel(), and `tl.flash_attention(q, k, v).get_profiler()`."""

import collections
import weakref

from .._compiler.errors import ArgumentError
from .._gpu.array import DeviceArray
from ..profiler import Profiler
from .host import Tensor

# (weak reference, kernel, shapes of its arguments) of the latest results; those of torch have no place for a note that a copy or a pickle
# would not contain
_kernels = collections.deque(maxlen=64)
_last = _shapes = None


def last_kernel():
    """The kernel that the latest tensor function ran: `%explain`, `%source` and `%check` take it, and it has their methods.

    ArgumentError before the first one."""
    if _last is None:
        raise ArgumentError("no tensor function has run a kernel yet; call one first: tilelang.softmax(x)")
    return _last


def launched(kernel, shapes):
    """Called for every kernel that a tensor function runs, with the shapes of its arguments."""
    global _last, _shapes
    _last, _shapes = kernel, shapes


def note(result):
    """Remembers that the latest kernel computed `result`."""
    one = result[0] if isinstance(result, tuple) else result
    if one is not None and _last is not None:
        _kernels.append((weakref.ref(one), _last, _shapes))
    return result


def get_profiler(tensor, tensor_supply_type=None):
    """A Profiler of the kernel that computed this tensor, which must be the result of a tensor function (tl.softmax, ...)."""
    kernel, shapes = next(((kernel, shapes) for result, kernel, shapes in reversed(_kernels) if result() is tensor), (None, None))
    if kernel is None:
        raise ArgumentError("this tensor is not a recent result of a tensor function; call get_profiler on the result itself, or on "
                            "tilelang.last_kernel()")
    extents = {entry: extent for param, shape in zip(kernel.params, shapes) for entry, extent in zip(param.shape, shape)
               if not isinstance(entry, int)}
    return Profiler(kernel, tensor_supply_type, extents)


def add_method(*kinds):
    """Gives classes of tensors the method get_profiler, unless they have one."""
    for kind in kinds:
        if not hasattr(kind, "get_profiler"):
            kind.get_profiler = get_profiler


add_method(Tensor, DeviceArray)
