# SPDX-License-Identifier: Apache-2.0
"""specialisations.py COUNT: KiB of resident memory that a process keeps for each specialisation of a jit function."""

import gc
import sys

import numpy as np
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def add(x, y, n: int):
    x: T.Tensor((32,), "float32")
    y: T.Tensor((32,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            y[i] = x[i] + n


def resident():
    gc.collect()
    with open("/proc/self/status") as status:
        return int(dict(line.split(":", 1) for line in status)["VmRSS"].split()[0])


def main():
    count, x, y = int(sys.argv[1]), np.zeros(32, "float32"), np.empty(32, "float32")
    for n in range(count // 4):  # what is kept once
        add(x, y, n)
    before = resident()
    for n in range(count):
        add(x, y, count + n)
    print((resident() - before) / count)


main()
