# SPDX-License-Identifier: Apache-2.0
"""Shared helpers of commands on kernels: arguments as kernels, constants and targets; views."""

import ast
import os
import textwrap

import _tilelab_host as host

from .. import _core
from .._kernel.shown import Shown, coloured
from .._session.view import CommandError, View, asking, reject_if  # noqa: F401
from .kernels import kernel_of, option_meant


def view(made, page=False):
    if isinstance(made, Shown):
        made = made._made
    shown = View(made["ansi"] if coloured() else made["text"], made["html"], made["json"], made.get("latex"))
    shown.page = page
    return shown


def written_svg(drawing, name):
    """Writes an SVG to the file of --svg; returns the view that reports it."""
    try:
        with open(os.path.expanduser(name), "w", encoding="utf-8") as file:
            file.write(drawing)
    except OSError as error:
        raise CommandError(f"--svg: {name} cannot be written: {error.strerror}") from None
    return sentence(f"the picture is in {name}, {len(drawing.encode())} bytes of SVG", {"svg": name})


def sentence(text, data=None):
    """A one-line view, wrapped where the page is narrow."""
    width = min(max(host.width() or 100, 40), 200)
    lines = textwrap.wrap(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return View("\n".join(lines) + "\n", None, data)


def constants(words, shell):
    """(dict of the NAME=VALUE words, list of the others)."""
    values, rest = {}, []
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier() and not value.startswith("="):
            try:
                values[name] = eval(value, shell.ns)
            except Exception as error:
                raise CommandError(f"{word}: {error}{option_meant(name)}") from None
        else:
            rest.append(word)
    return values, rest


def unquoted(text):
    """An option's value without the quotes that keep its words together."""
    if text[:1] in ("'", '"'):
        try:
            text = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            raise CommandError(f"{text} has unbalanced quotes") from None
    return text


def one(shell, call, usage):
    """The kernel that the arguments name."""
    values, rest = constants(call.args, shell)
    if len(rest) != 1:
        raise CommandError(f"%{usage}" if not rest else f"expected one kernel: %{usage}")
    return kernel_of(rest[0], shell.ns, values, CommandError)


def one_line(shell, call, usage):
    """(kernel, source line or 0) that the arguments name."""
    values, rest = constants(call.args, shell)
    reject_if(not 1 <= len(rest) <= 2 or not (len(rest) == 1 or rest[1].isdigit()), f"%{usage}")
    return kernel_of(rest[0], shell.ns, values, CommandError), int(rest[1]) if len(rest) == 2 else 0


def target(call):
    if not (spelled := call.options.get("--target", "")):
        return ""
    name, problem = _core.parse_target(spelled)
    reject_if(not name, problem)
    return name
