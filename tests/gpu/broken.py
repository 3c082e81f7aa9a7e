# SPDX-License-Identifier: Apache-2.0
"""Kernels that break the GPU's context, fill it or never end, and what a session says and does then.

    broken.py far_away | full | forever
"""
import os
import signal
import sys
import threading

import numpy as np
import tilelab
import tilelab.language as T
from tilelab._compiler import settings


@T.prim_func
def far_away(A: T.Tensor((4,), "int32"), n: T.int32):
    with T.Kernel(1, threads=1):
        x = T.alloc_local((4,), "int32")
        x[n] = 1
        A[1] = x[n] + x[n // 2]


@T.prim_func
def forever(A: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=1):
        while A[0] == 0:
            A[0] = A[0] * 2


@T.prim_func
def doubled(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=8):
        for i in T.Parallel(8):
            B[i] = A[i] * 2.0


def main(what):
    """Two calls that fail, and one of the simulator."""
    kernel = tilelab.compile(forever if what == "forever" else far_away, target="cuda")
    if what == "full":
        return tilelab.DeviceArray((1 << 40,), "int8")
    a = np.zeros(4 if what == "far_away" else 1, "int32")
    if what == "forever":
        threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()
    for _ in range(1 if what == "forever" else 2):
        try:
            kernel(a, 1 << 28) if what == "far_away" else kernel(a)
        except (RuntimeError, KeyboardInterrupt) as error:
            print(type(error).__name__, str(error).strip().splitlines()[0])
    settings.device = "sim"
    values, twice = np.ones(8, "float32"), np.zeros(8, "float32")
    tilelab.compile(doubled, target="cuda")(values, twice)
    print("the session lives" if (twice == 2).all() else f"wrong values: {twice}")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
