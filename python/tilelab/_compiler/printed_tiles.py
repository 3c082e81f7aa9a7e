# SPDX-License-Identifier: Apache-2.0
"""Text of a tile that T.print shows: rows and columns with their numbers, the middle of long ones left out."""

import itertools

_ROWS = 16  # shown of a slice
_ROW = 10  # elements in a row of a tile of one dimension
_SLICES = 4  # shown of a tile of more than two dimensions
_WIDTH = 100
_GAP = "..."


def number(value):
    """Six digits that count, which is what a 32-bit float is read by; integers are whole."""
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _ends(extent, most):
    """Which of 0 to extent - 1 are shown, None for those in between."""
    if extent <= most:
        return list(range(extent))
    half = most // 2
    return [*range(half), None, *range(extent - (most - half), extent)]


def _slice_lines(shape, at, step=1):
    """Lines of a slice of two dimensions; at(i, j) gives an element's text. Row i is called i * step."""
    rows = _ends(shape[0], _ROWS)
    cell = max(len(at(i, j)) for i in rows if i is not None for j in _ends(shape[1], 2 * _ROWS) if j is not None)
    cell = max(cell, len(str(shape[1] - 1)), len(_GAP))
    label = len(str((shape[0] - 1) * step))
    fit = max(3, (_WIDTH - label - 2) // (cell + 2))
    columns = _ends(shape[1], fit if shape[1] <= fit else fit - 1)  # one more for the gap

    def line(head, texts):
        return f"  {head:>{label}}  " + "  ".join(text.rjust(cell) for text in texts)

    yield line("", [_GAP if j is None else str(j) for j in columns])
    for i in rows:
        if i is None:
            yield f"  {_GAP}"
        else:
            yield line(i * step, [_GAP if j is None else at(i, j) for j in columns])


def lines(shape, elements):
    """Lines of a tile; elements: {index: value}, and what is not there was lost."""
    def text(index):
        return number(elements[index]) if index in elements else "?"

    if len(shape) < 2:
        count = shape[0] if shape else 1
        step = min(count, _ROW)
        yield from _slice_lines([-(-count // step), step], lambda i, j: text((i * step + j,) if shape else ())
                                if i * step + j < count else "", step)
        return
    outer = list(itertools.product(*map(range, shape[:-2])))
    for index in outer[:_SLICES]:
        if index:
            yield f"  [{', '.join(map(str, index))}, :, :]"
        yield from _slice_lines(shape[-2:], lambda i, j: text((*index, i, j)))
    if len(outer) > _SLICES:
        yield f"  {_GAP} and {len(outer) - _SLICES} more slices"
