# SPDX-License-Identifier: Apache-2.0
"""%trace: the events of a block, one event with its values, a table of rings and barriers; as text and as script-free HTML."""

import math
from html import escape

import numpy

from .. import _core
from .._kernel.shown import Shown
from . import heat_maps, trace_svg
from .page import Page
from .trace import block_text

GREY = "opacity:0.65"


def number_text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def box_text(touch):
    parts = [str(lo) if n == 1 else f"{lo}:{lo + n}" for lo, n in zip(touch["lo"], touch["extent"])]
    if not touch["of_threads"]:
        return f"{touch['buffer']}[{', '.join(parts)}]"
    first, n = touch["lo"][0], touch["extent"][0]
    return f"{touch['buffer']}[{', '.join(parts[1:])}] of thread{f's {first} to {first + n - 1}' if n > 1 else f' {first}'}"


def values_text(touch):
    """"0.5 to 2", "all 0", "3 NaN" of written values."""
    if touch["what"] == "read" or touch["late"] or not touch["corner"]:
        return ""
    low, high, nan = touch["low"], touch["high"], touch["nan"]
    if nan and nan >= touch["elements"]:
        return " = NaN"
    words = f" = {number_text(low)}" if low == high else f" = {number_text(low)} to {number_text(high)}"
    return words + (f", {nan} NaN" if nan else "") + (" in the first part of it" if touch["cut"] else "")


def often_text(touch):
    if touch["most"] <= 1:
        box = math.prod(touch["extent"])
        return "" if touch["elements"] == box else f" ({touch['elements']} of {box} elements)"
    return f" (up to {touch['most']} times each)"


def touch_text(touch):
    verb = {"read": "reads", "write": "writes", "atomic": "updates"}[touch["what"]]
    verb = {"reads": "will read", "writes": "will write", "updates": "will update"}[verb] if touch["late"] else verb
    return f"{verb} {box_text(touch)}{often_text(touch)}{values_text(touch)}"


def sync_text(sync):
    if sync["waits"]:
        return f"has to wait: {sync['verb']} {sync['object']}"
    slot = f", slot {sync['slot']}" if sync["slot"] is not None else ""
    phase = "" if sync["verb"] == "synchronizes at" else f", phase {sync['phase']}"
    return f"{sync['verb']} {sync['object']}{slot}{phase}"


def names_text(event, shown_names):
    return ", ".join(f"{n} = {number_text(v)}" for n, v in event["names"].items() if n in shown_names and not isinstance(v, list))


def does(event):
    parts = []
    if event["kind"] == "completes":
        parts.append(f"completes event {event['of']}" if event["of"] is not None else "completes")
    if event["kind"] == "continues":
        parts.append(f"continues after event {event['of']}")
    if event["sync"]:
        parts.append(sync_text(event["sync"]))
    parts += [touch_text(t) for t in sorted(event["touched"], key=lambda t: t["what"] != "read")]
    return "; ".join(parts)


def statement(event, recording):
    """The user's line; after a pass, where several statements may come from one line, the line of the IR."""
    own = event["text"] if recording.level != "tile" or recording.after else event["line_text"].strip()
    return own or event["line_text"].strip() or {"completes": "", "continues": ""}.get(event["kind"], "")


def _list_text(trace):
    """Two lines per event: index, line, agent, statement; then its effects."""
    several, width = len(trace.agents) > 1, max([1] + [len(str(e["number"])) for e in trace.events])
    wide = max([4] + [len(str(e["span"]["line"])) for e in trace.events])
    out = [f"  {'#':>{width}}  {'line':>{wide}}  statement\n"]
    for e in trace.events:
        who = f"{trace.agents[e['agent']]['name']}: " if several else ""
        names = names_text(e, trace.changing)
        out.append(f"  {e['number']:>{width}}  {e['span']['line'] or '':>{wide}}  {who}{statement(e, trace.recording)}"
                   + (f"   ({names})" if names else "") + "\n")
        if does(e):
            out.append(" " * (width + wide + 8) + does(e) + "\n")
    return _core.views.hanging("".join(out))


def _notes(trace):
    notes = []
    if trace.launches > 1:
        notes.append(f"kernel {trace.recording.launch} of {trace.launches}; --kernel N selects one, and those before it run completely")
    if trace.end < trace.count or trace.first:
        notes.append(f"events {trace.first} to {trace.end - 1} of {trace.count}; --steps FROM:TO shows others")
    if trace.lost:
        notes.append(f"{trace.lost} events were omitted for lack of memory; --steps FROM:TO selects events")
    if trace.outcome:
        notes.append(f"the block ends with {trace.outcome}")
    notes.append("--at N shows the values after event N, --at +1 and --at -1 step from there")
    return notes


EVENTS = ("each row is an event: the line, its reads and writes, and after = the resulting values; an asynchronous "
          "operation completes in a separate event")
LEGEND = EVENTS[0].upper() + EVENTS[1:] + ". In pictures of a buffer grey is not accessed, blue once, orange more often."


def phases_text(row):
    """"slot 0: 0 to 3; slot 1: 0 to 3", or "0, 1" for a barrier."""
    slots = {}
    for slot, phase in row["where"]:
        slots.setdefault(slot, []).append(phase)
    parts = []
    for slot, phases in sorted(slots.items(), key=lambda item: -1 if item[0] is None else item[0]):
        run = len(phases) > 2 and phases == list(range(phases[0], phases[-1] + 1))
        text = f"{phases[0]} to {phases[-1]}" if run else ", ".join(map(str, phases))
        parts.append(text if slot is None else f"slot {slot}: {text}")
    return "" if row["verb"] == "synchronizes at" else "; ".join(parts)


def together(rows):
    """Merges the rows of warps with the same behavior."""
    groups = {}
    for row in rows:
        warp, _, role = row["agent"].partition(" (")
        number = warp.removeprefix("warp ")
        key = (row["object"], row["verb"], row["line"], row["times"], str(row["where"]), role, number.isdigit())
        groups.setdefault(key, []).append((number, row))
    for (*_, role, warps), members in groups.items():
        row = dict(members[0][1], waited=max(m["waited"] for _, m in members), stuck=max(m["stuck"] for _, m in members))
        if warps and len(members) > 1:
            row["agent"] = f"warps {members[0][0]} to {members[-1][0]}" + (f" ({role}" if role else "")
        yield row


def sync_table(rows):
    heads = ["ring or barrier", "who", ">line", "does", ">times", ">waited", "phases"]
    cells = []
    for row in together(rows):
        stuck = " (still)" if row["stuck"] else ""
        cells.append([row["object"], row["agent"], str(row["line"] or ""), row["verb"], str(row["times"]),
                      f"{row['waited']}{stuck}" if row["waited"] else "", phases_text(row)])
    return _core.views.table(heads, cells)


class TraceView(Shown):
    """%trace KERNEL(ARGUMENTS): .events, .syncs, .at(n)."""

    def __init__(self, trace):
        self.trace, self.events, self.syncs, self.count = trace, trace.events, trace.syncs, trace.count
        super().__init__(_list_view(trace))

    def at(self, number):
        """The machine after event `number`."""
        return MomentView(self.trace.recording, number)

    @property
    def svg(self):
        """The events as a drawing; for a trace of one buffer, its accessed parts."""
        def said(event):
            done = does(event)
            return f"{event['number']}: {statement(event, self.trace.recording)}" + (f": {done}" if done else "")

        return trace_svg.drawing(self.trace, said)


def _list_view(trace):
    title = f"{trace.title}: {trace.count} event{'s' * (trace.count != 1)}"
    page = Page(title)
    page.plain(_list_text(trace), _events_html(trace))
    if trace.syncs:
        page.plain("\n")
        page.join(sync_table(trace.syncs))
    if trace.buffer:
        touches = [t for e in trace.events for t in e["touched"] if t["buffer"] == trace.buffer and not t["late"]]
        page.plain(*_pictures(touches, trace.recording.state(0).buffers[trace.buffer].shape,
                              *(f"{trace.buffer} as it is {verb} by these events" for verb in ("read", "written"))))
    page.add(EVENTS, f'<div style="{GREY}">{escape(LEGEND)}</div>')
    page.notes(_notes(trace))
    return page.made(trace.data())


def _pictures(touches, shape, read, written):
    """Separate pictures of reads and writes, with their titles."""
    text, html = "", ""
    for writes, title in ((False, read), (True, written)):
        if chosen := [t for t in touches if (t["what"] != "read") == writes]:
            one = _picture(title, heat_maps.counts(chosen, shape))
            text, html = text + one[0], html + one[1]
    return text, html


def _picture(title, table):
    if (table == 1).all():
        return _core.views.hanging(f"  {title}: all of it, once\n"), f"<div>{escape(title)}: all of it, once</div>"
    lines, down, across = heat_maps.text(table)
    cell = f"; a character is {down} x {across} elements" if down * across > 1 else ""
    legend = heat_maps.LEGEND + cell
    text = _core.views.hanging(f"  {title}\n") + "".join(f"    {line}\n" for line in lines) + _core.views.hanging(f"    {legend}\n")
    html = (f'<div>{escape(title)}</div><div>{heat_maps.png(table)}</div>'
            f'<div style="{GREY}">grey: not accessed, blue: once, orange: more often</div>')
    return text, html


# ---- HTML

PICTURED = 60  # events with pictures on a page


def _events_html(trace):
    parts, shapes = [], {}
    if trace.events:
        shapes = {name: b.shape for name, b in trace.recording.state(trace.events[0]["number"]).buffers.items()}
    for i, e in enumerate(trace.events):
        who = f' <span style="{GREY}">{escape(trace.agents[e["agent"]]["name"])}</span>' if len(trace.agents) > 1 else ""
        word = "completes: " if e["kind"] == "completes" else "continues: " if e["kind"] == "continues" else \
            "waits: " if e["sync"] and e["sync"]["waits"] else ""
        head = (f'<summary><code>{e["number"]}</code> <span style="{GREY}">line {e["span"]["line"]}</span>{who} {word}'
                f'<code>{escape(statement(e, trace.recording))}</code></summary>')
        names = names_text(e, trace.changing)
        body = f'<div style="margin-left:2em">{escape(does(e) + (f"   ({names})" if names else ""))}'
        body += "".join(_touch_html(t, shapes.get(t["buffer"]) if i < PICTURED else None) for t in e["touched"])
        parts.append(f"<details>{head}{body}</div></details>")
    return "".join(parts)


def _touch_html(touch, shape):
    picture, whole = "", list(shape or ()) == touch["extent"] and not touch["counts"]
    if shape and not touch["late"] and not whole:
        picture = heat_maps.png(heat_maps.counts([touch], shape), 48, 96, 96)
    rows = corner_rows(touch)
    values = f'<pre style="margin:0">{escape(chr(10).join(rows))}</pre>' if rows else ""
    if not picture and not values:
        return ""
    return f'<div>{escape(box_text(touch))}</div><div>{picture}</div>{values}'


def corner_rows(touch):
    width = touch["corner_width"]
    if not width or touch["what"] == "read":
        return []
    rows = [touch["corner"][i:i + width] for i in range(0, len(touch["corner"]), width)]
    return ["  ".join(f"{number_text(v):>9}" for v in row) for row in rows]


# ---- one event

class MomentView(Shown):
    """The machine after an event: .state, .event, .buffers; .next() and .back()."""

    def __init__(self, recording, number):
        if recording.count is None:
            recording.run(first=2**63 - 1)
        if not 0 <= number < recording.count:
            raise ValueError(f"the block has events 0 to {recording.count - 1}; no event {number}")
        self.recording, self.number = recording, number
        self.state, self.event = recording.state(number), recording.event(number)
        self.buffers = self.state.buffers
        super().__init__(_moment_view(self))

    def next(self):
        return MomentView(self.recording, self.number + 1)

    def back(self):
        return MomentView(self.recording, self.number - 1)


def excerpt(buffer, lo=(), rows=6, columns=6):
    """A corner of a buffer's values, as lines; `?` marks unwritten elements."""
    values, written = numpy.asarray(buffer.values), buffer.written
    lo = list(lo) or [0] * values.ndim
    columns = max(1, min(columns, (heat_maps.page() - 6) // 11))
    box = tuple(slice(l, l + 1) for l in lo[:-2]) + tuple(slice(l, l + n) for l, n in zip(lo[-2:], (rows, columns)[-len(lo):]))
    part = values[box].reshape((-1, values[box].shape[-1] if values.ndim else 1))
    known = None if written is None else written[box].reshape(part.shape)
    return ["  ".join(f"{'?' if known is not None and not known[r, c] else number_text(part[r, c].item()):>9}"
                      for c in range(part.shape[1])) for r in range(part.shape[0])]


def summary(buffer):
    """float32 [64, 64] fragment: 0 to 3, 17 NaN"""
    what = f"{buffer.dtype} [{', '.join(map(str, buffer.shape))}] {buffer.scope}"
    what += ", first index: the thread" if buffer.of_threads else ""
    values = buffer.values if buffer.written is None else buffer.values[buffer.written]
    if values.size == 0:
        return what + ": not written yet"
    numbers = values.astype("float64").ravel()
    nan = int(numpy.isnan(numbers).sum())
    low, high = (number_text(float(bound(numbers))) for bound in (numpy.fmin.reduce, numpy.fmax.reduce))
    rest = ", all NaN" if nan == numbers.size else f": {low} to {high}"
    missing = buffer.values.size - values.size
    return what + rest + (f", {nan} NaN" if 0 < nan < numbers.size else "") + (f", {missing} not written yet" if missing else "")


def _moment_view(moment):
    e, r = moment.event, moment.recording
    who = moment.state.agents[e["agent"]]["name"]
    title = f"{r.name}, block {block_text(r.block, r.grid)} {r.where}, after event {moment.number} of {r.count}"
    page = Page(title)
    page.notes([f"line {e['span']['line']}, {who}: {statement(e, r)}", does(e)])
    names = {n: v[0] if isinstance(v, list) else v for n, v in e["names"].items()}
    if names:
        page.add(", ".join(f"{n} = {number_text(v)}" for n, v in names.items()))
    data = {"event": moment.number, "count": r.count, "line": e["span"]["line"], "agent": who, "names": names,
            "text": e["text"], "touched": e["touched"], "buffers": []}
    for name in dict.fromkeys(t["buffer"] for t in e["touched"] if not t["late"]):
        buffer = moment.buffers[name]
        touches = [t for t in e["touched"] if t["buffer"] == name and not t["late"]]
        values = excerpt(buffer, touches[-1]["lo"])
        corner = ", ".join(map(str, touches[-1]["lo"]))
        picture = _pictures(touches, buffer.shape, f"{name} as this event reads it", f"{name} as this event writes it")
        text = _core.views.hanging(f"  {name}  {summary(buffer)}; from [{corner}] on\n") + \
            "".join(f"    {row}\n" for row in values) + picture[0]
        html = (f"<details open><summary><code>{escape(name)}</code> {escape(summary(buffer))}; from [{corner}] on</summary>"
                f'<pre style="margin:0">{escape(chr(10).join(values))}</pre>{picture[1]}</details>')
        page.plain(text, html)
    touched = {t["buffer"] for t in e["touched"] if not t["late"]}
    for name, buffer in moment.buffers.items():
        data["buffers"].append({"name": name, "what": summary(buffer)})
        if name not in touched:
            page.plain(_core.views.hanging(f"  {name}  {summary(buffer)}\n"),
                       f"<div><code>{escape(name)}</code> {escape(summary(buffer))}</div>")
    return page.made(data)
