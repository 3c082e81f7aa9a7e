# SPDX-License-Identifier: Apache-2.0
"""%config and %precision: how values are shown, and torch's devices; %warnings: which ones are disabled; %lsmagic."""

import builtins
import textwrap

import _tilelab_host as host

from .. import _core, _redirect
from .._session import figures, plain_text
from .._session.view import CommandError, View, asking, reject_if


def _set_formats(value):
    asking(figures.set_formats, [value] if isinstance(value, str) else list(value))


def _set_shows(value):
    asking(setattr, builtins.get_ipython(), "ast_node_interactivity", value)


_SETTERS = {"InlineBackend.figure_format": _set_formats, "InlineBackend.figure_formats": _set_formats,
            "InteractiveShell.ast_node_interactivity": _set_shows, "torch": lambda value: asking(_redirect.choose, value)}
# IPython options that notebooks set: accepted, with a note that they have no effect.
_OTHERS = ("InlineBackend", "IPCompleter", "Completer", "InteractiveShell", "ZMQInteractiveShell", "TerminalInteractiveShell",
           "Application", "IPKernelApp", "HistoryManager", "ScriptMagics", "LoggingMagics", "DisplayFormatter", "PlainTextFormatter",
           "SqlMagic")


def command_config(shell, call):
    values = {**dict.fromkeys(_SETTERS, figures.formats), "InteractiveShell.ast_node_interactivity": shell.interactivity(),
              "torch": _redirect.choice}
    name, equals, text = (call.args[0] if call.args else "").partition("=")
    if not (name := name.strip()):
        return View("".join(f"{option} = {values[option]!r}\n" for option in ("InlineBackend.figure_formats", "torch")))
    if name not in _SETTERS and name.partition(".")[0] not in _OTHERS:
        raise CommandError(f"unknown option {name}; there are InlineBackend.figure_formats and torch")
    if not equals and name in _SETTERS:
        return View(f"{name} = {values[name]!r}\n")
    if name not in _SETTERS:
        return View(f"note: {name} has no effect here\n")
    try:
        value = eval(text, shell.ns)
    except (NameError, SyntaxError):
        value = text.strip()  # IPython takes a bare word as well
    _SETTERS[name](value)
    return None


def command_warnings(shell, call):
    change, *names = call.args or [""]
    if change not in ("", "on", "off") or bool(change) != bool(names):
        raise CommandError("%warnings off NAME... disables warnings, %warnings on NAME... enables them again")
    for name in names:
        if advice := _core.unknown_warning(name):
            raise CommandError(f"unknown warning {name}; {advice}")
        _core.allow_everywhere(name, change == "off")
    disabled = _core.allowed_everywhere()
    return View("disabled: " + (", ".join(disabled) or "none") + "\n", None, {"disabled": disabled})


def command_precision(shell, call):
    reject_if(len(call.args) > 1, "%precision takes one number or format")
    try:
        return plain_text.set_precision(call.args[0] if call.args else "")
    except (TypeError, ValueError):
        raise CommandError(f"{call.args[0]} is neither a number of digits nor a format such as %.3e") from None


def command_lsmagic(shell, call):
    rows = host.commands()
    extra = list(shell.extra_commands)
    lines = sorted("%" + name for name in [r["name"] for r in rows if r["line"]] + [n for n, c in extra if not c])
    cells = sorted("%%" + name for name in [r["name"] for r in rows if r["cell"]] + [n for n, c in extra if c])
    text = f"for a line:\n{'  '.join(lines)}\n\nfor a cell:\n{'  '.join(cells)}\n\n%help describes them.\n"
    return View(_filled(text), None, {"line": lines, "cell": cells})


def _filled(text):
    return "\n".join(textwrap.fill(line, min(80, host.width() or 80), break_on_hyphens=False) for line in text.split("\n"))
