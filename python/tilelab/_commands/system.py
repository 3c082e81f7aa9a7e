# SPDX-License-Identifier: Apache-2.0
"""Commands of the process: pip, the user's names, the directory, the environment."""

import os
import sys

import _tilelab_host as host

from .._session.processes import run
from .._session.view import CommandError, View, reject_if
from .._tools import helper_process


def _before_pipe(text):
    """(the text before the first unquoted |, the remainder)."""
    quote = ""
    for i, char in enumerate(text):
        if char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        elif not quote and char == "|":
            return text[:i], text[i:]
    return text, ""


def _python_of_packages():
    """The Python whose pip installs what this session can import: the virtual environment's if its packages are on sys.path."""
    environment = os.path.abspath(os.environ.get("VIRTUAL_ENV") or sys.prefix)
    lent = environment != sys.prefix and any(p.startswith(environment + os.sep) for p in sys.path)
    return os.path.join(environment, "bin", "python") if lent else sys.executable


def command_pip(shell, call):
    import shlex

    text, pipe = _before_pipe(" ".join(call.args))
    words = helper_process.command("pip", *shlex.split(text), executable=_python_of_packages())
    # Without a pipe no shell runs: a shell would read numpy>=2 as a redirection.
    status = run(f"{shlex.join(words)} {pipe}" if pipe else words)
    reject_if(status, f"pip ended with status {status}")


def _short(value, limit=60):
    kind = type(value)
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        return f"{'x'.join(map(str, shape)) or 'scalar'} {dtype}"
    if kind.__module__ == "builtins" and kind in (list, dict, set, tuple):
        return f"{len(value)} item{'s' if len(value) != 1 else ''}"
    try:
        text = repr(value).replace("\n", " ")
    except Exception:
        text = "<__repr__ failed>"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _table(rows, head):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    room = max(12, host.width() - sum(widths[:-1]) - 2 * len(head))  # width of the last column
    rows = [(*row[:-1], row[-1] if len(row[-1]) <= room else row[-1][: room - 3] + "...") for row in rows]
    return "".join("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in [head, *rows])


def _html_table(rows, head):
    from html import escape

    def line(cells, tag):
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"

    return "<table>" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"


def command_who(shell, call):
    rows = []
    for name in shell.user_names():
        if name.startswith("_"):
            continue
        value = shell.ns[name]
        kind = type(value).__name__
        if not call.args or kind in call.args:
            rows.append((name, kind, _short(value)))
    data = [dict(zip(("name", "type", "value"), row)) for row in rows]
    if call.typed == "who_ls":
        return sorted(row[0] for row in rows)
    if not rows:
        return View("no names yet\n" if not call.args else "no such names\n", None, data)
    head = ("name", "type", "value")
    return View(_table(rows, head), _html_table(rows, head), data)


command_whos = command_who


def command_ls(shell, call):
    import shlex

    flags = [option for option in call.options if option in ("-l", "-a")]
    names = [os.path.expanduser(word) for word in call.args]
    status = run(" ".join(["ls", "-F", *flags, *(n if set(n) & set("*?[") else shlex.quote(n) for n in names)]))
    reject_if(status, f"ls ended with status {status}")


def command_reset(shell, call):
    if not call.has("-f") and shell.interactive:
        reject_if(not host.has_input(), "%reset asks for confirmation, which this front end does not support; use %reset -f")
        answer = input("Delete all names you defined (y/n)? ")
        if answer.strip().lower() not in ("y", "yes"):
            return View("nothing done\n")
    for name in shell.user_names():
        del shell.ns[name]
    if not call.has("-s"):
        for name in [n for n in shell.ns if n.startswith("_") and n.lstrip("_i").isdigit()]:
            del shell.ns[name]
        shell.reset_names()
    import gc

    gc.collect()
    return None


_previous_directory = None


def _visited(shell, place):
    directories = shell.ns.get("_dh")
    reject_if(not isinstance(directories, list) or place >= len(directories), f"_dh has no directory {place}")
    return str(directories[place])


def command_cd(shell, call):
    global _previous_directory
    target = call.args[0] if call.args else "~"
    if target == "-":
        reject_if(_previous_directory is None, "no previous directory")
        target = _previous_directory
    elif target[0] == "-" and target[1:].isdigit():
        target = _visited(shell, int(target[1:]))
    here = os.getcwd()
    try:
        os.chdir(os.path.expanduser(target))
    except OSError as error:
        raise CommandError(f"{target}: {error.strerror}") from None
    _previous_directory = here
    visited = shell.ns.get("_dh")
    if visited is shell.hidden["_dh"]:
        visited.append(os.getcwd())
    return None if call.has("-q") else View(os.getcwd() + "\n")


def command_pwd(shell, call):
    return os.getcwd()


def command_clear(shell, call):
    host.clear_output(False)
    if sys.stdout.isatty():
        print("\x1b[H\x1b[2J\x1b[3J", end="", flush=True)


def command_env(shell, call):
    if not call.args:
        rows = sorted(os.environ.items())
        return View("".join(f"{name}={value}\n" for name, value in rows), None, dict(rows))
    name, equals, value = (" ".join(call.args) if "=" in call.args[0] else call.args[0]).partition("=")
    if not equals and len(call.args) > 1:
        value, equals = " ".join(call.args[1:]), "="
    if equals:
        os.environ[name] = value
        return View(f"{name}={value}\n", None, {name: value})
    reject_if(name not in os.environ, f"{name} is not set")
    return os.environ[name]


def command_matplotlib(shell, call):
    if call.args and call.args[0] not in ("inline", "agg"):
        if not host.captures():
            raise CommandError(f"figures are shown inline here; {call.args[0]} is not supported")
        return View(f"note: figures are shown inline here; {call.args[0]} is not supported\n")
