# SPDX-License-Identifier: Apache-2.0
"""Draws which elements of a puzzle's output are wrong, as SVG: wrong ones in red, correct ones in green."""

import html

import numpy as np

_MOST = (32, 64)  # cells: a cell of a larger output represents several elements
_CELL = 8  # pixels


def _matrix(bad):
    """(two-dimensional part, its leading indices): the slice with the first wrong element."""
    lead = tuple(int(i) for i in np.argwhere(bad)[0][:max(bad.ndim - 2, 0)])
    return np.atleast_2d(bad[lead]), lead


def _pooled(matrix):
    """The share of wrong elements in each cell, and the elements of a cell along each dimension."""
    step = [-(-extent // most) for extent, most in zip(matrix.shape, _MOST)]
    starts = [np.arange(0, extent, by) for extent, by in zip(matrix.shape, step)]
    total = lambda values: np.add.reduceat(np.add.reduceat(values, starts[0], 0), starts[1], 1)  # noqa: E731
    return total(matrix.astype(float)) / total(np.ones(matrix.shape)), step


def svg(name, bad):
    """`bad`: a boolean array of the output's shape, with at least one true element."""
    matrix, lead = _matrix(bad)
    shares, step = _pooled(matrix)
    rows, columns = shares.shape
    axes = [*map(str, lead), *(f"0:{extent}" for extent in matrix.shape[-min(bad.ndim, 2):])]
    caption = f"{name}[{', '.join(axes)}]: {int(matrix.sum())} of {matrix.size} elements are wrong"
    if max(step) > 1:
        caption += f"; a cell is {' x '.join(map(str, step[-min(bad.ndim, 2):]))} elements"
    cells = "".join(
        f'<rect x="{_CELL * c}" y="{_CELL * r}" width="{_CELL - 1}" height="{_CELL - 1}" '
        + (f'fill="#d9453d" fill-opacity="{0.4 + 0.6 * share:.2f}"/>' if share else 'fill="#3d9a50" fill-opacity="0.35"/>')
        for (r, c), share in np.ndenumerate(shares))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_CELL * columns}" height="{_CELL * rows}" role="img">'
            f'<title>{html.escape(caption)}</title>{cells}</svg><div>{html.escape(caption)}</div>')
