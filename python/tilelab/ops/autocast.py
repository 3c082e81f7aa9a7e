# SPDX-License-Identifier: Apache-2.0
"""What torch.autocast does with the tensors of an operator. `chosen` says for each value of a call whether it may be converted."""

import functools
import threading
import weakref

from ..tensors.library import torch_or_none

torch = torch_or_none()


def enabled():
    """Whether torch may narrow the tensors of some device."""
    enabled = getattr(torch._C, "_is_any_autocast_enabled", None)
    return enabled is None or enabled()


def dtype_for(x):
    """The narrow dtype of an autocast context for the device of a tensor; None outside of one, and on devices without autocast ("meta")."""
    kind = x.device.type
    if not hasattr(torch, "get_autocast_dtype") or not torch.amp.is_autocast_available(kind) or not torch.is_autocast_enabled(kind):
        return None
    return torch.get_autocast_dtype(kind)


def _autocast_dtype(values):
    """That of the first tensor of a call."""
    first = next((v for v in values if isinstance(v, torch.Tensor)), None)
    return None if first is None else dtype_for(first)


def _narrowed(values, chosen):
    """The values, in an autocast context with the chosen tensors of float32 in its narrow dtype."""
    dtype = _autocast_dtype(values)
    if dtype is None:
        return values
    return tuple(_converted(v, dtype) if one and isinstance(v, torch.Tensor) and v.dtype == torch.float32 else v for v, one in zip(values, chosen))


class _Last(threading.local):
    """The activation that was converted last, in what state, and the result. Both are weak: whatever needs them keeps them."""
    wide = narrow = staticmethod(lambda: None)
    state = None


_last = _Last()


def _converted(x, dtype):
    """x in the dtype. An activation that several operators take, such as the projections of attention, is converted once, and so is the
    sum of its gradients."""
    if torch.compiler.is_compiling() or x.grad_fn is None or not torch._C._has_storage(x):  # those of torch.func's transforms have none
        return x.to(dtype)
    state = x._version, x.untyped_storage()._cdata, x.storage_offset(), dtype, torch.is_grad_enabled()  # `x.data = y` has the old version
    made = _last.narrow() if _last.wide() is x and _last.state == state else None
    if made is None:
        made = x.to(dtype)
        _last.wide, _last.narrow, _last.state = weakref.ref(x), weakref.ref(made), state
    return made


def _widened(values, chosen):
    """The values, in an autocast context with the chosen tensors of floats in the widest of their dtypes."""
    floats = [one and isinstance(v, torch.Tensor) and v.dtype.is_floating_point for v, one in zip(values, chosen)]
    dtypes = {v.dtype for v, one in zip(values, floats) if one}
    if len(dtypes) < 2 or _autocast_dtype(values) is None:
        return values
    widest = functools.reduce(torch.promote_types, dtypes)
    return tuple(v.to(widest) if one else v for v, one in zip(values, floats))


POLICIES = {"narrow": _narrowed, "widest": _widened}
