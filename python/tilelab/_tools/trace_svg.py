# SPDX-License-Identifier: Apache-2.0
"""Draws a trace as SVG: lanes of roles or warps, with arcs from issue to completion; or the accessed parts of a buffer."""

from html import escape

from . import heat_maps

_WIDE, _HIGH, _HEAD = 22, 26, 30  # pixels of an event, a lane, the header
_LINES = 2  # colours alternate with the source line
_FILLS = {"runs": ("#9cc4e8", "#c9dff2"), "completes": ("#f0c27b", "#f0c27b"), "continues": ("#d9d9d9", "#d9d9d9"),
          "waits": ("#e8a0a0", "#e8a0a0")}


def _text(x, y, words, anchor="start", size=11):
    return (f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" '
            f'fill="#222">{escape(words)}</text>')


def _page(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
            f'<rect width="{width}" height="{height}" fill="#fff"/>' + "".join(parts) + "</svg>\n")


def _kind(event):
    if event["kind"] in ("completes", "continues"):
        return event["kind"]
    return "waits" if event["sync"] and event["sync"]["waits"] else "runs"


def timeline(trace, said):
    """Events are boxes in their agent's lane; arcs lead from asynchronous issue to completion, and from a wait to its end."""
    names = [agent["name"] for agent in trace.agents] or ["block"]
    left = 20 + 7 * max(map(len, names))
    parts, centres = [_text(10, 18, f"{trace.title}: events {trace.first} to {trace.end - 1}", size=13)], {}
    for i, name in enumerate(names):
        y = _HEAD + i * _HIGH
        parts.append(_text(left - 8, y + 17, name, "end"))
        parts.append(f'<line x1="{left}" y1="{y + _HIGH}" x2="{left + _WIDE * len(trace.events)}" y2="{y + _HIGH}" '
                     'stroke="#ddd"/>')
    for column, event in enumerate(trace.events):
        x, y = left + column * _WIDE, _HEAD + event["agent"] * _HIGH + 3
        fill = _FILLS[_kind(event)][event["span"]["line"] % _LINES]
        parts.append(f'<g><title>{escape(said(event))}</title><rect x="{x + 1}" y="{y}" width="{_WIDE - 2}" height="{_HIGH - 6}" '
                     f'rx="2" fill="{fill}" stroke="#666" stroke-width="0.5"/>'
                     + _text(x + _WIDE / 2, y + 14, str(event["span"]["line"] or ""), "middle", 9) + "</g>")
        centres[event["number"]] = x + _WIDE / 2, y + (_HIGH - 6) / 2
        begun = centres.get(event["of"]) if event["kind"] in ("completes", "continues") else None
        if begun:
            (x1, y1), (x2, y2) = begun, centres[event["number"]]
            parts.append(f'<path d="M{x1} {y1} Q{(x1 + x2) / 2} {min(y1, y2) - 14} {x2} {y2}" fill="none" stroke="#a60" '
                         'stroke-width="0.8"/>')
    bottom = _HEAD + len(names) * _HIGH
    legend = (("runs", "runs, with its line"), ("completes", "completes"), ("waits", "waits"), ("continues", "continues"))
    for i, (kind, words) in enumerate(legend):
        x = left + i * 120
        parts.append(f'<rect x="{x}" y="{bottom + 10}" width="12" height="12" fill="{_FILLS[kind][0]}" stroke="#666" '
                     'stroke-width="0.5"/>' + _text(x + 17, bottom + 20, words))
    return _page(max(left + _WIDE * len(trace.events) + 10, left + 490), bottom + 32, parts)


def buffer(trace):
    """Grids of how often a buffer's elements are read and written."""
    shape = trace.recording.state(0).buffers[trace.buffer].shape
    parts, y, width = [], 10, 200
    for writes, verb in ((False, "read"), (True, "written")):
        if not (touches := heat_maps.touches_of(trace.events, trace.buffer, writes)):
            continue
        words = f"{trace.buffer} as it is {verb}; grey: not accessed, blue: once, orange: more often"
        parts.append(_text(10, y + 12, words))
        drawn, wide, high = heat_maps.svg(heat_maps.counts(touches, shape), 10, y + 20)
        parts.append(drawn)
        y, width = y + high + 34, max(width, wide + 20, 20 + 6 * len(words))
    return _page(width, y, parts)


def drawing(trace, said):
    return buffer(trace) if trace.buffer else timeline(trace, said)
