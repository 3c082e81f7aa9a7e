# SPDX-License-Identifier: Apache-2.0
"""Moves requests for a GPU to the CPU: a TorchFunctionMode for torch's functions, and wrappers of the classes that no mode sees."""

import functools
import inspect
import threading

from . import operators, places
from .device import name_musa


def is_gpu(device):
    if isinstance(device, (int, type(None))):
        return isinstance(device, int) and not isinstance(device, bool)  # torch.ones(2, device=0)
    return str(device).partition(":")[0] in ("cuda", "musa")


def _is_fake(torch):
    """Whether a FakeTensorMode is active, whose tensors have no memory and may be on any device."""
    keys = getattr(torch._C, "_TorchDispatchModeKey", None)
    return keys is not None and torch._C._get_dispatch_mode(keys.FAKE) is not None


def _relu(torch):
    class relu(torch.autograd.Function):
        """Half precision lacks its backward pass as well."""

        @staticmethod
        def forward(ctx, x):
            y = torch.where(x > 0, x, torch.zeros_like(x))
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            (y,) = ctx.saved_tensors
            return torch.where(y > 0, gradient, torch.zeros_like(gradient))

    return relu


def _with_half(torch):
    """A call on the CPU: what lacks half precision there is computed in float32."""
    half, relu = torch.float16, _relu(torch)

    def cast(x, old, new):
        if isinstance(x, torch.Tensor) and x.dtype == old:
            return x.to(new)
        return type(x)(cast(one, old, new) for one in x) if type(x) in (tuple, list) else x

    def in_float32(func, name, args, kwargs):
        wide = {k: cast(v, half, torch.float32) for k, v in kwargs.items()}
        made = cast(func(*cast(tuple(args), half, torch.float32), **wide), torch.float32, half)
        if name.endswith("_") and not name.endswith("__") and isinstance(args[0], torch.Tensor):
            args[0].data.copy_(made)
            return args[0]
        return made

    def call(func, name, args, kwargs):
        first = args[0] if args else None
        if name == "relu" and isinstance(first, torch.Tensor) and first.dtype == half and first.requires_grad:
            return relu.apply(first)
        try:
            return func(*args, **kwargs)
        except RuntimeError as error:
            if "not implemented for 'Half'" not in str(error):
                raise
        return in_float32(func, name, args, kwargs)

    return call


def _compiling(torch):
    return getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)


def _named(torch, say):
    """A function of a call: the kind of device that it names ("cpu", "cuda", "musa", or None), and its arguments for the CPU. Calls `say` when
    a program requests a GPU."""
    compiling = _compiling(torch)

    def is_request(device):
        if not is_gpu(device) or (not compiling() and _is_fake(torch)):
            return False
        if not compiling():  # torch.compile cannot trace print()
            say()
        return True

    def named(name, args, kwargs):
        device = kwargs.get("device")
        if device is None and name == "to" and args[1:] and not isinstance(args[1], torch.dtype):
            device = args[1]
        if name in ("cpu", "cuda"):
            device = name
        if str(device) == places.DEFAULT:
            return "cuda", args, kwargs
        if isinstance(device, torch.Tensor):  # x.to(other)
            return (places.kind_of(device) or "cpu"), args, kwargs
        if not is_request(device):
            return ("cpu" if device is not None and not is_gpu(device) else None), args, kwargs
        kind = "cuda" if isinstance(device, int) else str(device).partition(":")[0]
        if "device" in kwargs:
            kwargs["device"] = "cpu"
        elif name == "to":
            args = (args[0], "cpu", *args[2:])
        return kind, args, kwargs

    return named


def _make(torch, say):
    """The mode; it calls `say` when a program requests a GPU."""
    from torch.overrides import TorchFunctionMode

    of_tensors, compiling = places.Places(torch), _compiling(torch)
    with_half, named = _with_half(torch), _named(torch, say)

    def on_cpu(func, args, kwargs):
        """The result of a call on the CPU, and the kind of device that it names."""
        name = getattr(func, "__name__", "")
        if func is torch.device and args and str(args[0]).partition(":")[0] == "musa":
            name_musa(torch)
        kind, args, kwargs = named(name, args, kwargs)
        if name in ("pin_memory", "record_stream") or (name == "cuda" and kind):
            return args[0], kind
        kwargs.pop("pin_memory", None)
        return with_half(func, name, args, kwargs), kind

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, func, kinds, args=(), kwargs=None):
            if compiling() or _is_fake(torch):
                return on_cpu(func, args, dict(kwargs or {}))[0]
            if (report := of_tensors.report(func, args)) is not None:
                return report
            made, kind = on_cpu(func, args, dict(kwargs or {}))
            if kind and args and made is args[0] and getattr(func, "__name__", "") in ("to", "cpu", "cuda"):
                return of_tensors.moved(made, None if kind == "cpu" else kind)
            of_tensors.note(func, args, kwargs or {}, kind, made)
            return made

    return Redirect()


def _change_stack(torch, change):
    """Applies `change` to the list of this thread's modes, the innermost first."""
    from torch.overrides import _pop_mode, _push_mode

    stack = [_pop_mode() for _ in range(torch._C._len_torch_function_stack())][::-1]
    change(stack)
    for mode in stack:
        _push_mode(mode)


def _enter(torch, mode, replacements):
    """Puts the mode below those that the program entered, since each one's exit takes the topmost off; in this thread and all new ones."""
    if not hasattr(torch._C, "_len_torch_function_stack"):  # torch 1
        mode.__enter__()
        return replacements.at_undo(lambda: mode.__exit__(None, None, None))
    from torch.utils._device import DeviceContext  # must stay the innermost mode

    _change_stack(torch, lambda stack: stack.insert(bool(stack) and isinstance(stack[0], DeviceContext), mode))
    replacements.at_undo(lambda: _change_stack(torch, lambda stack: mode in stack and stack.remove(mode)))
    start = threading.Thread.start

    @functools.wraps(start)
    def start_with_mode(thread):
        run = thread.run

        def run_with_mode():
            with mode:
                run()

        thread.run = run_with_mode
        start(thread)

    replacements.put(threading.Thread, "start", start_with_mode)
    if engine := getattr(torch.autograd, "_engine_run_backward", None):
        def run_with_mode(*args, **kwargs):
            """For hooks and torch.autograd.Function: torch takes a mode off while that handles backward()."""
            with mode, places.gradients_of(args[:1]):
                return engine(*args, **kwargs)

        replacements.put(torch.autograd, "_engine_run_backward", run_with_mode)


def _in_place_of(real, make):
    """A class that represents `real` in isinstance and constructs by `make(*args)`."""

    class Kind(type):
        def __call__(cls, *args, **kwargs):
            return make(*args, **kwargs)

        def __instancecheck__(cls, value):
            return isinstance(value, real)

    return Kind(real.__name__, (), {"__doc__": real.__doc__, "__module__": "torch"})


def replace(torch, replacements, say):
    """Moves requests for a GPU to the CPU until replacements.undo(); calls `say` when a program makes one."""
    import torch.utils._device
    from torch.profiler import ProfilerActivity, profiler

    def on_default(device):
        """The device of a context: places.DEFAULT for a GPU."""
        return torch.device(places.DEFAULT) if isinstance(device, (str, torch.device)) and is_gpu(device) and not _is_fake(torch) else device

    def on_cpu(value):
        """The value with the CPU for each GPU in it."""
        if isinstance(value, (list, tuple, set)):
            moved = list(map(on_cpu, value))
            return [one for i, one in enumerate(moved) if one not in moved[:i]]  # each activity of a profiler once
        if isinstance(value, ProfilerActivity):
            return ProfilerActivity.CPU
        return type(value)("cpu") if isinstance(value, (str, torch.device)) and is_gpu(value) and not _is_fake(torch) else value

    def wrap(owner, name="__init__", on_cpu=on_cpu):
        real = getattr(owner, name)
        signature = inspect.signature(real)

        @functools.wraps(real)
        def function(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.arguments
            if given.get("dtype", real) is None and is_gpu(given.get("device_type")):
                given["dtype"] = torch.float16  # autocast's default, which depends on the device
            given.update({name: on_cpu(value) for name, value in given.items()})
            return real(*bound.args, **bound.kwargs)

        replacements.put(owner, name, function)

    mode = _make(torch, say)
    _enter(torch, mode, replacements)
    operators.replace(torch, mode, replacements)
    wrap(torch.utils._device.DeviceContext, on_cpu=on_default)  # of torch.set_default_device and `with torch.device("cuda")`
    wrap(profiler._KinetoProfile)
    wrap(torch.autocast)
    if hasattr(torch.amp, "GradScaler"):
        wrap(torch.amp.GradScaler)
    replacements.put(torch.nn.Parameter, "__new__", places.placed(torch.nn.Parameter.__new__))
    generator = torch.Generator
    replacements.put(torch, "Generator", _in_place_of(generator, lambda device="cpu": generator(on_cpu(device))))
    if not hasattr(torch.utils, "rename_privateuse1_backend"):  # torch 1 has no device "musa"
        device = torch.device
        replacements.put(torch, "device", _in_place_of(device, lambda kind, *index: device(on_cpu(kind), *index)))

    # Between torch's entries for the CPU (10) and CUDA (20).
    entry = 15, lambda storage: None, lambda storage, location: storage if is_gpu(location) else None
    torch.serialization.register_package(*entry)
    replacements.at_undo(lambda: torch.serialization._package_registry.remove(entry))
