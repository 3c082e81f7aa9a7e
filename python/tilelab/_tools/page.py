# SPDX-License-Identifier: Apache-2.0
"""How tools build their views: as text, as text with colours, as HTML and as JSON."""

import json
from html import escape

from .. import _core


class Page:
    """A view that is put together: a title, then lines and tables."""

    def __init__(self, title=""):
        self.text = self.ansi = self.html = ""
        if title:
            self.add(title, "<div><b>{}</b></div>", indent="")

    def add(self, line, html="<div>{}</div>", indent="  "):
        """A line, broken where the page is narrow."""
        self.plain(_core.views.hanging(f"{indent}{line}\n"), html.format(escape(line)))

    def notes(self, lines):
        for line in lines:
            self.add(line)

    def plain(self, text, html=""):
        """Text as it is, without colours, and markup."""
        self.text, self.ansi, self.html = self.text + text, self.ansi + text, self.html + html

    def table(self, heads, rows):
        if rows:
            self.join(_core.views.table(heads, rows))

    def join(self, made):
        """The forms of another view."""
        self.text, self.ansi, self.html = self.text + made["text"], self.ansi + made["ansi"], self.html + made["html"]
        return self

    def made(self, data):
        return {"text": self.text, "ansi": self.ansi, "html": self.html, "json": json.dumps(data)}
