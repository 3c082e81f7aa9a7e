# SPDX-License-Identifier: Apache-2.0
"""triton.runtime: the active device, and the classes of kernels."""

import importlib

from .._launch import JITFunction, KernelInterface  # noqa: F401
from .._tuning import Autotuner, Config, Heuristics  # noqa: F401
from .driver import driver  # noqa: F401

OutOfResources = type("OutOfResources", (Exception,), {})


def __getattr__(name):
    if name in ("autotuner", "jit"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'triton.runtime' has no attribute {name!r} in tilelab", name=name)
