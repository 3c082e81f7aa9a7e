# SPDX-License-Identifier: Apache-2.0
"""The cost of a process's first call: from a kernel's source to its result, in separate processes, with nothing kept
from the one before.

    first.py [later]    one of these processes: milliseconds to the kernel, and of its first call
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
PROCESSES = 11


def first_calls():
    """Prints medians: of a kernel that is called as soon as torch has its tensors, and of one that is called later."""
    env = {**os.environ, "CUDA_CACHE_DISABLE": "1", "TILELANG_DISABLE_CACHE": "1"}
    for when in ((), ("later",)):
        runs = [subprocess.run([sys.executable, HERE, *when], env=env, capture_output=True, text=True, check=True).stdout
                for _ in range(PROCESSES)]
        made, called = zip(*(map(float, run.split()) for run in runs))
        both = [a + b for a, b in zip(made, called)]
        print(f"  first GEMM 2048 of a process{', later' if when else ''}: source to kernel {statistics.median(made):.0f} ms, "
              f"first call {statistics.median(called):.0f} ms, both {statistics.median(both):.0f} "
              f"({min(both):.0f} to {max(both):.0f})", flush=True)


def one(later):
    import torch

    from suite import matmul, tilelang

    x, y = (torch.randn(2048, 2048, device="cuda").half() for _ in range(2))
    if later:
        matmul(2048)
        time.sleep(0.2)
    torch.cuda.synchronize()
    start = time.perf_counter()
    kernel = tilelang.compile(matmul(2048), out_idx=[2], target="cuda")
    made = time.perf_counter()
    kernel(x, y)
    torch.cuda.synchronize()
    print((made - start) * 1e3, (time.perf_counter() - made) * 1e3)


if __name__ == "__main__":
    one(sys.argv[1:] == ["later"])
