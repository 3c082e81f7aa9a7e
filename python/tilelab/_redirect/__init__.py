# SPDX-License-Identifier: Apache-2.0
"""torch's GPU devices on a machine without a GPU, for programs with tile kernels: `device="cuda"` and `"musa"` mean the CPU, torch.cuda,
torch.musa and torch.accelerator have one simulated device. For torch 1.13 and later.

A program asks for it by importing tilelang or tilelab.language. Until then, and with TILELAB_TORCH=off, torch is unchanged. torch's own
modules get torch's own answers at all times, so its internals take the code paths of a machine without a GPU."""

import importlib
import importlib.machinery
import os
import sys

from .replace import Replacements

CHOICES = ("auto", "on", "off")
_NOTE = ('note: no GPU here; tensors for device="cuda" stay on the CPU and kernels are simulated, compiled for {}\n'
         "      (set TILELANG_DEFAULT_TARGET=cuda, or %target, for another GPU)")
_replacements = Replacements()
_said = False
_asked = False
choice = "auto"


def _say():
    global _said
    if not _said:
        _said = True
        from .._gpu.targets import target_name

        print(_NOTE.format(target_name("auto")), file=sys.stderr)


def device_properties(device=None):
    """Properties of the simulated GPU, named as by torch.cuda.get_device_properties."""
    from . import capability
    from .device import properties

    return properties(capability.cuda())


def _update(torch=None):
    """Turns the redirect on or off, as the program and the settings want it."""
    torch = torch or sys.modules.get("torch")
    wanted = choice == "on" or (choice == "auto" and _asked)
    if not hasattr(torch, "cuda") or wanted == bool(_replacements):
        return
    if not wanted:
        _replacements.undo()
    elif not torch.cuda.is_available():
        from . import device, mode, operators, warned

        device.replace(torch, _replacements)
        mode.replace(torch, _replacements, _say)
        warned.replace(_replacements, mode, operators)


def ask(module=None):
    """Turns the redirect on, unless it was turned off: the program uses tile kernels."""
    global _asked
    _asked = True
    _update()


def of_call(inputs, made):
    """The outputs of a kernel, which are on the simulated GPU if its tensors are."""
    if made is None or not _replacements:
        return made
    from . import places

    return places.of_call(inputs, made)


def choose(value):
    """Sets when "cuda" means the CPU: "auto", "on" or "off"; ValueError for another word."""
    global choice
    value = CHOICES[2 - value] if isinstance(value, bool) else value
    if value not in CHOICES:
        raise ValueError(f"{value!r} is not one of {', '.join(CHOICES)}")
    choice = value
    _update()


def state():
    """What torch's device "cuda" is, for %device; empty if nothing uses torch."""
    if _replacements:
        return 'device "cuda" is simulated on the CPU (%config torch = off)'
    if choice == "off":
        return "unchanged (%config torch = auto)"
    if not hasattr(sys.modules.get("torch"), "cuda"):
        return ""
    if sys.modules["torch"].cuda.is_available():
        return "unchanged: it has a GPU"
    return "unchanged until tilelang is imported (%config torch = on)"


class _TorchMusa:
    """The loader of `import torch_musa` if that is not installed: torch.musa is the simulated device."""

    @staticmethod
    def create_module(spec):
        torch = importlib.import_module("torch")
        ask()
        if not _replacements:
            raise ModuleNotFoundError("torch_musa is not installed, and the simulated GPU is off; see %device", name=spec.name)
        from .device import name_musa

        name_musa(torch)
        return torch.musa

    @staticmethod
    def exec_module(module):
        pass


def torch_imports():
    """Whether a module of torch asks for the module that a finder is called for. tilelab's versions of an absent Triton or TVM are for
    programs: torch would compile by them."""
    frame = sys._getframe(2)
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in ("importlib", "_frozen_importlib"):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "torch"


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


def following_spec(finder, name):
    """The spec of a module from the finders on sys.meta_path after this one."""
    others = [other for other in sys.meta_path[sys.meta_path.index(finder) + 1:] if hasattr(other, "find_spec")]
    return next((spec for other in others if (spec := other.find_spec(name, None, None)) is not None), None)


class _Finder:
    """Waits for the first `import torch`; provides torch_musa if it is not installed."""

    def find_spec(self, name, path=None, target=None):
        if name == "torch_musa" and importlib.machinery.PathFinder.find_spec(name) is None:
            return importlib.machinery.ModuleSpec(name, _TorchMusa)
        if name != "torch" or "torch" in sys.modules:
            return None
        spec = following_spec(self, name)
        if spec is not None and spec.loader is not None:
            spec.loader = HookLoader(spec.loader, [_update])
        return spec


def install():
    """Waits for a program that asks for the simulated GPU. TILELAB_TORCH is the choice at the start."""
    value = os.environ.get("TILELAB_TORCH") or "auto"
    try:
        choose(value)
    except ValueError:
        print(f"tilelab: TILELAB_TORCH={ascii(value)[1:-1]} is not one of {', '.join(CHOICES)}; it is ignored", file=sys.stderr)
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
