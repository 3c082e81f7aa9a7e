#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pointers.py [--only NAME]: kernels of pointers on a GPU, compiled by tilelab and by Triton: values against torch, milliseconds of each,
and the time of the first call. Needs torch; Triton's columns need Triton. Each compiler runs in a separate process."""

import argparse
import json
import subprocess
import sys
import time

import torch

TOGETHER = 20  # calls between two events, so that the GPU never waits for the host
NAMES = ("softmax", "layer_norm", "matmul", "attention")


def kernels(triton, tl):
    """The kernels, whose globals have to be the chosen modules."""
    import linecache
    import pathlib

    file = str(pathlib.Path(__file__).with_name("pointer_kernels.py"))
    text = pathlib.Path(file).read_text(encoding="utf-8")
    linecache.checkcache(file)
    space = {"triton": triton, "tl": tl, "__name__": "pointer_kernels", "__file__": file}
    exec(compile(text, file, "exec"), space)
    return space


def cases(k, triton):
    """{name: (a call, its reference)}."""
    torch.manual_seed(0)
    device = "cuda"
    x = torch.randn(4096, 4096, device=device)
    w, b = torch.randn(2, 4096, device=device)
    out = torch.empty_like(x)
    a16, b16 = (torch.randn(4096, 4096, device=device, dtype=torch.float16) for _ in range(2))
    c16 = torch.empty_like(a16)
    q, key, v = (torch.randn(4, 16, 4096, 64, device=device, dtype=torch.float16) for _ in range(3))
    o = torch.empty_like(q)

    def softmax():
        k["softmax"][(4096,)](out, x, 4096, 4096, BLOCK=4096, num_warps=8)
        return out

    def layer_norm():
        k["layer_norm"][(4096,)](x, out, w, b, 4096, 1e-5, BLOCK=4096, num_warps=8)
        return out

    def matmul():
        k["matmul"][(32 * 32,)](a16, b16, c16, 4096, 4096, 4096, 4096, 1, 4096, 1, 4096, 1, BM=128, BN=128, BK=64, GROUP=8, num_warps=8,
                                num_stages=3)
        return c16

    def attention():
        k["attention"][(4096 // 128, 4 * 16)](q, key, v, o, 4096, 0.125, BM=128, BN=64, D=64, num_warps=8, num_stages=3)
        return o

    return {"softmax": (softmax, lambda: torch.softmax(x, -1)),
            "layer_norm": (layer_norm, lambda: torch.nn.functional.layer_norm(x, (4096,), w, b)),
            "matmul": (matmul, lambda: a16 @ b16),
            "attention": (attention, lambda: torch.nn.functional.scaled_dot_product_attention(q, key, v, scale=0.125))}


def milliseconds(call):
    for _ in range(3):
        call()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = []
    for _ in range(20):
        begin.record()
        for _ in range(TOGETHER):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / TOGETHER)
    return sorted(times)[len(times) // 2]


def measure(which, only):
    if which == "tilelab":
        import tilelab.triton as triton
        import tilelab.triton.language as tl
    else:
        import triton
        import triton.language as tl
    made = {}
    for name, (call, reference) in cases(kernels(triton, tl), triton).items():
        if only and name != only:
            continue
        start = time.perf_counter()
        try:
            result = call()
            torch.cuda.synchronize()
            first = time.perf_counter() - start
            expected = reference().float()
            error = ((result.float() - expected).abs().max() / expected.abs().max()).item()
            made[name] = {"first_s": first, "ms": milliseconds(call), "error": error, "torch_ms": milliseconds(reference)}
        except Exception as problem:
            made[name] = {"problem": f"{type(problem).__name__}: {str(problem)[:600]}"}
    print(json.dumps(made))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=NAMES)
    parser.add_argument("--measure", choices=("tilelab", "triton"))
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.only)
    found = {}
    for which in ("tilelab", "triton"):
        words = [sys.executable, __file__, "--measure", which, *(["--only", options.only] if options.only else [])]
        done = subprocess.run(words, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        found[which] = json.loads(lines[-1]) if lines else {}
        if not lines:
            print(which, "failed:", done.stderr[-2000:])
    for name in NAMES:
        for which, rows in found.items():
            if name in rows:
                print(f"{name:12} {which:8} {rows[name]}")
        a, b = (found[which].get(name, {}).get("ms") for which in ("tilelab", "triton"))
        if a and b:
            print(f"{name:12} Triton's time / tilelab's: {b / a:.2f}; first call: "
                  f"{found['triton'][name]['first_s'] / found['tilelab'][name]['first_s']:.1f}")


if __name__ == "__main__":
    main()
