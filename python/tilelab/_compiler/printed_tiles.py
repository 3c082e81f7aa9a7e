# SPDX-License-Identifier: Apache-2.0
"""The text of a tile for T.print: numbered rows and columns, with the middle of long ones omitted."""

import math
import sys

from . import prints

_ROW = 10  # elements in a row of a tile of one dimension
_WIDTH = 100


def gap():
    """The text in place of omitted elements."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return "…" if encoding.lower().replace("-", "").startswith("utf") else "..."


def _page():
    host = sys.modules.get("_tilelab_host")
    return min(max(host.width() or _WIDTH, 40), 200) if host and sys.stdout.isatty() else _WIDTH


def number(value):
    """Six significant digits, enough to read a 32-bit float; integers in full."""
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def index_of(flat, shape):
    """The indices of element `flat` in row-major order."""
    out = []
    for extent in reversed(shape):
        flat, i = divmod(flat, extent)
        out.insert(0, i)
    return tuple(out)


def _ends(extent, most):
    """The shown indices of 0 to extent - 1, None for the omitted ones."""
    if extent <= most:
        return list(range(extent))
    half = most // 2
    return [*range(half), None, *range(extent - (most - half), extent)]


def _slice_lines(shape, at, step=1):
    """Lines of a two-dimensional slice; at(i, j) gives an element's text. Row i is labelled i * step."""
    most = prints.now
    rows = _ends(shape[0], most.rows)
    some = _ends(shape[1], most.columns)
    cell = max(len(at(i, j)) for i in rows if i is not None for j in some if j is not None)
    cell = max(cell, len(str(shape[1] - 1)))
    label = len(str((shape[0] - 1) * step))
    fit = max(3, (_page() - label - 2 - len(gap()) - 2) // (cell + 2))
    columns = some if len([j for j in some if j is not None]) <= fit else _ends(shape[1], fit)

    def line(head, texts):
        cells = (gap() if text is None else text.rjust(cell) for text in texts)
        return f"  {head:>{label}}  " + "  ".join(cells)

    yield line("", [None if j is None else str(j) for j in columns])
    for i in rows:
        if i is None:
            yield f"  {gap()}"
        else:
            yield line(i * step, [None if j is None else at(i, j) for j in columns])
    if None in rows:
        left = (shape[0] - most.rows) * step
        yield f"  {gap()} {left} {'elements' if step > 1 else 'rows'} are omitted (rows={most.rows})"


def lines(shape, elements):
    """Lines of a tile; elements: {index: value}, missing ones were lost."""
    def text(index):
        return number(elements[index]) if index in elements else "?"

    if len(shape) < 2:
        count = shape[0] if shape else 1
        step = min(count, _ROW)
        yield from _slice_lines([-(-count // step), step], lambda i, j: text((i * step + j,) if shape else ())
                                if i * step + j < count else "", step)
        return
    count, most = math.prod(shape[:-2]), prints.now.slices
    for number_of in range(min(count, most)):
        if index := index_of(number_of, shape[:-2]):
            yield f"  [{', '.join(map(str, index))}, :, :]"
        yield from _slice_lines(shape[-2:], lambda i, j: text((*index, i, j)))
    if count > most:
        yield f"  {gap()} {count - most} slices are omitted (slices={most})"
