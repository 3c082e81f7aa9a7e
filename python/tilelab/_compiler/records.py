# SPDX-License-Identifier: Apache-2.0
"""Events of a run (T.print, T.device_assert) in TileLang's line format, with the line that made them;
a tile is shown as one."""

import contextlib
import os
import sys

from . import printed_tiles


def _number(value):
    return f"{value:.6f}" if isinstance(value, float) else str(int(value) if isinstance(value, bool) else value)


def _indices(shape, flat):
    out = []
    for extent in reversed(shape):
        out.append(flat % extent)
        flat //= extent
    return list(reversed(out))


class _Tile:
    """The elements of a buffer that one T.print of a block has recorded, in one record or in many."""

    def __init__(self, record, site):
        self.record, self.site = record, site
        self.elements = {}

    def takes(self, index):
        return index not in self.elements

    @property
    def shape(self):
        return self.site[2] or [max(column) + 1 for column in zip(*self.elements)]


def _elements(record, shape):
    """[(index, value)] of a record of a buffer."""
    own = len(record["values"]) - record["index_count"]
    if record["index_count"]:
        return [(tuple(record["values"][own:]), record["values"][0])]
    return [(tuple(_indices(shape, i)) if shape else (i,), value) for i, value in enumerate(record["values"][:own])]


def _events(func, result):
    """Records in their order; those of one tile together, where the first of them stands."""
    sites, events, tiles = func.record_sites, [], {}
    for record in result["records"]:
        site = sites[record["site"]] if record["site"] < len(sites) else ("", "", None, record["span"], [])
        if not site[1] or record["is_assert"] or not record["values"]:
            events.append((record, site))
            continue
        for index, value in _elements(record, site[2]):
            key = record["site"], tuple(record["block"]), record["thread"]
            if key not in tiles or not tiles[key].takes(index):
                tiles[key] = _Tile(record, site)
                events.append(tiles[key])
            tiles[key].elements[index] = value
    return events


def _head(record, message):
    x, y, z = record["block"]
    said = f"msg='{message}' " if message or not record["is_assert"] else ""
    return f"{said}BlockIdx=({x}, {y}, {z}), ThreadIdx=({record['thread']}, 0, 0): "


def _made(place):
    return f"   ({os.path.basename(place['file'])}, line {place['line']})" if place["file"] else ""


def _tile_lines(tile):
    message, buffer, _, place, _ = tile.site
    dtype, shape = tile.record["dtypes"][0], tile.shape
    head = f"{_head(tile.record, message)}buffer={buffer}, "
    if len(tile.elements) == 1:
        (index, value), = tile.elements.items()
        yield f"{head}index={', '.join(map(str, index))}, dtype={dtype} value={_number(value)}{_made(place)}"
        return
    yield f"{head}shape={', '.join(map(str, shape))}, dtype={dtype}{_made(place)}"
    yield from printed_tiles.lines(shape, tile.elements)


def lines(func, result):
    for event in _events(func, result):
        if isinstance(event, _Tile):
            yield from _tile_lines(event)
            continue
        record, (message, _, _, place, texts) = event
        head, made = _head(record, message), _made(place)
        if record["is_assert"]:
            known = zip(texts[1:], record["values"][1:])
            values = ", ".join(f"{text} = {_number(value)}" for text, value in known)
            yield f"device assert failed: {head}{values}".rstrip(": ") + made
            continue
        if not record["values"]:  # a message alone
            yield head.rstrip(": ") + made
        for value, dtype in zip(record["values"], record["dtypes"]):
            yield f"{head}dtype={dtype} value={_number(value)}{made}"


_keeper = None  # takes (func, result) in place of a screen


@contextlib.contextmanager
def kept():
    """Here events are not printed: [(function, result)] of the runs."""
    global _keeper
    before, _keeper = _keeper, []
    try:
        yield _keeper
    finally:
        _keeper = before


def show(func, result):
    """Prints the events; a count stands for those that did not fit."""
    if not result["records"]:
        return
    if _keeper is not None:
        _keeper.append((func, result))
        return
    out = "\n".join(lines(func, result))
    if result["lost_records"]:
        out += f"\n... and {result['lost_records']} more events"
    sys.stdout.write(out + "\n")
