# SPDX-License-Identifier: Apache-2.0
"""%bench: the time of a call relative to the machine's peak."""

import functools
import time

from .._kernel.arguments import describe
from .._kernel.progress import time_text
from .._kernel.registry import known
from .._kernel.shown import Shown
from .page import Page

HALF = 500  # milliseconds of runs
WARM = 25  # milliseconds of warm-up


def _best(call, count=5):
    def once():
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    return min(once() for _ in range(count))


@functools.lru_cache(maxsize=1)
def host_roof():
    """(bytes per second of a copy, operations per second of a matmul) of this machine's NumPy."""
    import numpy

    source = numpy.ones(1 << 23, dtype="float32")
    target = numpy.empty_like(source)
    square = numpy.ones((512, 512), dtype="float32")
    return 2 * source.nbytes / _best(lambda: numpy.copyto(target, source)), 2 * 512**3 / _best(lambda: square @ square)


class Row:
    """Times of one call, in seconds: median, first and last quartile, best."""

    def __init__(self, name, milliseconds, moved, operations):
        ordered = sorted(t / 1e3 for t in milliseconds)
        self.name, self.runs = name, len(ordered)
        self.median, self.best = ordered[len(ordered) // 2], ordered[0]
        self.low, self.high = ordered[len(ordered) // 4], ordered[3 * len(ordered) // 4]
        self.bytes_per_second = moved / self.median
        self.operations_per_second = None if operations is None else operations / self.median

    def cells(self, roof):
        rate = self.operations_per_second
        return [self.name, time_text(self.median), f"{time_text(self.low)} to {time_text(self.high)}", f"{self.bytes_per_second / 1e9:.3g}",
                "" if rate is None else f"{rate / 1e12:.3g}", "" if roof is None else f"{100 * roof(self):.0f} %"]


class Bench(Shown):
    """The result: .rows (the kernel's, and that of the call beside it), .device, .simulated, .bytes, .operations."""

    def __init__(self, kernel, values, beside=None, beside_name="beside", runs=0):
        from ..profiler import times_of

        described, _, _ = describe(kernel, values, kernel._gpu())
        self.bytes = sum(d[4] for d in described if len(d) > 2)
        self.operations = known(kernel).pipeline().operations or None
        times, self.simulated = times_of(lambda: kernel(*values), WARM, HALF, 0, runs)
        self.device = "the simulator" if self.simulated else kernel.execution_backend
        self.rows = [Row(known(kernel).full_name, times, self.bytes, self.operations)]
        if beside is not None:
            self.rows.append(Row(beside_name, times_of(beside, WARM, HALF, 0, runs)[0], self.bytes, self.operations))
        self.roof = host_roof() if self.device == "cpu" else None
        super().__init__(self._view())

    def share(self, row):
        """The share of this machine's copy bandwidth, or of its matmul rate if that is larger."""
        bandwidth, rate = self.roof
        shares = [row.bytes_per_second / bandwidth]
        if row.operations_per_second is not None:
            shares.append(row.operations_per_second / rate)
        return max(shares)

    def _notes(self):
        notes = [f"on {self.device}: {self.rows[0].runs} run{'s' * (self.rows[0].runs != 1)} after warm-up calls; "
                 "median, and the middle half of the runs",
                 f"{self.bytes} bytes, each argument once" + (
                     f"; {self.operations} operations" if self.operations else "; operations not counted")]
        if self.simulated:
            notes.append("simulated: these times do not predict a GPU, and there is no roofline")
        elif self.roof:
            notes.append(f"roofline of this machine: a NumPy copy {self.roof[0] / 1e9:.3g} GB/s, a matmul "
                         f"{self.roof[1] / 1e12:.3g} TFLOP/s")
        else:
            notes.append("the roofline of a GPU is not measured")
        if len(self.rows) > 1:
            ratio = self.rows[1].median / self.rows[0].median
            notes.append(f"{self.rows[1].name} takes {ratio:.3g} times as long")
        return notes

    def _view(self):
        share = self.share if self.roof else None
        page = Page()
        page.table(["call", ">median", ">middle half", ">GB/s", ">TFLOP/s", ">roof"], [row.cells(share) for row in self.rows])
        page.notes(self._notes())
        rows = [{**vars(row), "roof": share and share(row)} for row in self.rows]
        return page.made({"device": self.device, "simulated": self.simulated, "bytes": self.bytes,
                          "operations": self.operations, "rows": rows})
