# SPDX-License-Identifier: Apache-2.0
"""The commands that are Python: command_NAME(shell, call) for a row of commands.def.

A function returns a View to show, another value (the value of the command's expression), or None.
"""

import importlib

# In this order: most commands do without the compiler, which `looking` loads.
_MODULES = ("system", "files", "timing", "cells", "extensions", "store", "debugging", "options", "prints", "looking", "layouts", "bench",
            "tracing", "stepping", "tracing_back", "metering", "puzzles")


def handler(name):
    """The function of a command."""
    for module in _MODULES:
        function = getattr(importlib.import_module(f"{__name__}.{module}"), "command_" + name, None)
        if function is not None:
            return function
    raise KeyError(name)
