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


def streams(args):
    import torch

    counts = Counts("streams")
    kernel = tilelang.compile(added, target="cuda")
    a = torch.randn(N, device="cuda")
    few = [torch.cuda.Stream() for _ in range(6)]

    def good(what, outs, wanted):
        counts.runs += 1
        torch.cuda.synchronize()
        if wrong := sum(not torch.equal(out, want) for out, want in zip(outs, wanted)):
            counts.fail(what, f"{wrong} of {len(outs)} calls")

    def fresh(count):
        outs = [torch.full_like(a, float("nan")) for _ in range(count)]
        torch.cuda.synchronize()
        return outs

    outs = fresh(200)
    torch.cuda._sleep(100_000_000)  # all of them wait: each has its own parameters
    for i, out in enumerate(outs):
        kernel(a, float(i), out)
    good("200 calls in flight", outs, [a + i for i in range(200)])

    outs = fresh(60)
    for i, out in enumerate(outs):
        with torch.cuda.stream(few[i % 6]):
            torch.cuda._sleep(200_000)
            kernel(a, float(i), out)
    good("six streams", outs, [a + i for i in range(60)])

    outs = fresh(40)

    def work(number):
        with torch.cuda.stream(few[number]):
            for i in range(number, 40, 4):
                kernel(a, float(i), outs[i])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    good("four threads", outs, [a + i for i in range(40)])

    b, c = fresh(2)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(a, 1.0, b)
        kernel(b, 2.0, c)
    a.copy_(torch.randn_like(a))
    graph.replay()
    good("captured by torch", [b, c], [a + 1, a + 1 + 2])
    kernel(a, 5.0, b)
    good("behind the capture", [b], [a + 5])

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(3):
            kernel(a, 1.0, b)
        torch.cuda.synchronize()
    counts.runs += 1
    if not any(event.key.startswith("added") and event.count == 3 for event in profile.key_averages()):
        counts.fail("torch's profiler", "names no kernel `added`: " + ", ".join(e.key for e in profile.key_averages()))
    return counts
