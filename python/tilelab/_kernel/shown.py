# SPDX-License-Identifier: Apache-2.0
"""Views of kernels: text, HTML, LaTeX."""

import sys

# ASCII replacements of the characters in drawings, for LaTeX fonts and others that lack them.
AS_ASCII = str.maketrans({"─": "-", "▶": ">", "│": "|", **dict.fromkeys("┐┘┌└┬┴┤├┼", "+")})


def latex_of(text):
    """Text for a PDF, where HTML is lost, in a font that fits 100 columns."""
    import re

    plain = re.sub("\x1b\\[[0-9;]*m", "", text).translate(AS_ASCII).replace("\\end{", "\\end {")
    return "\\begin{Verbatim}[fontsize=\\scriptsize]\n" + plain.rstrip("\n") + "\n\\end{Verbatim}\n"


class Shown:
    """A view: str() is the whole text, a notebook shows the HTML, .json is the data as text."""

    def __init__(self, made):
        self._made = made

    @property
    def json(self):
        return self._made["json"]

    @property
    def html(self):
        return self._made["html"]

    def __str__(self):
        return self._made["text"].rstrip("\n")

    def __repr__(self):
        text = self._made["ansi"] if coloured() else self._made["text"]
        return text.rstrip("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._made["html"], "text/latex": self._made.get("latex") or latex_of(str(self))}


class Picture(Shown):
    """The view of a layout with its drawing: .svg and .latex are texts."""

    @property
    def svg(self):
        return self._made["svg"]()

    @property
    def latex(self):
        return self._made["latex"]


def coloured():
    host = sys.modules.get("_tilelab_host")
    return bool(host and host.color())


class PassStep(dict):
    """A pass and its result: `step.func`, `.milliseconds`, `.decided`, `.reasons`, and `.pass_`, its name, "" before the first."""

    def __getattr__(self, name):
        try:
            return self[name.rstrip("_")]
        except KeyError:
            raise AttributeError(f"a pass has no {name}; it has {', '.join(self)}", name=name) from None

    def __dir__(self):
        return [*super().__dir__(), *(name + "_" * (name == "pass") for name in self)]

    def __repr__(self):
        name = self["pass"] or "as elaborated"
        words = [f"{self['milliseconds']:.1f} ms"] if self["pass"] else []
        words += [self["decided"] or ("" if self["changed"] else "no change")]
        return f"<{name}: {', '.join([f'{self.func.level} level', *filter(None, words)])}>"


class PassTable(list):
    """The snapshots of all passes, shown as the table of %passes."""

    def __init__(self, snapshots, show):
        super().__init__(snapshots)
        self._show = show

    @property
    def shown(self):
        return self._show()

    def __repr__(self):
        return repr(self.shown)

    def __str__(self):
        return str(self.shown)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.shown._repr_mimebundle_()


class IRText(str):
    """The exact text of the IR, shown coloured and wrapped."""

    shown = None

    def __repr__(self):
        return repr(self.shown)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.shown._repr_mimebundle_()
