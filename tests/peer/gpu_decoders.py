#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's decoders of packed weights on this machine's GPU, against tilelab's models of them on the simulator.

usage: gpu_decoders.py CHECKOUT [FILTER ...]      CHECKOUT: a copy of TileLang's repository
Prints a line per decoder: equal in all bits, or the first that differs. Exit status 1 if any differs.
"""
import pathlib
import re
import sys

import numpy as np

import aliased  # noqa: F401
import tilelang
import tilelang.language as T
from tilelab._compiler import settings
from tilelab.language.extern_functions import MODELS

THREADS = 256


def sources(checkout):
    """{function: source with it}, from the strings of the examples' modules."""
    out = {}
    for path in sorted(pathlib.Path(checkout, "examples/dequantize_gemm/quantize").glob("*.py")):
        for _, text in re.findall(r'^\w+ = r?("""|\'\'\')(.*?)\1', path.read_text(), re.S | re.M):
            text = text.replace("\\n", "\n") if "asm" not in text else text
            for name in re.findall(r"__device__ void (decode_\w+)\(", text):
                out.setdefault(name, text.replace("\\\\n", "\\n"))
    return out


def kernel_of(name, source, count, dtype, extra):
    arguments = len(extra)
    scale_type, zero_type = (*[str(x.dtype) for x in extra], "float16", "float16")[:2]
    size = 16 if count == 16 else 8

    @T.prim_func
    def main(A: T.Tensor((THREADS, size), "uint8"), S: T.Tensor((1,), scale_type), Z: T.Tensor((1,), zero_type),
             C: T.Tensor((THREADS, count), dtype)):
        with T.Kernel(1, threads=THREADS):
            T.import_source(source)
            tx = T.get_thread_binding()
            packed, out = T.alloc_local((size,), "uint8"), T.alloc_local((count,), dtype)
            for v in T.vectorized(size):
                packed[v] = A[tx, v]
            more = (T.access_ptr(S[0], "r"), T.access_ptr(Z[0], "r"))[:arguments]
            T.call_extern("handle", name, T.access_ptr(packed, "r"), T.access_ptr(out, "w"), *more)
            for v in T.vectorized(count):
                C[tx, v] = out[v]
    return tilelang.compile(main, target="cuda")


def bits_of(name, source):
    rng = np.random.default_rng(0)
    count, dtype = (16, "int8") if name.endswith("i8s") else (8, "float16")
    scale, zeros = np.array([0.37], "float16"), np.array([3], "float16")
    extra = ([scale] if "scale" in name else []) + ([zeros.astype("int16") if "quantized" in name else zeros] if "zeros" in name else [])
    kernel = kernel_of(name, source, count, dtype, extra)
    packed = rng.integers(0, 256, (THREADS, 16 if count == 16 else 8), dtype="uint8")
    given = [*extra, *[np.zeros(1, "float16")] * 2][:2]
    results = []
    for device in ("sim", "cuda"):
        settings.device = device
        out = np.zeros((THREADS, count), dtype)
        kernel(packed, *given, out)
        results.append(out.view("uint8"))
    return results


def main():
    found, differs = sources(sys.argv[1]), 0
    for name in MODELS:
        if not name.startswith("decode_i") or name not in found or (sys.argv[2:] and not any(f in name for f in sys.argv[2:])):
            continue
        ours, theirs = bits_of(name, found[name])
        wrong = np.argwhere(ours != theirs)
        differs += len(wrong) > 0
        print(f"{name:44} {'equal' if not len(wrong) else f'differs first at {wrong[0]}: {ours[tuple(wrong[0])]} {theirs[tuple(wrong[0])]}'}", flush=True)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
