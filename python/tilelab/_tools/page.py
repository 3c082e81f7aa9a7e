# SPDX-License-Identifier: Apache-2.0
"""Builds the views of tools: plain text, coloured text, HTML and JSON."""

import json
from html import escape

from .. import _core


class Page:
    """A view made of a title, lines and tables."""

    def __init__(self, title=""):
        self.text = self.ansi = self.html = ""
        if title:
            self.add(title, "<div><b>{}</b></div>", indent="")

    def add(self, line, html="<div>{}</div>", indent="  "):
        """Adds a line, wrapped to the page."""
        self.plain(_core.views.hanging(f"{indent}{line}\n"), html.format(escape(line)))

    def notes(self, lines):
        for line in lines:
            self.add(line)

    def plain(self, text, html=""):
        """Adds text without colours, and its markup."""
        self.text, self.ansi, self.html = self.text + text, self.ansi + text, self.html + html

    def table(self, heads, rows):
        if rows:
            self.join(_core.views.table(heads, rows))

    def join(self, made):
        """Appends another view."""
        self.text, self.ansi, self.html = self.text + made["text"], self.ansi + made["ansi"], self.html + made["html"]
        return self

    def made(self, data):
        return {"text": self.text, "ansi": self.ansi, "html": self.html, "json": json.dumps(data)}


def joined(report, added, name):
    """A report with another view below it, whose data get that name."""
    return Page().join(report._made).join(added._made).made({**json.loads(report.json), name: added.data()})
