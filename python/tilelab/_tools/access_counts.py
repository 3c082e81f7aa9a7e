# SPDX-License-Identifier: Apache-2.0
"""%trace --buffer NAME --all: counts the blocks that access each element of a tensor; marks elements written by none or several."""

import itertools
import time

import numpy

from .._kernel.shown import Shown
from . import heat_maps
from .page import Page
from .trace_view import GREY

SECONDS = 5  # time limit; a note reports omitted blocks
LEGEND = "of blocks: · none, 1 one, + several"


def _first(which):
    """The first element of a mask."""
    return f" (first [{', '.join(str(int(i[0])) for i in which.nonzero())}])" if which.any() else ""


class AccessCounts(Shown):
    """The result: .reads and .writes, NumPy arrays of the tensor's shape that count blocks; .blocks of .all_blocks ran."""

    def __init__(self, recording, buffer):
        recording.run(first=2**63 - 1)
        known = recording.state(-1).buffers
        if buffer not in known or known[buffer].scope != "global":
            tensors = [name for name, one in known.items() if one.scope == "global"]
            raise ValueError(f"--all counts the blocks that access a tensor; {buffer} is not one, tensors are {', '.join(tensors)}")
        shape, grid = known[buffer].shape, recording.grid
        self.name, self.buffer, self.all_blocks = recording.name, buffer, grid[0] * grid[1] * grid[2]
        self.reads, self.writes, self.blocks = numpy.zeros(shape, "int64"), numpy.zeros(shape, "int64"), 0
        self.lost, end = 0, time.monotonic() + SECONDS
        for z, y, x in itertools.product(*(range(n) for n in reversed(grid))):
            if self.blocks and time.monotonic() > end:
                break
            recording.block = (x, y, z)
            made = recording.run()
            self.lost += made["lost"]
            for writes, counts in ((False, self.reads), (True, self.writes)):
                counts += heat_maps.counts(heat_maps.touches_of(made["events"], buffer, writes), shape) > 0
            self.blocks += 1
        super().__init__(self._view())

    def _parts(self):
        for verb, counts in ("read", self.reads), ("written", self.writes):
            if not counts.any():
                yield f"no block {'reads' if verb == 'read' else 'writes'} {self.buffer}", None
                continue
            none, many = int((counts == 0).sum()), int((counts > 1).sum())
            words = f"{none} of {counts.size} elements by no block{_first(counts == 0)}, {many} by several{_first(counts > 1)}"
            yield f"{self.buffer} as it is {verb}: " + (words if none or many else "each element by one block"), counts

    def _view(self):
        ran = f"all {self.blocks}" if self.blocks == self.all_blocks else f"the first {self.blocks} of {self.all_blocks}"
        title = f"{self.name}: how many of {ran} blocks access each element of {self.buffer}"
        page = Page(title)
        data = {"kernel": self.name, "buffer": self.buffer, "blocks": self.blocks, "all_blocks": self.all_blocks}
        for (said, counts), verb in zip(self._parts(), ("read", "written")):
            page.add(said)
            if counts is None:
                continue
            data[verb] = {"none": int((counts == 0).sum()), "several": int((counts > 1).sum()), "most": int(counts.max())}
            lines, down, across = heat_maps.text(counts)
            cell = f"; each character shows the maximum of {down} x {across} elements" if down * across > 1 else ""
            page.plain("".join(f"    {line}\n" for line in lines), f"<div>{heat_maps.png(counts)}</div>")
            page.add(f"{LEGEND}{cell}", f'<div style="{GREY}">grey: no block, blue: one, orange: several</div>', indent="    ")
        if self.lost:
            page.add(f"{self.lost} events were not counted: more elements may be accessed")
        return page.made(data)
