# SPDX-License-Identifier: Apache-2.0
"""Processes that multiprocessing starts as a new Python (spawn, forkserver): they import what the session imports."""

import os

from . import imports

_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class _Start:
    """Installs the imports where it is unpickled: in the child, before that imports the main program."""

    def __reduce__(self):
        return eval, (f"__import__('sys').path.append({_PACKAGES!r}) or "
                      "__import__('tilelab._session.imports', fromlist=['install']).install()",)


def _prepare_children(spawn):
    """The child unpickles the whole dict before it reads an item, and ignores unknown keys."""
    plain = spawn.get_preparation_data

    def get_preparation_data(name):
        return {"tilelab": _Start(), **plain(name)}

    spawn.get_preparation_data = get_preparation_data


def install():
    imports.after_import("multiprocessing.spawn", _prepare_children)
