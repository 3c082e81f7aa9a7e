#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pointers.py [--only NAME]: kernels of pointers on a GPU, compiled by tilelab and by Triton: values against torch, milliseconds of each,
the time from Python to PTX, and that of the first call, with NVIDIA's assembler. Needs torch; Triton's columns need Triton. Each compiler runs in a separate process."""

import argparse
import dataclasses
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


@dataclasses.dataclass
class Case:
    kernel: object
    grid: tuple
    args: tuple
    constants: dict
    result: object
    reference: object

    def __call__(self):
        self.kernel[self.grid](*self.args, **self.constants)
        return self.result


def cases(k):
    """{name: Case}"""
    torch.manual_seed(0)
    device = "cuda"
    x = torch.randn(4096, 4096, device=device)
    w, b = torch.randn(2, 4096, device=device)
    out = torch.empty_like(x)
    a16, b16 = (torch.randn(4096, 4096, device=device, dtype=torch.float16) for _ in range(2))
    c16 = torch.empty_like(a16)
    q, key, v = (torch.randn(4, 16, 4096, 64, device=device, dtype=torch.float16) for _ in range(3))
    o = torch.empty_like(q)

    def case(name, grid, result, reference, *args, **constants):
        return Case(k[name], grid, args, constants, result, reference)

    matrices = (4096, 4096, 4096, 4096, 1, 4096, 1, 4096, 1)
    return {"softmax": case("softmax", (4096,), out, lambda: torch.softmax(x, -1), out, x, 4096, 4096, BLOCK=4096, num_warps=8),
            "layer_norm": case("layer_norm", (4096,), out, lambda: torch.nn.functional.layer_norm(x, (4096,), w, b),
                               x, out, w, b, 4096, 1e-5, BLOCK=4096, num_warps=8),
            "matmul": case("matmul", (32 * 32,), c16, lambda: a16 @ b16, a16, b16, c16, *matrices, BM=128, BN=128, BK=64, GROUP=8, num_warps=8,
                           num_stages=3),
            "attention": case("attention", (4096 // 128, 4 * 16), o,
                              lambda: torch.nn.functional.scaled_dot_product_attention(q, key, v, scale=0.125),
                              q, key, v, o, 4096, 0.125, BM=128, BN=64, D=64, num_warps=8, num_stages=3)}


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


def seconds_to_ptx(which, triton, case):
    """The seconds from Python to PTX; the assembler's, which both compilers leave to NVIDIA's, are not among them."""
    if which == "tilelab":
        start = time.perf_counter()
        case.kernel.warmup(*case.args, **case.constants, grid=case.grid)._get_ptx()
        return time.perf_counter() - start
    found = []
    triton.knobs.compilation.listener = lambda **event: found.append(event["times"])
    case.kernel.warmup(*case.args, **case.constants, grid=case.grid)
    triton.knobs.compilation.listener = None
    return sum(microseconds for stage, microseconds in found[-1].lowering_stages if stage != "cubin") / 1e6 + found[-1].ir_initialization / 1e6


def measure(which, only):
    if which == "tilelab":
        import tilelab.triton as triton
        import tilelab.triton.language as tl
    else:
        import triton
        import triton.language as tl
    made = {}
    for name, case in cases(kernels(triton, tl)).items():
        if only and name != only:
            continue
        start = time.perf_counter()
        try:
            to_ptx = seconds_to_ptx(which, triton, case)
            result = case()
            torch.cuda.synchronize()
            first = time.perf_counter() - start
            expected = case.reference().float()
            error = ((result.float() - expected).abs().max() / expected.abs().max()).item()
            made[name] = {"to_ptx_s": to_ptx, "first_s": first, "ms": milliseconds(case), "error": error,
                          "torch_ms": milliseconds(case.reference)}
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
            ratio = {key: found["triton"][name][key] / found["tilelab"][name][key] for key in ("to_ptx_s", "first_s")}
            print(f"{name:12} Triton's time / tilelab's: {b / a:.2f}; to PTX: {ratio['to_ptx_s']:.1f}; first call: {ratio['first_s']:.1f}")


if __name__ == "__main__":
    main()
