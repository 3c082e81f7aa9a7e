# SPDX-License-Identifier: Apache-2.0
"""What a command is given, what it shows and how it fails."""

import _tilelab_host as host

from .display import display, is_captured, json_text, mime_bundle


class CommandError(Exception):
    """A command that could not do what it was asked; shown as one line, not as a traceback."""

    def _render_traceback_(self):
        return str(self).split("\n")


class Call:
    """A command's parsed line: args, options {"--after": "simplify"}, line, cell, lines_above."""

    def __init__(self, fields, typed):
        self.typed = typed  # %hist is %history by another name
        for name in ("args", "options", "line", "cell", "lines_above"):
            setattr(self, name, fields[name])

    def has(self, option):
        return option in self.options


class View:
    """What a command shows: complete text, optional HTML (and LaTeX, if it is not the text), and data for --json (text or
    objects)."""

    page = False

    def __init__(self, text, html=None, data=None, latex=None):
        self.text, self.html, self.data, self.latex = text, html, data, latex

    def __repr__(self):
        return self.text.rstrip("\n")

    def json(self):
        if isinstance(self.data, str):
            return self.data
        return json_text(self.data, str)

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/plain": repr(self)}
        if self.html:
            bundle["text/html"] = self.html
            from .._kernel.shown import latex_of

            bundle["text/latex"] = self.latex or latex_of(self.text)
        return bundle

    def show(self, as_json=False):
        """Displays it; as JSON where --json was given."""
        if as_json:
            display({"text/plain": self.json(), "application/json": self.json()}, raw=True)
        elif (self.page or (self.text.strip() and host.pages())) and not is_captured():
            host.page(mime_bundle(self)[0])
        elif self.text.strip() or self.html:
            display(self)
