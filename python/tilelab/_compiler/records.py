# SPDX-License-Identifier: Apache-2.0
"""Events of a run (T.print, T.device_assert) in TileLang's line format, with their source lines; a tile is one event."""

import contextlib
import os
import sys

from . import printed_tiles, prints


def _number(value):
    """TileLang's format; six significant digits where six decimals would be zeros."""
    if isinstance(value, float):
        return f"{value:.6f}" if value == 0 or not 0 < abs(value) < 1e-3 and not abs(value) >= 1e15 else f"{value:.6g}"
    return str(int(value) if isinstance(value, bool) else value)


_MARK = "\x1a"  # encloses the format of a value in a message (core/ir/tile_op.h)


def _of_message(message):
    """The number of a record's values that its message shows."""
    return message.count(_MARK) // 2


def _shown(record, message):
    """The message with its values: the last ones before the index."""
    parts, end = message.split(_MARK), len(record["values"]) - record["index_count"]
    for n, value in enumerate(record["values"][end - len(parts) // 2:end]):
        with contextlib.suppress(ValueError):  # a format that does not fit the value
            value = format(value, parts[2 * n + 1])
        parts[2 * n + 1] = str(value)
    return "".join(parts)


class _Tile:
    """The elements of a buffer that one T.print of a block recorded, in one or several records."""

    def __init__(self, record, site):
        self.record, self.site = record, site
        self.elements = {}

    @property
    def shape(self):
        return self.site[2] or [max(column) + 1 for column in zip(*self.elements)]


def _elements(record, site):
    """[(index, value)] of a record of a buffer."""
    shape, end = site[2], len(record["values"]) - record["index_count"]
    if record["index_count"]:
        return [(tuple(record["values"][end:]), record["values"][0])]
    own = end - _of_message(site[0])
    return [(printed_tiles.index_of(i, shape) if shape else (i,), value) for i, value in enumerate(record["values"][:own])]


def _strays(record, shape):
    """Whether its index is outside the buffer, as when a device's memory is corrupted. It is then shown as raw numbers."""
    index = record["values"][len(record["values"]) - record["index_count"]:] if record["index_count"] else ()
    return any(not 0 <= i < (shape[d] if shape else 2**31 - 1) for d, i in enumerate(index))


def events(func, result, takes=None):
    """The records in order; those of one tile are one event, at the position of the first. `takes(record, message)` filters prints."""
    sites, tiles, iterations, out = func.record_sites, {}, {}, []
    for record in result["records"]:
        site = sites[record["site"]] if record["site"] < len(sites) else ("", "", None, record["span"], [])
        if takes and not record["is_assert"] and not takes(record, site[0]):
            continue
        if not site[1] or record["is_assert"] or not record["values"] or _strays(record, site[2]):
            out.append((record, site))
            continue
        owner = record["site"], tuple(record["block"]), record["thread"]
        for index, value in _elements(record, site):
            iteration = iterations[owner, index] = iterations.get((owner, index), -1) + 1
            if (tile := tiles.get((owner, iteration))) is None:
                tile = tiles[owner, iteration] = _Tile(record, site)
                out.append(tile)
            tile.elements[index] = value
    return _joined(out, tiles)


def _joined(found, tiles):
    """Merges the parts of a tile in the registers of a block's threads, unless all threads hold the same elements: a per-thread array."""
    parts = {}
    for ((site, block, _), iteration), tile in tiles.items():
        parts.setdefault((site, block, iteration), []).append(tile)
    gone = set()
    for first, *others in parts.values():
        if all(other.elements.keys() == first.elements.keys() for other in others):
            continue
        for other in others:
            first.elements.update(other.elements)
            gone.add(id(other))
        first.record = {**first.record, "thread": 0}
    return [event for event in found if id(event) not in gone] if gone else found


def _head(record, message):
    x, y, z = record["block"]
    message = _shown(record, message)
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
    options = prints.now
    found = events(func, result, options.takes if options.filtered() else None)
    for event in found[:options.events]:
        if isinstance(event, _Tile):
            yield from _tile_lines(event)
            continue
        record, (message, _, _, place, texts) = event
        head, made = _head(record, message), _made(place)
        own = len(record["values"]) - _of_message(message)
        if record["is_assert"]:
            known = zip(texts[1:own], record["values"][1:own])
            values = ", ".join(f"{text} = {_number(value)}" for text, value in known)
            yield f"device assert failed: {head}{values}".rstrip(": ") + made
            continue
        if not own:  # a message alone
            yield head.rstrip(": ") + made
        for value, dtype in zip(record["values"][:own], record["dtypes"]):
            yield f"{head}dtype={dtype} value={_number(value)}{made}"
    if left := len(found[options.events:]) + result["lost_records"]:
        yield f"{printed_tiles.gap()} {left} more events (events={options.events}; tilelang.print_options and %prints change it)"
    if damaged := result["damaged_records"]:
        yield (f"{printed_tiles.gap()} {damaged} damaged event{'s' * (damaged != 1)}, omitted: no statement of "
               f"{func.name} writes this data; an out-of-bounds store may have")


_keeper = None  # collects (func, result) instead of printing


@contextlib.contextmanager
def kept():
    """Collects events instead of printing them: [(function, result)] of the runs."""
    global _keeper
    before, _keeper = _keeper, []
    try:
        yield _keeper
    finally:
        _keeper = before


def report_assertions(func, result):
    """Adds the values of operands to failed assertions."""
    for finding in result["findings"]:
        if finding["kind"] != "assertion":
            continue
        for record in result["records"]:
            place = finding["where"][0]["span"] if finding["where"] else None
            if not record["is_assert"] or tuple(record["block"]) != tuple(finding["block"]) or record["span"] != place:
                continue
            texts = func.record_sites[record["site"]][4] if record["site"] < len(func.record_sites) else []
            own = len(record["values"]) - _of_message(finding["detail"])
            known = [f"{text} is {f'{value:.6g}' if isinstance(value, float) else _number(value)}"
                     for text, value in zip(texts[1:own], record["values"][1:own])]
            finding["detail"] = ", ".join(filter(None, [_shown(record, finding["detail"]), *known]))
            break


def show(func, result):
    """Prints the events; lost ones are counted."""
    if not result["records"] and not result["damaged_records"]:
        return
    if _keeper is not None:
        _keeper.append((func, result))
        return
    if out := "\n".join(lines(func, result)):  # filters may remove all events
        sys.stdout.write(out + "\n")
