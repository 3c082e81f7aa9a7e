# SPDX-License-Identifier: Apache-2.0
"""Commands implemented in Python: command_NAME(shell, call) for a row of commands.def returns a View, a value or None."""

import importlib

from .._session import magic

# The order matters: most commands do not need the compiler, which `inspection` loads.
_MODULES = ("system", "files", "timing", "cells", "extensions", "store", "debugging", "options", "prints", "inspection", "layouts", "bench",
            "tracing", "debugger", "provenance", "costs", "puzzles", "tutorials")


def handler(name):
    for module in _MODULES:
        function = getattr(importlib.import_module(f"{__name__}.{module}"), "command_" + name, None)
        if function is not None:
            return function
    raise KeyError(name)


def run_ipython_command(*call):
    """(whether IPython has such a command, its result)."""
    from .ipython_commands import run

    return run(*call)


def register():
    """Installs the commands in the session."""
    magic.handler, magic.run_ipython_command = handler, run_ipython_command
