# SPDX-License-Identifier: Apache-2.0
"""What changed between two states of a block: rows of the table that %dbg shows at a stop in a notebook."""

from .trace_view import number_text

MOST = 12  # rows


def changed(before, now, names_before, names_now):
    """Rows (name, where, before, now): names first, then buffers with their first changed element."""
    rows = [(name, "", _text(names_before.get(name)), _text(value)) for name, value in names_now.items()
            if name not in names_before or names_before[name] != value]
    for name, buffer in now.buffers.items():
        if (row := _of_buffer(name, before.buffers.get(name), buffer)) is not None:
            rows.append(row)
    return rows[:MOST]


def _text(value):
    return "" if value is None else number_text(value)


def _of_buffer(name, before, now):
    import numpy

    if before is None or before.shape != now.shape or not now.values.size:
        return None
    # Bytes: an unchanged NaN is equal.
    bytes_of = [numpy.ascontiguousarray(one.values).reshape(-1).view("uint8").reshape(now.values.size, -1) for one in (before, now)]
    differs = (bytes_of[0] != bytes_of[1]).any(axis=1)
    if now.written is not None and before.written is not None:
        differs |= (before.written != now.written).reshape(-1)
    places = numpy.flatnonzero(differs)
    if not len(places):
        return None
    first = tuple(int(i) for i in numpy.unravel_index(places[0], now.values.shape))
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return name, f"[{', '.join(map(str, first))}]{more}", _element(before, first), _element(now, first)


def _element(buffer, index):
    if buffer.written is not None and not buffer.written[index]:
        return "not written"
    return number_text(buffer.values[index].item())
