# SPDX-License-Identifier: Apache-2.0
"""%bisect: runs the snapshots of a kernel, or two kernels, on the same inputs and finds the first different pass and statement."""

import json
import math
import struct

from .. import _core
from .._kernel.arguments import describe, raise_if_failed
from .._kernel.progress import Progress
from .._kernel.registry import known
from .._kernel.shown import Shown
from .memory import Memory, index_of, itemsize

_LINES = 10  # shown lines of a statement's IR
_ULPS = {"float32": 256.0, "float64": 256.0}  # for reordered sums, relative to the largest value
_FEW_ULPS = 16.0  # for narrow types, and for single values
_EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def number(value):
    """A value for JSON, which has no NaN."""
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    return value


def text_of(value):
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class Stage:
    """A kernel after some pass."""

    def __init__(self, name, func):
        self.name, self.func = name, func
        self.title = "as elaborated" if name == "elaborate" else f"after {name}"


def stages_of(kernel):
    """The snapshots that differ from their predecessor."""
    steps = kernel._all_snapshots()
    start = kernel._func.after or "elaborate"
    return [Stage(step["pass"] or start, step.func) for step in steps if step["changed"] or not step["pass"]]


def between(stages, start, end):
    """The stages of a part of the pipeline; ValueError for an unknown pass."""
    names = ["elaborate", *_core.views.pass_names()]
    for name in (start, end):
        if name and name not in names:
            raise ValueError(f"unknown pass {name}; %passes lists them")
    low = names.index(start) if start else 0
    high = names.index(end) if end else len(names)
    if low > high:
        raise ValueError(f"{start} is after {end}")
    chosen = [s for s in stages if low < names.index(s.name) <= high]
    first = [s for s in stages if names.index(s.name) <= low][-1:]
    return first + chosen


class Difference:
    """The first element that differs between two runs."""

    def __init__(self, param, described, found):
        self.tensor, self.dtype = param["name"], param["dtype"]
        self.count, self.number, self.before, self.after = found
        self.byte = self.number * itemsize(described)
        self.shape, self.index = described[2], index_of(self.number, described)

    @property
    def element(self):
        return f"{self.tensor}[{', '.join(map(str, self.index))}]"


class Call:
    """A kernel and its arguments: every run starts with the same memory."""

    def __init__(self, kernel, values):
        self.kernel = kernel
        self.described, self.arrays, _ = describe(kernel, values)
        self.before = Memory([d for d in self.described if len(d) > 2])  # fresh outputs too: a stage may leave elements unwritten
        self.written = [i for i, p in enumerate(kernel._raw_params)
                        if len(self.described[i]) > 2 and (p["written"] or i in kernel._outputs)]

    def run(self, func, what, work=None):
        """(result, bytes of the written tensors)."""
        try:
            with Progress(what) as step:
                made = work(step) if work else func.run(self.described, progress=step)
            result = made[0] if work else made
            raise_if_failed(self.kernel.name, result)
            after = Memory([self.described[i] for i in self.written]).bytes
        finally:
            self.before.restore()
        return made, after

    def log(self, func, **options):
        what = f"{self.kernel.name} at {func.level} level, its writes"
        return self.run(func, what, lambda step: func.run_logged(self.described, progress=step, **options))[0]

    def differ(self, a, b, loose):
        """The first Difference of two runs' bytes, or None."""
        for i, x, y in zip(self.written, a, b):
            param = self.kernel._raw_params[i]
            ulps = _ULPS.get(param["dtype"], _FEW_ULPS) if loose else 0.0
            if found := _core.differ(param["dtype"], x, y, ulps):
                return Difference(param, self.described[i], found)
        return None


class Run:
    """The result of a stage, with the simulator's `findings`."""

    def __init__(self, call, stage):
        self.call, self.stage = call, stage
        result, self.bytes = call.run(stage.func, f"{call.kernel.name} {stage.title}")
        self.findings = result["findings"]
        self.finding = self.findings[0] if self.findings else None


class Statement:
    """The first statement whose values differ: its line, and its IR in both stages."""

    def __init__(self, entry, other, differing, all_, values, before, after):
        # A pass may relocate a statement: the earlier stage's location is closer to the source.
        span = (other or entry)["span"] if before.after != after.after else entry["span"]
        self.file, self.line, self.text = span["file"], span["line"], span["text"].strip()
        self.buffer, self.differing, self.all, self.values = entry["buffer"], differing, all_, values
        self.before = lines_of(before).get(other["span"]["mark"], []) if other else []
        self.after = lines_of(after).get(entry["span"]["mark"], [])


def lines_of(func):
    """{source location: its IR lines}; a line without a location, "@", belongs to the previous statement."""
    out, place = {}, ""
    for line in func.text(spans=True).splitlines():
        code, found, said = line.rpartition("  # ")
        if found:
            place = place if said == "@" else said.rpartition(":")[0]
            out.setdefault(place, []).append(code)
    for lines in out.values():
        indent = min(len(line) - len(line.lstrip()) for line in lines)
        lines[:] = [line[indent:] for line in lines]
    return out


class Written(dict):
    """{(text of a line, buffer, occurrence of that text): its writes}, in order of first writes."""

    def __init__(self, statements):
        lines = {}
        for s in statements:
            place = s["span"]["file"], s["span"]["line"]
            text = s["span"]["text"].strip()
            places = lines.setdefault(text, [])
            if place not in places:
                places.append(place)
            number = places.index(place)
            cells = {c[0]: c[1:] for c in struct.iter_unpack("<qqQQ", s["cells"])}
            entry = self.setdefault((text, s["buffer"], number), {**s, "cells": {}})
            entry["cells"].update(cells)


def placed(statement):
    """Its cells by address; block-local memory relative to the first cell, whose address may differ."""
    cells = statement["cells"]
    first = 0 if statement["global"] else min(cells)
    return {at - first: cell for at, cell in cells.items()}


def parted(a, b, same_level, ulps):
    """(differing elements, all elements, example values) of two statements' writes; None if equal."""
    x, y, dtype = placed(a), placed(b), b["dtype"]
    if (same_level or b["global"]) and x.keys() == y.keys():
        exact = same_level and not ulps
        bad = [at for at in y if (x[at][:2] if exact else x[at][2]) != (y[at][:2] if exact else y[at][2])
               and not close(dtype, x[at][2], y[at][2], ulps)]
        if not bad:
            return None
        shown = next((at for at in sorted(bad) if x[at][2] != y[at][2]), min(bad))
        return len(bad), len(y), (_core.number(dtype, x[shown][2]), _core.number(dtype, y[shown][2]))
    if b["global"]:  # elements that only one of the two wrote
        missing, more = sorted(x.keys() - y.keys()), sorted(y.keys() - x.keys())
        values = [_core.number(dtype, of[at[0]][2]) if at else None for of, at in ((x, missing), (y, more))]
        return len(missing) + len(more), len(x.keys() | y.keys()), tuple(values)
    if a["dtype"] != dtype:
        return None
    # Different layouts place values differently: compare the sets of values.
    had, has = {c[2] for c in x.values()}, {c[2] for c in y.values()}
    lost, new = sorted(had - has), sorted(has - had)
    if ulps:
        lost = [v for v in lost if not any(close(dtype, v, w, ulps) for w in new)]
    if not lost or (same_level and len(had) > len(has) and not new):
        return None
    return len(lost), len(had), (_core.number(dtype, lost[0]), _core.number(dtype, new[0]) if new else None)


def close(dtype, u, v, ulps):
    x, y = _core.number(dtype, u), _core.number(dtype, v)
    if not isinstance(x, float):
        return u == v
    if x != x and y != y:
        return True
    return bool(ulps) and abs(x - y) <= ulps * _EPSILON.get(dtype, 0.25) * max(abs(x), abs(y))


def paired(old, new):
    """[(writes of a statement, of its counterpart or None)]: the same line, or an unmatched line that writes the same buffer."""
    rest = {}
    for key, entry in old.items():
        if key not in new:
            rest.setdefault(entry["buffer"], []).append(entry)
    out = []
    for key, entry in new.items():
        left = rest.get(entry["buffer"])
        out.append((entry, old.get(key) or (left.pop(0) if left else None)))
    return out


def begins(entry, other):
    """When a statement first differed from its counterpart, in writes of the run."""
    for (when, hash_), (_, before) in zip(entry["visits"], other["visits"]):
        if hash_ != before:
            return when
    more = entry["visits"][len(other["visits"]):]
    return more[0][0] if more else entry["visits"][-1][0]


def changed_by(entry, old):
    """For a statement without a counterpart: (differing elements, all elements, values) that it left different."""
    cells, known = placed(entry), {}
    for other in old.values():
        if (other["buffer"], other["dtype"]) == (entry["buffer"], entry["dtype"]):
            known.update(placed(other))
    bad = [at for at, cell in cells.items() if at in known and known[at][2] != cell[2]]
    values = tuple(_core.number(entry["dtype"], of[min(bad)][2]) for of in (known, cells)) if bad else None
    return (len(bad), len(cells), values) if bad else None


def first_statement(a, b, ulps):
    """For two (stage, statements of one block): the Statement of the second that first wrote different values."""
    (before, old), (after, new) = a, b
    old, new = Written(old), Written(new)
    tile = [stage.func.level == "tile" for stage in (before, after)]
    first, made = None, None
    for number, (entry, other) in enumerate(paired(old, new)):
        found = parted(other, entry, tile[0] == tile[1], ulps) if other else changed_by(entry, old)
        if not found:
            continue
        when = (begins(entry, other) if other else entry["visits"][0][0]) if all(tile) else number
        if first is None or when < first:
            first, made = when, Statement(entry, other, *found, before.func, after.func)
    for key, entry in old.items():  # a statement that no longer writes
        if made is None and entry["global"] and key not in new:
            value = _core.number(entry["dtype"], next(iter(entry["cells"].values()))[2])
            made = Statement(entry, entry, len(entry["cells"]), len(entry["cells"]), (value, None), before.func, after.func)
    return made


class Bisect(Shown):
    """The result: .pass_ (the first that differs, "" if none), .before and .after (stages), .difference, .statement, .finding."""

    def __init__(self, kernel, other, values, start="", end="", stages=None):
        entries = [known(k) for k in (kernel, other) if k is not None]
        self.names = [e.full_name for e in entries]
        short = [e.short_name for e in entries]
        self.short = short if len(set(short)) == len(short) else self.names
        self.call = Call(kernel, values)
        self.pass_, self.before, self.after = "", None, None
        self.difference = self.statement = self.finding = None
        self.rows, self.loose = [], False
        stages = between(stages or stages_of(kernel), start, end)
        if other is None:
            self._pipeline(stages)
        else:
            self.other = Call(other, values)
            self._same_tensors()
            self._pair(stages, between(stages_of(other), start, end))
        if self.difference:
            self._find_statement()
        super().__init__(self._view())

    # ---- where results first differ

    def _pipeline(self, stages):
        last = self._first_run(stages[0])
        for stage in stages[1:]:
            now = Run(self.call, stage)
            self.loose = stage.func.reassociated(last.stage.func)
            if self._parted(last, now) or (self.loose and self._parted_uncontracted(last, now)):
                self.pass_ = stage.name
                return
            last = now

    def _pair(self, stages, others):
        self.loose = True
        by_name = {s.name: s for s in others}
        common = [s for s in stages if s.name in by_name]
        # Compare the common stages, and the last of each; skip passes that changed only one.
        for stage, other in [(s, by_name[s.name]) for s in common] or [(stages[-1], others[-1])]:
            a, b = self._first_run(stage), Run(self.other, other)
            self.rows.pop()
            if self._parted(a, b):
                self.pass_ = stage.name
                return

    def _first_run(self, stage):
        run = Run(self.call, stage)
        if run.findings:
            raise ValueError(f"{self.names[0]} {stage.title} has a finding, {run.finding['kind']}: %check shows where; %bisect "
                             "starts from a correct snapshot")
        self.rows.append((stage.title, run.stage.func.level, "the reference" if not self.rows else "equal"))
        return run

    def _parted(self, a, b):
        self.difference = None if b.finding else self.call.differ(a.bytes, b.bytes, self.loose)
        self.finding = b.finding
        wrong = bool(self.difference or self.finding)
        row = (b.stage.title, b.stage.func.level,
               "DIFFERS" if self.difference else b.finding["kind"] if wrong else "equal, within rounding of sums"
               if self.loose and a.bytes != b.bytes else "equal")
        self.rows.append(row)
        if wrong:
            self.before, self.after = a.stage, b.stage
        return wrong

    def _parted_uncontracted(self, a, b):
        """Whether results differ without FMA contraction: tile-level passes must preserve bits then."""
        if b.stage.func.level != "tile":
            return False
        stages = [Stage(r.stage.name, r.stage.func.without_contraction()) for r in (a, b)]
        x, y = (Run(self.call, stage) for stage in stages)
        self.loose = False
        self.rows.pop()
        return self._parted(x, y)

    def _same_tensors(self):
        for i, j in zip(self.call.written, self.other.written):
            one, two = self.call.described[i], self.other.described[j]
            if (one[0], one[2]) != (two[0], two[2]):
                raise ValueError(f"{self.names[0]} gives {one[0]} {tuple(one[2])}, {self.names[1]} {two[0]} "
                                 f"{tuple(two[2])}: nothing to compare")
        if len(self.call.written) != len(self.other.written):
            raise ValueError(f"{self.names[0]} gives {len(self.call.written)} tensors, {self.names[1]} "
                             f"{len(self.other.written)}: nothing to compare")

    # ---- which statement differs first

    def _find_statement(self):
        """Compares the writes of each statement in the block that writes the element, in both stages."""
        second = self.call if len(self.names) == 1 else self.other
        place = (self.difference.tensor, self.difference.byte, -1, -1, -1)
        seen = self.call.log(self.call.kernel._func, watched=[place])[1] if self.call.kernel._func.level == "tile" else []
        if seen and seen[0][1]:
            self.block = seen[0][1][-1]["block"]
            which = seen[0][1][-1]["launch"], seen[0][1][-1]["number"]
        else:
            self.block, which = (0, 0, 0), (0, 0)

        def log(call, stage):
            alone = which[1] if stage.func.kernels == 1 and which[1] else -1
            return stage, call.log(stage.func, statements=which, block=alone)[2]

        ulps = _FEW_ULPS if self.loose else 0.0
        self.statement = first_statement(log(self.call, self.before), log(second, self.after), ulps)

    # ---- view

    def _pieces(self):
        count = f"{len(self.rows)} snapshot{'s' * (len(self.rows) != 1)}" + " of each" * (len(self.names) - 1)
        yield f"{' and '.join(self.names)}: {count} run on the same inputs\n", "strong"
        width = max(len(row[0]) for row in self.rows)
        for title, level, verdict in self.rows:
            yield f"  {title:{width}}  {level:6}  ", "dim"
            yield verdict + "\n", "" if verdict.startswith(("equal", "the first")) else "bad"
        yield "  each row is the kernel after that pass, and whether its results equal those of " \
              f"{'the row before' if len(self.names) == 1 else 'the other one'}\n", "dim"
        if not self.pass_:
            yield "no pass changes a result\n" if len(self.names) == 1 else "both have the same results after each pass\n", "strong"
            return
        yield from self._head()
        if self.statement:
            yield from self._statement()
        elif self.difference:
            yield "  no single statement: before this, values differ only in registers\n", "dim"

    def _head(self):
        if len(self.names) == 1:
            yield "first pass that differs: ", ""
            yield self.pass_ + "\n", "bad"
        else:
            yield f"they differ {self.after.title}" + (", before any pass\n" if self.pass_ == "elaborate" else "\n"), "bad"
        if self.finding:
            where = self.finding["where"][0] if self.finding["where"] else None
            yield f"  {self.finding['kind']}: {self.finding['buffer']} {self.finding['detail']}".rstrip() + "\n", ""
            if where and where["span"]["line"]:
                yield f"  {where['span']['file']}, line {where['span']['line']}    {where['line_text'].strip()}\n", "dim"
            return
        d = self.difference
        names = [s.title for s in (self.before, self.after)] if len(self.names) == 1 else self.short
        of = "in " * (len(self.names) - 1)
        yield f"  {d.element} = {text_of(d.before)} {of}{names[0]}, {text_of(d.after)} {of}{names[1]}", ""
        yield f"; {d.count} of {math.prod(d.shape)} elements of {d.tensor} differ\n", ""

    def _statement(self):
        s = self.statement
        yield "first statement that differs: ", ""
        yield f"{s.file}, line {s.line}" if s.file else "a statement generated by the compiler", "strong"
        yield f"\n    {s.text}\n", ""
        old, new = (text_of(v) if v is not None else "nothing" for v in s.values)
        place = f"in block ({', '.join(map(str, self.block))}), " if any(self.block) else ""
        yield f"  {place}{s.differing} of {s.all} values that it stores in {s.buffer or 'memory'}: {old} became {new}\n", ""
        for title, lines, mark, role in ((self.before.title, s.before, "-", "removed"), (self.after.title, s.after, "+", "added")):
            if len(self.names) == 2:
                title = f"{self.short[mark == '+']}, {title}"
            yield f"  {title}:\n", "dim"
            if s.before == s.after and mark == "+":
                yield "    the same\n", "dim"
                continue
            for line in lines[:_LINES]:
                yield f"  {mark} {line}\n", role
            if len(lines) > _LINES:
                yield f"    ... {len(lines) - _LINES} more lines\n", "dim"
            if not lines:
                yield f"    {'removed' if mark == '+' else 'no equivalent'}\n", "dim"

    def data(self):
        d, s = self.difference, self.statement
        return {"kernels": self.names, "differs": bool(self.pass_), "pass": self.pass_,
                "runs": [{"stage": t, "level": l, "verdict": v} for t, l, v in self.rows],
                "finding": self.finding and {"kind": self.finding["kind"], "detail": self.finding["detail"]},
                "element": d and {"tensor": d.tensor, "index": d.index, "before": number(d.before),
                                  "after": number(d.after), "differing": d.count},
                "statement": s and {"file": s.file, "line": s.line, "text": s.text, "buffer": s.buffer,
                                    "values": [number(v) for v in s.values], "before": s.before, "after": s.after}}

    def _view(self):
        return _core.views.rich_text(list(self._pieces()), json.dumps(self.data()))
