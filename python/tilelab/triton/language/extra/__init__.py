# SPDX-License-Identifier: Apache-2.0
"""tl.extra: libdevice."""

import importlib as _importlib


def __getattr__(name):
    if name in ("libdevice", "cuda"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"triton.language.extra has no {name} in tilelab", name=name)
