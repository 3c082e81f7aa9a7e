# SPDX-License-Identifier: Apache-2.0
"""Access counts of a buffer's elements, as characters and as PNG."""

import base64
import itertools
import math
import struct
import sys
import zlib

import numpy

MARKS = "·1+"  # never, once, often
COLOURS = ((0xEE, 0xEE, 0xEE), (0x4C, 0x90, 0xD0), (0xD0, 0x60, 0x20))
LEGEND = "· not accessed, 1 accessed once, + more often"


def page():
    """The number of columns of the page."""
    host = sys.modules.get("_tilelab_host")
    return min(max(host and host.width() or 100, 40), 200)


def plane(shape):
    """(rows, columns) of a buffer's picture: the last dimension is horizontal."""
    return math.prod(shape[:-1]), shape[-1] if shape else 1


def touches_of(events, buffer, writes):
    return [t for e in events for t in e["touched"] if t["buffer"] == buffer and not t["late"] and (t["what"] != "read") == writes]


def counts(touches, shape):
    """Access counts of the buffer's elements, as a NumPy array of its shape."""
    out = numpy.zeros(shape, "int64")
    for touch in touches:
        box = tuple(slice(lo, lo + n) for lo, n in zip(touch["lo"], touch["extent"]))
        if touch["counts"]:
            out[box] += numpy.array(touch["counts"]).reshape(touch["extent"])
        elif touch["elements"]:
            out[box] += 1
    return out


def reduced(table, rows, columns):
    """Downsamples to 0, 1 or 2 (more) per cell: the maximum of its elements."""
    table = numpy.minimum(table.reshape(plane(table.shape)), 2)
    height, width = table.shape
    down, across = -(-height // rows), -(-width // columns)
    padded = numpy.zeros((-(-height // down) * down, -(-width // across) * across), "int64")
    padded[:height, :width] = table
    return padded.reshape(padded.shape[0] // down, down, -1, across).max(axis=(1, 3)), down, across


def text(table, rows=10, columns=64):
    columns = min(columns, page() - 8)
    cells, down, across = reduced(table, rows, columns)
    lines = ["".join(MARKS[c] for c in row) for row in cells.tolist()]
    return lines, down, across


def svg(table, x, y, rows=128, columns=256, size=320):
    """(SVG elements of the picture, width, height); equal cells of a row merge into one rectangle."""
    cells, _, _ = reduced(table, rows, columns)
    side = max(2, min(12, size // max(cells.shape)))
    parts = []
    for i, row in enumerate(cells.tolist()):
        for mark, run in itertools.groupby(enumerate(row), key=lambda cell: cell[1]):
            first, *rest = (j for j, _ in run)
            colour = "#%02x%02x%02x" % COLOURS[mark]
            parts.append(f'<rect x="{x + first * side}" y="{y + i * side}" width="{(1 + len(rest)) * side}" height="{side}" '
                         f'fill="{colour}"/>')
    return "".join(parts), cells.shape[1] * side, cells.shape[0] * side


def png(table, rows=128, columns=256, size=160):
    """An <img> with the picture embedded."""
    cells, _, _ = reduced(table, rows, columns)
    scale = max(1, min(8, size // max(cells.shape)))
    lines = bytearray()
    for row in cells.tolist():
        line = b"\0" + b"".join(bytes(COLOURS[c]) * scale for c in row)
        lines += line * scale
    height, width = cells.shape[0] * scale, cells.shape[1] * scale
    body = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body += _chunk(b"IDAT", zlib.compress(bytes(lines), 6)) + _chunk(b"IEND", b"")
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
    return f'<img src="data:image/png;base64,{data}" width="{width}" height="{height}" alt="touched part">'


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
