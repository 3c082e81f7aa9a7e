# SPDX-License-Identifier: Apache-2.0
"""`tilelang.tools.Analyzer`: operations, bytes and the time that a device needs for them. The counts are those of %roof, of a sample of
simulated blocks, so that they include what threads compute; the time is the larger one of memory's and of the slowest unit's."""

import dataclasses

from .._tools.roofline import Peaks, Roof


@dataclasses.dataclass(frozen=True)
class AnalysisResult:
    """`total_flops`: of products, two for each multiply-add, where there are any, else of all arithmetic. `total_global_bytes`: that the
    threads and copy engines ask for. `estimated_time` in seconds. `expected_tflops`: the peak for these operations, None if not published.
    `expected_bandwidth_GBps`: of the device's memory."""

    total_flops: int
    total_global_bytes: int
    estimated_time: float
    expected_tflops: float
    expected_bandwidth_GBps: float


class Analyzer:
    """Analyzer.analysis(function, device): the AnalysisResult of a prim_func or kernel with constant extents, on a model of
    tilelang.carver.arch. ValueError if its extents are arguments of the call."""

    def __init__(self, fn, device):
        self.fn, self.device, self.roof = fn, device, None

    def ir_pass(self):
        from ..jit import compile

        kernel = self.fn if hasattr(self.fn, "get_kernel_source") else compile(self.fn, target=self.device.target)
        self.roof = Roof(kernel)
        return self

    def calculate(self):
        totals, peaks = self.roof.totals, Peaks(self.device.target)
        products = {key: count for key, count in totals.operations.items() if key[0] == "matrix"}
        counted = products or {key: count for key, count in totals.operations.items() if "float" in key[1]}
        rates = {key: peaks.operations(*key)[0] for key in counted}
        main = max(counted, key=counted.get, default=None)
        peak, bandwidth = rates.get(main), self.device.bandwidth[0] * 1e6
        moved = totals.read + totals.written
        times = [moved / bandwidth, *(count / rates[key] for key, count in counted.items() if rates[key])]
        return AnalysisResult(sum(counted.values()), moved, max(times), peak and round(peak / 1e12, 1), bandwidth / 1e9)

    @classmethod
    def analysis(cls, fn, device):
        return cls(fn, device).ir_pass().calculate()
