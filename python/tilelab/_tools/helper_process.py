# SPDX-License-Identifier: Apache-2.0
"""Starts Python programs of this package as separate processes that import nothing from the user's directory."""

import os
import subprocess
import sys

_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # the directory that holds `tilelab`
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
# `python3 -m` searches the current directory first; Python 3.11 and later can leave it out.
_SAFE_PATH = ["-P"] if sys.version_info >= (3, 11) else []


def command(module, *words, executable=None):
    """The words that run a module in our Python, or in `executable` of the same version, without the current directory on sys.path."""
    return [executable or sys.executable, *_SAFE_PATH, "-m", module, *map(str, words)]


def directories():
    """The directories of sys.path that a helper process searches: those of packages, never the current one."""
    here = os.path.realpath(os.curdir)
    found = [path for path in sys.path if os.path.isabs(path) and os.path.exists(path) and os.path.realpath(path) != here]
    return list(dict.fromkeys([_PACKAGES, *(path for path in found if path.rstrip("/").endswith("-packages"))]))


def environment():
    """The variables of a helper process: the search paths and the language, no home directory, nothing else of the user's."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(directories()), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": "/nonexistent"}


def start(words, **options):
    """Starts `words`, such as those of command(), with that environment, in the root directory and in a new session; returns
    the Popen. Raises OSError where the system has no process left."""
    return subprocess.Popen(words, cwd="/", env=environment(), start_new_session=True, **options)
