# SPDX-License-Identifier: Apache-2.0
"""The commands that are Python: command_NAME(shell, call) for a row of commands.def.

A function returns a View to show, another value (the value of the command's expression), or None.
"""

import importlib

from .._session import magic

# In this order: most commands do without the compiler, which `inspection` loads.
_MODULES = ("system", "files", "timing", "cells", "extensions", "store", "debugging", "options", "prints", "inspection", "layouts", "bench",
            "tracing", "debugger", "provenance", "costs", "puzzles")


def handler(name):
    """The function of a command."""
    for module in _MODULES:
        function = getattr(importlib.import_module(f"{__name__}.{module}"), "command_" + name, None)
        if function is not None:
            return function
    raise KeyError(name)


def run_ipython_command(*call):
    """(whether there is such a command of IPython, what it gives)."""
    from .ipython_commands import run

    return run(*call)


def register():
    """Gives the session its commands."""
    magic.handler, magic.run_ipython_command = handler, run_ipython_command
