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


@T.prim_func
def drawn(A: T.Tensor((4096, 64), "float16"), B: T.Tensor((4096, 64), "float32")):
    """The loop of a tile depends on its place, so that blocks draw tiles by a counter in memory of their stream."""
    with T.Kernel(32, threads=256) as bx:
        T.annotate_min_blocks_per_sm(1)
        a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((128, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(bx * 2 + 2, num_stages=2):
            T.copy(A[bx * 128:bx * 128 + 128, :], a)
            T.copy(A[k * 64:k * 64 + 64, :], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, B[bx * 128:bx * 128 + 128, :])


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

    def first_call_captured(self):
        """Its code is loaded and its memory allocated during the capture."""
        kernel = tilelang.compile(drawn, target="cuda", pass_configs={"tilelab.processors": 8})
        a = self.torch.randn(4096, 64, device="cuda").half()
        outs = [self.torch.empty(4096, 64, device="cuda") for _ in range(2)]
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            kernel(a, outs[0])
        graph.replay()
        graph.replay()
        kernel(a, outs[1])
        self.good("first call captured", outs[:1], outs[1:])

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
    for part in (run.in_flight, run.in_streams, run.from_threads, run.captured, run.first_call_captured, run.profiled):
        part()
    return run.counts
