#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products and attention over the shapes that models have, beside cuBLAS and cuDNN: shapes.py [gemm] [attention] [--seconds N]

A row: shape, microseconds of the library's kernels and of ours, ratio (above 1: ours is faster), and the largest difference relative to the
largest value where it exceeds 0.005. Device time by CUPTI (torch.profiler), medians of seven calls, the L2 cache emptied before each. At the
end the geometric mean of the ratios, and the rows below 0.97. `--seconds`: a part ends after this time."""

import argparse
import math
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from tilelab import ops  # noqa: E402

RUNS = 7
LIMIT = 0.97
ROWS = 1, 16, 64, 128, 256, 512, 1024, 4096, 8192, 16384
LAYERS = (4096, 4096), (4096, 14336), (8192, 8192), (8192, 28672)  # N, K for all ROWS
OTHERS = (14336, 4096), (6144, 4096), (28672, 8192), (2048, 2048)  # for some
ATTENTION = (  # batch, heads, kv heads, sequence, dim, causal
    (4, 32, 8, 2048, 128, True), (4, 32, 32, 2048, 128, False), (1, 32, 8, 8192, 128, True), (8, 16, 16, 1024, 64, False),
    (8, 16, 16, 1024, 64, True), (2, 16, 16, 4096, 64, True), (1, 16, 16, 16384, 128, True), (16, 32, 32, 512, 128, True),
    (16, 32, 32, 512, 64, False), (2, 16, 16, 4096, 128, False), (2, 16, 16, 4096, 256, True), (1, 16, 16, 2048, 256, False),
    (1, 64, 8, 4096, 128, True), (4, 12, 12, 1024, 64, True), (1, 8, 8, 32768, 128, True), (2, 32, 8, 1000, 128, True),
    (4, 16, 16, 777, 64, False))


def microseconds(function, flush):
    """Device time of a call."""
    function(), function(), torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        for _ in range(RUNS):
            flush.zero_()
            function()
        torch.cuda.synchronize()
    times = {}
    for event in recorded.profiler.kineto_results.events():
        if "CUDA" in str(event.device_type()) and event.duration_ns() > 0 and not any(w in event.name() for w in ("FillFunctor", "Memset")):
            times.setdefault(event.name(), []).append(event.duration_ns() / 1e3)
    return sum(sorted(each)[len(each) // 2] * max(1, round(len(each) / RUNS)) for each in times.values())


def products():
    """(name, cuBLAS's product, ours)"""
    shapes = [(M, *layer) for layer in LAYERS for M in ROWS] + [(M, *layer) for layer in OTHERS for M in (1, 128, 1024, 4096)]
    for i, (M, N, K) in enumerate(shapes):
        dtype = torch.bfloat16 if i % 3 == 2 else torch.half
        a, b = torch.randn(M, K, device="cuda", dtype=dtype), torch.randn(N, K, device="cuda", dtype=dtype) / K ** 0.5
        yield f"gemm {M} x {N} x {K} {str(dtype)[6:]}", lambda a=a, b=b: a @ b.T, lambda a=a, b=b: ops.gemm(a, b, trans_b=True)


def attentions():
    for B, H, G, S, D, causal in ATTENTION:
        q, k, v = (torch.randn(B, heads, S, D, device="cuda", dtype=torch.half) for heads in (H, G, G))

        def library(q=q, k=k, v=v, causal=causal, grouped=H != G):
            with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], set_priority=True):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)

        yield (f"attention {B} x {H}/{G} x {S} x {D}{' causal' if causal else ''}", library,
               lambda q=q, k=k, v=v, causal=causal: ops.flash_attention(q, k, v, is_causal=causal))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="gemm, attention; without one both")
    parser.add_argument("--seconds", type=float, default=1e9)
    args = parser.parse_args()
    flush = torch.empty(64 << 20, dtype=torch.int, device="cuda")
    print(torch.cuda.get_device_name())
    for part in args.parts or ("gemm", "attention"):
        begin, ratios = time.monotonic(), []
        for name, library, own in (products if part == "gemm" else attentions)():
            if time.monotonic() - begin > args.seconds:
                print(f"ended before {name}")
                break
            wanted, got = library(), own()
            error = ((got - wanted).abs().max() / wanted.abs().max()).item()
            theirs, ours = microseconds(library, flush), microseconds(own, flush)
            ratios.append((theirs / ours, name))
            print(f"{name:48} {theirs:9.1f} {ours:9.1f} {theirs / ours:5.2f} {f'{error:.0e}' if error > 5e-3 else ''}", flush=True)
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / max(len(ratios), 1))
        print(f"{part}: {len(ratios)} shapes, geometric mean {mean:.3f}; below {LIMIT}: "
              + "; ".join(f"{ratio:.2f} {name}" for ratio, name in sorted(ratios) if ratio < LIMIT))


if __name__ == "__main__":
    main()
