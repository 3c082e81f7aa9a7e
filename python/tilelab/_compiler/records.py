# SPDX-License-Identifier: Apache-2.0
"""Events of a run (T.print, T.device_assert) in TileLang's line format, with the line that made them."""

import os
import sys


def _number(value):
    return f"{value:.6f}" if isinstance(value, float) else str(int(value) if isinstance(value, bool) else value)


def _indices(shape, flat):
    out = []
    for extent in reversed(shape):
        out.append(flat % extent)
        flat //= extent
    return list(reversed(out))


def lines(func, result):
    sites = func.record_sites
    for record in result["records"]:
        site = sites[record["site"]] if record["site"] < len(sites) else ("", "", None, record["span"], [])
        message, buffer, shape, place, texts = site
        x, y, z = record["block"]
        made = f"   ({os.path.basename(place['file'])}, line {place['line']})" if place["file"] else ""
        said = f"msg='{message}' " if message or not record["is_assert"] else ""
        head = f"{said}BlockIdx=({x}, {y}, {z}), ThreadIdx=({record['thread']}, 0, 0): "
        if record["is_assert"]:
            known = zip(texts[1:], record["values"][1:])
            values = ", ".join(f"{text} = {_number(value)}" for text, value in known)
            yield f"device assert failed: {head}{values}".rstrip(": ") + made
            continue
        if not record["values"]:  # a message alone
            yield head.rstrip(": ") + made
        own = len(record["values"]) - record["index_count"]
        for i, (value, dtype) in enumerate(zip(record["values"][:own], record["dtypes"])):
            where = ""
            if buffer:
                index = record["values"][own:] or (_indices(shape, i) if shape and len(shape) > 1 else [i])
                where = f"buffer={buffer}, index={', '.join(map(str, index))}, "
            yield f"{head}{where}dtype={dtype} value={_number(value)}{made}"


def show(func, result):
    """Prints the events; a count stands for those that did not fit."""
    if not result["records"]:
        return
    out = "\n".join(lines(func, result))
    if result["lost_records"]:
        out += f"\n... and {result['lost_records']} more events"
    sys.stdout.write(out + "\n")
