# SPDX-License-Identifier: Apache-2.0
"""What kernels show of themselves: text that is complete, HTML beside it."""

from . import _commands_kernels


class Shown:
    """A view: str() is the whole text, a notebook shows the HTML, .json the data as text."""

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
        text = self._made["ansi"] if _coloured() else self._made["text"]
        return text.rstrip("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._made["html"]}


def _coloured():
    import sys

    host = sys.modules.get("_tilelab_host")
    return bool(host and host.color())


class PassTable(list):
    """The snapshots of all passes; shows itself as the table of %passes."""

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
    """IR: the exact text; shows itself coloured, with long lines broken."""

    shown = None

    def __repr__(self):
        return repr(self.shown)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.shown._repr_mimebundle_()


def _passes(self, stop_after="", _made=None):
    snapshots = _made(self, stop_after)
    if stop_after:
        return snapshots
    # Few look at the table: most want a snapshot.
    return PassTable(snapshots, lambda: Shown(_commands_kernels.known(self).pipeline().passes()))


def _ir(self, after="", spans=False, level=""):
    """The IR as elaborated, after a pass, or at a level ("tile", "thread", "flat")."""
    pipeline = _commands_kernels.known(self).pipeline()
    chosen = after or ("" if level else "elaborate")
    text = IRText(pipeline.text(chosen, level, spans))
    text.shown = Shown(pipeline.ir(chosen, level, spans))
    return text


def _layout(self, buffer, after="", element=None, thread=None, address=None, banks=False):
    """Who holds what of a buffer; `element`, `thread` and `address` (bytes) ask back."""
    if element is not None:
        element = [element] if isinstance(element, int) else list(element)
    return Shown(_commands_kernels.known(self).pipeline().layout(
        buffer, after, element, thread, address, banks))


def _diff(self, from_="", to=""):
    """What the passes behind `from_`, up to `to`, changed."""
    return Shown(_commands_kernels.known(self).pipeline().diff(from_, to))


def _source(self, target="", host=False):
    return Shown(_commands_kernels.known(self).pipeline(target).source(host))


def _mimebundle(self, include=None, exclude=None):
    from html import escape

    entry = _commands_kernels.known(self)
    rows = "".join(
        f'<tr><td style="text-align:left"><code>{escape(p.name)}</code></td>'
        f'<td style="text-align:left">{escape(str(p.dtype))} {escape("" if p.scalar else str(p.shape))}'
        f'{" (returned)" if i in self._outputs else ""}</td></tr>'
        for i, p in enumerate(self.params))
    return {"text/plain": repr(self),
            "text/html": f"<div>kernel <b>{escape(entry.full_name)}</b><table>{rows}</table></div>"}


def attach():
    """Gives the compiled kernel its views and `compile` a memory. Called once, when the class exists."""
    import functools

    from ._kernel import JITKernel

    JITKernel.passes = functools.partialmethod(_passes, _made=JITKernel.passes)
    JITKernel.ir, JITKernel.layout = _ir, _layout
    JITKernel.diff, JITKernel.source = _diff, _source
    JITKernel._repr_mimebundle_ = _mimebundle
    return _commands_kernels.attach()
