# SPDX-License-Identifier: Apache-2.0
"""The host cost of a call: ours, and, interleaved with it, what a host costs any launch (torch's smallest operation,
and Triton's call of the same kernels where it is installed)."""
import statistics
import timeit

import fuzz
import tilelab
import tilelab.language as T
import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

POINTERS = [f"A{i}" for i in range(16)]
MANY = f"""
@T.prim_func
def main({", ".join(f"{name}: T.Tensor((256,), 'float32')" for name in POINTERS)}, x: T.int32, y: T.float32, z: T.int32):
    with T.Kernel(1, threads=32):
        A0[0] = y + T.cast(x + z, 'float32'){"".join(f" + {name}[0]" for name in POINTERS[1:])}
"""


@T.prim_func
def one_tensor(A: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=32):
        A[0] = 1.0


if triton:
    @triton.jit
    def one_of_triton(a):
        tl.store(a, 1.0)

    @triton.jit
    def many_of_triton(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, x, y, z):
        tl.store(a, y + (x + z).to(tl.float32) + tl.load(b) + tl.load(p))


def microseconds(call):
    """Time of one call; no call waits, and the queue of the GPU is never full."""
    torch.cuda.synchronize()
    return timeit.timeit(call, number=200) / 200 * 1e6


def launches():
    """Prints medians of 15 rounds, with one tensor and with 16 tensors and 3 numbers."""
    tensors = [torch.zeros(256, device="cuda") for _ in POINTERS]
    first = tensors[0]
    one = tilelab.compile(one_tensor, target="cuda")
    many = tilelab.compile(fuzz.factory_of(MANY, "<many>")(), target="cuda")
    calls = {"ours": (lambda: one(first), lambda: many(*tensors, 1, 2.0, 3)), "torch.zero_": (first.zero_, first.zero_)}
    if triton:
        calls["Triton"] = (lambda: one_of_triton[(1,)](first, num_warps=1),
                           lambda: many_of_triton[(1,)](*tensors, 1, 2.0, 3, num_warps=1))
    taken = {name: ([], []) for name in calls}
    for _ in range(16):  # the first round compiles
        for name, both in calls.items():
            for call, times in zip(both, taken[name]):
                times.append(microseconds(call))
    print("  a call: " + "; ".join(f"{name} {statistics.median(few[1:]):.2f} us with one tensor, "
                                   f"{statistics.median(many[1:]):.2f} us with 19 arguments"
                                   for name, (few, many) in taken.items()), flush=True)
