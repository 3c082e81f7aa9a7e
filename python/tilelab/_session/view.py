# SPDX-License-Identifier: Apache-2.0
"""Input, output and errors of commands."""

import _tilelab_host as host

from .display import display, is_captured, json_text, mime_bundle


class CommandError(Exception):
    """A command failed; shown as one line, without a traceback."""

    def _render_traceback_(self):
        return str(self).split("\n")


def reject_if(wrong, text):
    """Raises CommandError for a wrong use of a command."""
    if wrong:
        raise CommandError(text)


def asking(function, *arguments, **options):
    """Makes a view; a ValueError without diagnostics becomes a one-line error."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        if hasattr(error, "diagnostics"):
            raise
        raise CommandError(str(error).rstrip("\n")) from None


class Call:
    """A command's parsed line: args, options {"--after": "simplify"}, line, cell, lines_above."""

    def __init__(self, fields, typed):
        self.typed = typed  # the name as typed: %hist is an alias of %history
        for name in ("args", "options", "line", "cell", "lines_above"):
            setattr(self, name, fields[name])

    def has(self, option):
        return option in self.options

    def number(self, option, default, least=0):
        """The integer value of an option."""
        if (text := self.options.get(option)) is None:
            return default
        reject_if(not text.isdigit() or int(text) < least, f"{option} takes a number{f' of {least} or more' if least else ''}, not {text}")
        return int(text)


class View:
    """The output of a command: text, optional HTML and LaTeX (default: of the text), and data for --json (text or objects)."""

    page = False

    def __init__(self, text, html=None, data=None, latex=None):
        self.text, self.html, self.data, self.latex = text, html, data, latex

    def __repr__(self):
        return host.terminal_text(self.text.rstrip("\n"))

    def json(self):
        return self.data if isinstance(self.data, str) else json_text(self.data, str)

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/plain": repr(self)}
        if self.html:
            bundle["text/html"] = self.html
            from .._kernel.shown import latex_of

            bundle["text/latex"] = self.latex or latex_of(self.text)
        return bundle

    def show(self, as_json=False):
        """Displays the view; as JSON for --json."""
        if as_json:
            display({"text/plain": self.json(), "application/json": self.json()}, raw=True)
        elif (self.page or (self.text.strip() and host.pages())) and not is_captured():
            host.page(mime_bundle(self)[0])
        elif self.text.strip() or self.html:
            display(self)
