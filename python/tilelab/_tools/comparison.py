# SPDX-License-Identifier: Apache-2.0
"""%versus: compares two kernels: shape, memory, layouts, code; with arguments also the work of a call."""

import json
import math
import re

from .. import _core
from .._kernel.arguments import describe, raise_if_failed
from .._kernel.registry import known
from .._kernel.shown import Shown
from .bench import Bench
from .memory import written_memory
from .page import Page

_BYTES = {"64": 8, "32": 4, "16": 2, "8": 1}


def _kernels(text):
    """(grids, threads, bytes of shared memory) of a function's kernels, from its IR."""
    found = re.findall(r"with kernel\(\"[^\"]*\", grid=\[([^]]*)\], block=(\d+)(?:, smem=(\d+))?", text)
    return ["x".join(part.strip() for part in re.split(r",(?![^(]*\))", grid)) for grid, _, _ in found], \
        [int(threads) for _, threads, _ in found], [int(smem or 0) for _, _, smem in found]


def _together(numbers):
    """The number of one kernel, or a list for several."""
    return numbers[0] if len(numbers) == 1 else ", ".join(map(str, numbers))


def _registers(text):
    """Bytes of a thread's local arrays."""
    return sum(math.prod(map(int, shape.split(","))) * _BYTES.get(re.sub(r"\D*(\d+).*", r"\1", dtype), 1)
               for dtype, shape in re.findall(r"= local\((\w+), \[([\d, ]+)\]", text))


def _conflicts(pipeline):
    """(cycles of shared-memory accesses, cycles without conflicts), summed."""
    cycles = ideal = 0
    for line in json.loads(pipeline.explain()["json"])["lines"]:
        for why in line["why"]:
            for many, few in re.findall(r"-way conflicts, (\d+) cycles instead of (\d+)", why["text"]):
                cycles, ideal = cycles + int(many), ideal + int(few)
    return cycles, ideal


class Side:
    """The properties of one kernel."""

    def __init__(self, kernel, values):
        entry = known(kernel)
        self.name, self.short = entry.full_name, entry.short_name
        pipeline = entry.pipeline()
        flat, tile = pipeline.text("", "flat"), pipeline.text("", "tile")
        grids, threads, smem = _kernels(flat)
        cycles, ideal = _conflicts(pipeline)
        self.rows = {
            "target": kernel.target, "blocks": ", ".join(grids), "threads of a block": _together(threads),
            "shared memory, bytes": _together(smem), "registers of arrays, bytes a thread": _registers(flat),
            "barriers in the code": len(re.findall(r"\b(?:block_sync|role_sync|group_sync|named_sync|bar_wait)\(", flat)),
            "bank conflicts, cycles lost": cycles - ideal, "lines of IR": len(flat.splitlines()),
            "lines of code": len(kernel.get_kernel_source().splitlines()), "operations": pipeline.operations or "not counted"}
        self.layouts = dict(re.findall(r"^\s*(\w+) = (?:shared|fragment)\(\w+, \[[^]]*\], (lay=.*\]\](?:, swz=\([^)]*\))?)", tile, re.M))
        if values is not None:
            self._call(kernel, values)

    def _call(self, kernel, values):
        described, *self.memory = describe(kernel, values)
        before = written_memory(kernel._func, described)
        try:
            result = kernel._func.run(described, notes=True, uninitialized=True, races=True)
            raise_if_failed(kernel.name, result)
            bench = Bench(kernel, values, runs=3)
        finally:
            before.restore()
        for key, label in (("read", "bytes read"), ("written", "bytes written")):
            self.rows[label] = sum(row[key] for row in result["traffic"])
        self.rows["time, ms"] = f"{bench.rows[0].median * 1e3:.3g}" + (" simulated" if bench.simulated else "")


class Versus(Shown):
    """The result: .rows {what: (of a, of b)}, .layouts {buffer: (of a, of b)} of those that differ."""

    def __init__(self, kernel, other, values=None):
        a, b = Side(kernel, values), Side(other, values)
        heads = (a.short, b.short) if a.short != b.short else ("a", "b")
        self.rows = {what: (a.rows[what], b.rows[what]) for what in a.rows}
        self.layouts = {name: (a.layouts.get(name, "absent"), b.layouts.get(name, "absent"))
                        for name in {**a.layouts, **b.layouts} if a.layouts.get(name) != b.layouts.get(name)}
        page = Page().join(_core.views.rich_text([(f"{head}: {side.name}\n", "strong") for head, side in zip(heads, (a, b))], "{}"))
        page.table(["", f">{heads[0]}", f">{heads[1]}", "differs"], [
            [what, str(x), str(y), "" if x == y else "*"] for what, (x, y) in self.rows.items()])
        notes = [(("layouts that differ\n" if self.layouts else "the layouts are the same\n"), "strong" if self.layouts else "dim")]
        for name, (x, y) in self.layouts.items():
            notes += [(f"  {name}\n", "type"), (f"  - {x}\n", "removed"), (f"  + {y}\n", "added")]
        notes.append(("* marks differences, - is the first and + the second kernel; for the causes see "
                      "%diff, %bisect, %explain\n", "dim"))
        data = {"a": a.name, "b": b.name, "rows": [{"what": w, "a": x, "b": y} for w, (x, y) in self.rows.items()],
                "layouts": {n: list(pair) for n, pair in self.layouts.items()}}
        super().__init__(page.join(_core.views.rich_text(notes, "{}")).made(data))
