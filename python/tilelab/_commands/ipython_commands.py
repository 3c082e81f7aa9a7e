# SPDX-License-Identifier: Apache-2.0
"""Commands of IPython that tilelab does not have: some map to ours, others have no effect."""

import sys

from .._session.view import View, reject_if

# They control IPython's screen and prompt; a note reports that they have no effect.
_WITHOUT_EFFECT = ("autosave", "xmode", "colors", "automagic", "autocall", "autoindent", "doctest_mode", "gui", "rehashx",
                   "logstart", "logstop", "logon", "logoff", "pprint", "logstate")
_SAME = {"HTML": "html", "js": "javascript", "SVG": "svg", "magic": "help", "quickref": "help"}
_PROGRAMS = ("cat", "cp", "mv", "rm", "mkdir", "rmdir", "man", "conda", "mamba", "uv")
_INTERPRETERS = ("python", "python3", "perl", "ruby", "pypy", "node")
_PYLAB = ("import numpy, matplotlib\nfrom matplotlib import pylab, mlab, pyplot\nnp, plt = numpy, pyplot\n"
          "from pylab import *")


def _last_error(magic):
    error = getattr(sys, "last_value", None)
    reject_if(error is None, "nothing has failed yet")
    return View("\n".join(magic.shell.lines_of(error)) + "\n")


def run(magic, name, line, body):
    """(whether there is such a command, its result)."""
    if name in _WITHOUT_EFFECT and body is None:
        return True, View(f"note: %{name} has no effect here\n")
    if name in _SAME:
        return True, magic.command(_SAME[name], line) if body is None else magic.cell_command(_SAME[name], line, body, 0)
    if name in ("system", "sx"):
        return True, magic.system_output(line if body is None else body)
    if name in _PROGRAMS and body is None:
        return True, magic.system(f"{name} {line}")
    if name in _INTERPRETERS and body is not None:
        return True, magic.cell_command("script", f"{name} {line}".strip(), body, 0)
    if name in ("pinfo", "pinfo2", "pdoc", "psource") and body is None:
        reject_if(not line.strip(), f"%{name} takes a name: %{name} print, or print?")
        return True, magic.help(line.strip(), name in ("pinfo2", "psource"))
    if name == "tb" and body is None:
        return True, _last_error(magic)
    if name == "pylab" and body is None:
        exec(_PYLAB, magic.shell.ns)
        return True, None
    return False, None
