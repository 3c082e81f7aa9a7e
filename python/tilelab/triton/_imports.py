# SPDX-License-Identifier: Apache-2.0
"""`import triton` as this package: in a session without Triton, in a script after install(), or after %load_ext tilelab.triton."""

import importlib
import importlib.machinery
import sys

from .._redirect import HookLoader, torch_imports

_OURS = __name__.rpartition(".")[0]


def _is_ours(module):
    return getattr(module, "__name__", "") == _OURS


class _Loader:
    def __init__(self, module):
        self.module, self.spec = module, getattr(module, "__spec__", None)

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.spec


class Finder:
    """Finds triton and the modules below it here."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        head, _, below = name.partition(".")
        if head != "triton" or torch_imports() and not (below and _is_ours(sys.modules.get("triton"))):
            return None
        ours = f"{_OURS}.{below}" if below else _OURS
        try:
            module = importlib.import_module(ours)
        except ModuleNotFoundError as missing:
            if missing.name != ours and not ours.startswith(f"{missing.name}."):
                raise
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


class _HiddenFromTorch:
    """A finder that changes torch's own question for Triton: torch.compile must not take this package for Triton's compiler."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch.utils._triton":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            spec.loader = HookLoader(spec.loader, [_answer_without_us])
        return spec


def _answer_without_us(module):
    original = module.has_triton_package

    def has_triton_package():
        return not _is_ours(sys.modules.get("triton")) and original()

    module.has_triton_package = has_triton_package


def hide_from_torch():
    if "torch.utils._triton" in sys.modules:
        _answer_without_us(sys.modules["torch.utils._triton"])
    elif _HiddenFromTorch not in sys.meta_path:
        sys.meta_path.insert(0, _HiddenFromTorch)


def take_over():
    """Makes `import triton` mean this package."""
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
        for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
            del sys.modules[name]


def give_back():
    if Finder in sys.meta_path:
        sys.meta_path.remove(Finder)
        for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
            del sys.modules[name]
