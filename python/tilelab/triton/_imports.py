# SPDX-License-Identifier: Apache-2.0
"""`import triton` as this package: in a session without Triton, in a script after install(), or after %load_ext tilelab.triton."""

import importlib
import importlib.machinery
import sys

_OURS = __name__.rpartition(".")[0]


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
        if head != "triton":
            return None
        ours = f"{_OURS}.{below}" if below else _OURS
        try:
            module = importlib.import_module(ours)
        except ModuleNotFoundError as missing:
            if missing.name != ours and not ours.startswith(f"{missing.name}."):
                raise
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


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
