# SPDX-License-Identifier: Apache-2.0
"""Calls in streams, threads and graphs of torch's: `suite.py --only streams`. Calls that come again are launched by
graphs of one node (docs/adr/0016-kernels-on-gpus.md); what a caller sees must be what a launch by itself shows."""
import threading

import tilelab as tilelang
import tilelab.language as T

from counts import Counts

N = 1 << 16


@T.prim_func
def added(A: T.Tensor((N,), "float32"), x: T.float32, B: T.Tensor((N,), "float32")):
    with T.Kernel(N // 256, threads=256) as bx:
        for i in T.Parallel(256):
            B[bx * 256 + i] = A[bx * 256 + i] + x


class Run:
    """The kernel, its input, and what of it was right."""

    def __init__(self, torch):
        self.torch, self.counts = torch, Counts("streams")
        self.kernel = tilelang.compile(added, target="cuda")
        self.a = torch.randn(N, device="cuda")
        self.few = [torch.cuda.Stream() for _ in range(6)]

    def fresh(self, count):
        outs = [self.torch.full_like(self.a, float("nan")) for _ in range(count)]
        self.torch.cuda.synchronize()
        return outs

    def good(self, what, outs, wanted):
        self.counts.runs += 1
        self.torch.cuda.synchronize()
        if wrong := sum(not self.torch.equal(out, want) for out, want in zip(outs, wanted)):
            self.counts.fail(what, f"{wrong} of {len(outs)} calls")

    def in_flight(self):
        outs = self.fresh(200)
        self.torch.cuda._sleep(100_000_000)  # all of them wait: each has its own parameters
        for i, out in enumerate(outs):
            self.kernel(self.a, float(i), out)
        self.good("200 calls in flight", outs, [self.a + i for i in range(200)])

    def in_streams(self):
        outs = self.fresh(60)
        for i, out in enumerate(outs):
            with self.torch.cuda.stream(self.few[i % 6]):
                self.torch.cuda._sleep(200_000)
                self.kernel(self.a, float(i), out)
        self.good("six streams", outs, [self.a + i for i in range(60)])

    def from_threads(self):
        outs = self.fresh(40)

        def work(number):
            with self.torch.cuda.stream(self.few[number]):
                for i in range(number, 40, 4):
                    self.kernel(self.a, float(i), outs[i])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.good("four threads", outs, [self.a + i for i in range(40)])

    def captured(self):
        b, c = self.fresh(2)
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            self.kernel(self.a, 1.0, b)
            self.kernel(b, 2.0, c)
        self.a.copy_(self.torch.randn_like(self.a))
        graph.replay()
        self.good("captured by torch", [b, c], [self.a + 1, self.a + 1 + 2])
        self.kernel(self.a, 5.0, b)
        self.good("after the capture", [b], [self.a + 5])

    def profiled(self):
        (b,) = self.fresh(1)
        with self.torch.profiler.profile(activities=[self.torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(3):
                self.kernel(self.a, 1.0, b)
            self.torch.cuda.synchronize()
        self.counts.runs += 1
        events = profile.key_averages()
        if not any(event.key.startswith("added") and event.count == 3 for event in events):
            self.counts.fail("torch's profiler", "names no kernel `added`: " + ", ".join(e.key for e in events))


def streams(args):
    import torch

    run = Run(torch)
    for part in (run.in_flight, run.in_streams, run.from_threads, run.captured, run.profiled):
        part()
    return run.counts
