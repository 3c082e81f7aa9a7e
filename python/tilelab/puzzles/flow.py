# SPDX-License-Identifier: Apache-2.0
"""Draws a puzzle's data flow as text and as SVG: columns of tensors and tiles, each feeding the next."""

import html

from .._kernel.shown import AS_ASCII

_GAP = 6  # characters between columns


def _heights(columns):
    """The number of rows, and for each column the rows of its boxes."""
    rows = max(2 * len(labels) - 1 for _, labels in columns)
    return rows, [[(rows - (2 * len(labels) - 1)) // 2 + 2 * i for i in range(len(labels))] for _, labels in columns]


def _joint(row, left, right):
    """The bus character between two columns in a row; left and right are rows with boxes."""
    first, last = min(left + right), max(left + right)
    if not first <= row <= last:
        return " "
    arms = (row in left, row in right, row > first, row < last)  # left, right, up, down
    return {(1, 1, 0, 0): "─", (1, 0, 0, 1): "┐", (1, 0, 1, 0): "┘", (0, 1, 0, 1): "┌", (0, 1, 1, 0): "└", (1, 1, 0, 1): "┬",
            (1, 1, 1, 0): "┴", (1, 0, 1, 1): "┤", (0, 1, 1, 1): "├", (0, 0, 1, 1): "│", (1, 1, 1, 1): "┼"}[tuple(map(int, arms))]


def _connector(row, left, right):
    if left == right:
        return "────▶ " if row in left else " " * 6
    return ("──" if row in left else "  ") + _joint(row, left, right) + ("─▶ " if row in right else "   ")


def text(columns, unicode=True):
    """The drawing. Between equal columns each box has its own arrow; otherwise all boxes feed all."""
    rows, at = _heights(columns)
    widths = [max(map(len, [caption, *labels])) for caption, labels in columns]
    lines = ["".join(caption.ljust(width + 1 + _GAP) for (caption, _), width in zip(columns, widths)).rstrip()]
    for row in range(rows):
        line = ""
        for c, (_, labels) in enumerate(columns):
            label = labels[at[c].index(row)] if row in at[c] else ""
            last = c + 1 == len(columns)
            line += label + " " + ("─" if label and not last else " ") * (widths[c] - len(label))
            line += "" if last else _connector(row, at[c], at[c + 1])
        lines.append(line.rstrip())
    drawn = "\n".join(lines)
    return drawn if unicode else drawn.translate(AS_ASCII)


_CHAR, _ROW, _BOX, _BETWEEN = 7.3, 24, 30, 48  # pixels


def svg(columns):
    """The same as a picture, in colours for light and dark pages."""
    rows, at = _heights(columns)
    widths = [max(map(len, [caption, *labels])) * _CHAR + 20 for caption, labels in columns]
    lefts = [10 + sum(widths[:c]) + c * _BETWEEN for c in range(len(columns))]
    top, height = 34, rows * _ROW + 50
    wide = lefts[-1] + widths[-1] + 10

    def middle(row):
        return top + row * _ROW + _BOX / 2

    parts = []
    for c, (caption, labels) in enumerate(columns):
        parts.append(f'<text x="{lefts[c]:.0f}" y="20" fill="#888">{html.escape(caption)}</text>')
        for row, label in zip(at[c], labels):
            y = top + row * _ROW
            parts.append(f'<rect x="{lefts[c]:.0f}" y="{y}" width="{widths[c]:.0f}" height="{_BOX}" rx="5" fill="#4c8bf5" '
                         f'fill-opacity="0.15" stroke="#4c8bf5"/><text x="{lefts[c] + 10:.0f}" y="{y + 20}" '
                         f'fill="#888">{html.escape(label)}</text>')
        if c + 1 < len(columns):
            start, end = lefts[c] + widths[c], lefts[c + 1]
            bus = (start + end) / 2
            lines = [f"M{start:.0f} {middle(r):.0f}H{bus:.0f}" for r in at[c]]
            lines += [f"M{bus:.0f} {middle(r):.0f}H{end:.0f}l-7 -4m7 4l-7 4" for r in at[c + 1]]
            if at[c] != at[c + 1]:
                both = at[c] + at[c + 1]
                lines.append(f"M{bus:.0f} {middle(min(both)):.0f}V{middle(max(both)):.0f}")
            parts.append(f'<path d="{"".join(lines)}" fill="none" stroke="#888"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{height}" '
            f'viewBox="0 0 {wide:.0f} {height}" font-family="monospace" font-size="12">{"".join(parts)}</svg>')
