# SPDX-License-Identifier: Apache-2.0
"""%dbg: steps through a block of a call, inspects the last failed run, adds prints and assertions to lines."""

import re

import _tilelab_host as host

from .._compiler import records
from .._kernel import last_failure
from .._session.view import CommandError, View, reject_if
from .._tools.debugger import Debugger, FailedDebugger
from .._tools.page import Page
from .._tools.probes import Inserted, Printed, compared
from .._tools.trace_view import number_text
from ..jit import JITKernel
from .arguments import asking, sentence, unquoted
from .calls import called
from .tracing import numbers, recording_of
from .variants import _variant_of

_printed = []  # the last two print runs, for --compare
SHOWN = 100  # events in a view; the data has all


def command_dbg(shell, call):
    put = [option for option in ("--print", "--assert") if call.has(option)]
    where = _where(unquoted(call.options.get("--where", "")))
    if call.has("--compare"):
        return _compare(where)
    if put:
        return _put(shell, call, put, where)
    reject_if(len(call.args) > 1, "%dbg takes one call: %dbg add(a, b)")
    commands = _commands(call.options.get("-c", ""))
    if not commands and not host.has_input():
        raise CommandError("the debugger needs input, which this front end does not support; pass commands with -c \"n; p x\"")
    if not call.args:
        reject_if(last_failure.run is None, "no run has failed yet; %dbg KERNEL(ARGUMENTS) steps through one")
        return _run(asking(FailedDebugger, last_failure.run, shell.ns), commands)
    thread = numbers(call.options.get("--thread", ""), "--thread", 1)
    recording = recording_of("dbg", shell, call)
    return _run(asking(Debugger, recording, shell.ns, thread[0] if thread else None), commands)


def _run(debugger, commands):
    """In a notebook, where a page has room, each stop shows the source around it and what changed."""
    debugger.shows_source = bool(host.captures()) and not commands
    debugger.run(commands)


def _commands(text):
    """The commands of -c "n; p x"."""
    return [part.strip() for part in unquoted(text).split(";") if part.strip()]


# ---- prints and assertions

def _put(shell, call, options, where):
    reject_if(len(options) > 1, "use either --print or --assert")
    option, line = options[0], call.options[options[0]]
    reject_if(len(call.args) < 2 or not line.isdigit(), f"%dbg KERNEL(ARGUMENTS) {option} LINE EXPR, such as {option} 12 \"x[0] < 1\"")
    entry, values = called("dbg", call.args[0], shell.ns)
    expr = unquoted(" ".join(call.args[1:]))
    inserted = asking(Inserted, entry.kernel, int(line), expr, shell.ns, option == "--assert")
    known = _variant_of(entry, JITKernel(asking(inserted.func), entry.kernel._returns_tuple))
    with records.kept() as runs:
        known.kernel(*values)
    if option == "--assert":
        return sentence(f"{expr} held whenever line {line} ran; the variant is {known.full_name}", {"holds": True})
    for func, result in runs:  # the kernel's own prints
        mine = inserted.mine(func)
        records.show(func, {**result, "records": [r for r in result["records"] if r["site"] not in mine]})
    printed = Printed(known.full_name, inserted, runs)
    _printed.append(printed)
    del _printed[:-2]
    return _view(printed, where)


def _where(text):
    where = {}
    for part in filter(None, text.split(";")):
        match = re.fullmatch(r"\s*(block|thread)\s*=\s*\(?(\d+(?:,\s*\d+)*)\)?\s*", part)
        reject_if(not match, f"--where takes block=1,0 or thread=3, or both with a ; between them; not {text}")
        where[match.group(1)] = tuple(int(n) for n in match.group(2).split(","))
    return where


def _values_text(values, parts=()):
    if values is None:
        return "nothing"
    if parts and not isinstance(values, dict) and len(parts) == len(values):
        return ", ".join(f"{part} = {number_text(v)}" for part, v in zip(parts, values))
    if isinstance(values, dict):
        first = ", ".join(f"[{', '.join(map(str, i))}] {number_text(v)}" for i, v in list(values.items())[:4])
        return first + (f", ... {len(values)} elements" if len(values) > 4 else "")
    return ", ".join(number_text(v) for v in values)


def _rows(events, parts):
    return [[str(e["block"]), str(e["thread"]), _values_text(e["values"], parts)] for e in events[:SHOWN]]


def _view(printed, where):
    events = printed.filtered(where)
    title = f"{printed.inserted.expr} on line {printed.inserted.line} of {printed.kernel}: {len(events)} time{'s' * (len(events) != 1)}"
    if where:
        title += f" of {len(printed.events)}"
    notes = ["each row is one execution of the line: where, and the values"] if events else []
    if len(events) > SHOWN:
        notes.append(f"the first {SHOWN}; --where block=1,0;thread=3 filters, --json prints all")
    if printed.lost:
        notes.append(f"{printed.lost} more were dropped")
    return _table_view(title, ["block", "thread", "value"], _rows(events, printed.inserted.parts), notes, {
        "kernel": printed.kernel, "line": printed.inserted.line, "expr": printed.inserted.expr,
        "events": [{**e, "values": _plain(e["values"])} for e in events]})


def _plain(values):
    return [[list(i), v] for i, v in values.items()] if isinstance(values, dict) else values


def _compare(where):
    if len(_printed) < 2 or _printed[0].inserted.expr != _printed[1].inserted.expr:
        raise CommandError("--compare needs the same --print twice: %dbg k(a) --print 12 x, then %dbg k(b) --print 12 x")
    different = compared(*_printed, where)
    one, other = (f"{p.kernel.rpartition('~')[0]}, line {p.inserted.line}" for p in _printed)
    title = (f"{_printed[0].inserted.expr} on line {_printed[0].inserted.line}: {len(different)} of "
             f"{max(len(p.filtered(where)) for p in _printed)} values differ between the last two runs")
    title += f", first of {one}, then of {other}" if one != other else ""
    parts = _printed[0].inserted.parts
    rows = [[str(block), str(thread), str(iteration), _values_text(a, parts), _values_text(b, parts)]
            for block, thread, iteration, a, b in different[:SHOWN]]
    notes = ["time counts the values of a thread, from 0"] if different else []
    notes += [f"the first {SHOWN}"] if len(different) > SHOWN else []
    return _table_view(title, ["block", "thread", "time", "before", "now"], rows, notes,
                       [[list(b), t, n, _plain(x), _plain(y)] for b, t, n, x, y in different])


def _table_view(title, heads, rows, notes, data):
    page = Page()
    page.add(title, indent="")
    page.table(heads, rows)
    page.notes(notes)
    return View(page.text, page.html, data)
