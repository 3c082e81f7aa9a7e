# SPDX-License-Identifier: Apache-2.0
"""Which tensors are on the simulated GPU: those that a program requested there, and the results of functions of them. They report that
device to the program; torch and tilelab see the CPU, where their memory is."""

import contextlib
import sys
import weakref

from .device import name_musa

_gradients = []  # the kinds of the devices of the results whose gradients torch computes at present; the gradients are on the last one
_kinds = {}  # of a tensor's identity: its weak reference and the kind of its device, "cuda" or "musa"
DEFAULT = "cpu:0"  # the device of a context for a GPU: it makes tensors on the CPU, which are on the simulated GPU
_PRIVATE = ("torch", "tilelab")


def kind_of(tensor):
    """"cuda" or "musa" of a tensor on the simulated GPU, otherwise None."""
    found = _kinds.get(id(tensor))
    return found[1] if found and found[0]() is tensor else _gradients[-1] if _gradients else None


@contextlib.contextmanager
def gradients_of(results):
    """While torch computes the gradients of results: its C++ makes tensors that no function of the program names."""
    _gradients.append(next(filter(None, map(kind_of, _leaves(results, object))), None))
    try:
        yield
    finally:
        _gradients.pop()


def put(tensor, kind):
    """States on which device a tensor is; None is the CPU."""
    key = id(tensor)
    if kind is None:
        _kinds.pop(key, None)
    else:
        _kinds[key] = weakref.ref(tensor, lambda _: _kinds.pop(key, None)), kind


def _leaves(value, kind):
    """The instances of a class in a value, and in the tuples and lists that it contains."""
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from _leaves(one, kind)
    elif isinstance(value, kind):
        yield value


def _device(torch, kind):
    """The device as an object, which torch has for "musa" only once it has the name."""
    if kind == "musa":
        name_musa(torch)
    return torch.device(kind, 0)


def _asked_by_the_program(frame):
    while frame.f_code.co_name == "__torch_function__":  # of modes above this one
        frame = frame.f_back
    return frame.f_globals.get("__name__", "").partition(".")[0] not in _PRIVATE


class Places:
    """How functions of torch move tensors between the devices."""

    def __init__(self, torch):
        self._tensor = tensor = torch.Tensor
        self._setter = tensor.data.__set__
        self._contexts = torch.utils._device
        self._reports = {
            tensor.device.__get__: lambda kind: _device(torch, kind),
            tensor.is_cuda.__get__: lambda kind: kind == "cuda",
            tensor.is_cpu.__get__: lambda _: False,
            tensor.get_device: lambda _: 0,
        }

    def report(self, func, args):
        """What a tensor on the simulated GPU answers to the program that asks for its device; None for all other calls."""
        answer = self._reports.get(func) if args else None
        kind = answer and kind_of(args[0])
        return answer(kind) if kind and _asked_by_the_program(sys._getframe(2)) else None

    def moved(self, tensor, kind):
        """The tensor on a device: itself if it is there, otherwise a copy."""
        if kind_of(tensor) == kind:
            return tensor
        made = tensor.clone()
        put(made, kind)
        return made

    def note(self, func, args, kwargs, kind, made):
        """Notes on which device the results of a function are. `kind`: the device that the call names, "cpu" or the kind of a GPU; None if it
        names none."""
        given = list(_leaves((args, tuple(kwargs.values())), self._tensor))
        kind = kind or next(filter(None, map(kind_of, given)), None) or self._default(func)
        if func == self._setter:
            put(args[0], kind_of(args[1]))
        elif kind != "cpu":
            for one in _leaves(made, self._tensor):
                if all(one is not other for other in given):
                    put(one, kind)

    def _default(self, func):
        """The kind of the default device for a function that makes tensors."""
        default = getattr(self._contexts, "CURRENT_DEVICE", None)
        return "cuda" if str(default) == DEFAULT and func in self._contexts._device_constructors() else "cpu"


def placed(new):
    """The constructor of torch.nn.Parameter, on the device of its data; torch's functions do not see it."""
    def __new__(cls, data=None, *args, **kwargs):
        made = new(cls, data, *args, **kwargs)
        put(made, kind_of(data))
        return made

    return __new__


def of_call(inputs, made):
    """The outputs of a kernel, on the device of its tensors; of a kernel without tensors, on the GPU."""
    torch = sys.modules.get("torch")
    if torch is None:
        return made
    tensors = list(_leaves(tuple(inputs), torch.Tensor))
    kind = next(filter(None, map(kind_of, tensors)), None if tensors else "cuda")
    if kind:
        for one in _leaves(made, torch.Tensor):
            put(one, kind)
    return made
