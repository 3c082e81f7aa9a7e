# SPDX-License-Identifier: Apache-2.0
"""Runs scripts that request a GPU of torch on a machine without one: `device="cuda"` and `"musa"` mean the CPU, torch.cuda and torch.musa
have one simulated device, and half-precision operators that an old CPU torch lacks compute in float32. For torch 1.13 and later."""

import importlib
import importlib.machinery
import sys
import types

from .device import properties

_NOTE = ('note: no GPU here; tensors for device="cuda" stay on the CPU and kernels are simulated, compiled for {}\n'
         "      (set TILELANG_DEFAULT_TARGET=cuda, or %target, for another GPU)")
_mode = None
_said = False


def _say():
    global _said
    if not _said:
        _said = True
        from .._gpu.targets import target_name

        print(_NOTE.format(target_name("auto")), file=sys.stderr)


def device_properties(device=None):
    """Properties of the simulated GPU, named as by torch.cuda.get_device_properties."""
    from . import capability

    return properties(capability.cuda())


def _in_place_of(real, make):
    """A class that represents `real` in isinstance and constructs by `make(*args)`."""

    class Kind(type):
        def __call__(cls, *args, **kwargs):
            return make(*args, **kwargs)

        def __instancecheck__(cls, value):
            return isinstance(value, real)

    return Kind(real.__name__, (), {"__doc__": real.__doc__, "__module__": "torch"})


def _add_musa(torch):
    """Adds torch.musa, Tensor.musa() and the device "musa", as torch_musa does."""
    from . import device

    musa = types.ModuleType("torch.musa", "One simulated device of Moore Threads.")
    vars(musa).update(device.names(torch, "torch.musa"))

    def to_musa(self, *args, **kwargs):
        """The tensor itself: there is no GPU."""
        _say()
        return self

    if hasattr(torch.utils, "rename_privateuse1_backend"):
        torch.utils.rename_privateuse1_backend("musa")
        torch._register_device_module("musa", musa)
    else:
        real = torch.device

        def make(kind, *index):
            return real(f"cuda{kind[4:]}" if isinstance(kind, str) and kind.startswith("musa") else kind, *index)

        torch.device = _in_place_of(real, make)
    torch.musa = sys.modules["torch.musa"] = sys.modules["torch_musa"] = musa
    torch.Tensor.musa = torch.nn.Module.musa = to_musa
    torch.Tensor.is_musa = property(lambda self: True)


def _apply(torch):
    global _mode
    if _mode is not None or torch.cuda.is_available():
        return
    from . import device, mode

    real = torch.Generator

    def generator(device="cpu"):
        return real(device="cpu" if mode.is_gpu(device) else device)

    for name, value in device.names(torch, "torch.cuda").items():
        setattr(torch.cuda, name, value)
    device.quiet(torch)
    torch.Generator = _in_place_of(real, generator)
    if not hasattr(torch, "musa"):
        _add_musa(torch)
    _mode = mode.make(torch, _say)
    _mode.__enter__()


class _TorchMusa:
    """The loader of `import torch_musa` if that is not installed: importing torch defines it."""

    @staticmethod
    def create_module(spec):
        importlib.import_module("torch")
        return sys.modules.get(spec.name)

    @staticmethod
    def exec_module(module):
        pass


class HookLoader:
    """Wraps a module's loader and calls the hooks with the executed module."""

    def __init__(self, loader, hooks):
        self.loader, self.hooks = loader, hooks

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        for hook in self.hooks:
            hook(module)


class _Finder:
    """Waits for the first `import torch`; provides torch_musa if it is not installed."""

    def find_spec(self, name, path=None, target=None):
        if name == "torch_musa" and importlib.machinery.PathFinder.find_spec(name) is None:
            return importlib.machinery.ModuleSpec(name, _TorchMusa)
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec("torch")
        if spec is not None and spec.loader is not None:
            spec.loader = HookLoader(spec.loader, [_apply])
        return spec


def install():
    """Redirects torch, now or when it is imported. Does nothing if there is a GPU."""
    if "torch" in sys.modules:
        _apply(sys.modules["torch"])
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
