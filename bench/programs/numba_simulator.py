# SPDX-License-Identifier: Apache-2.0
"""Numba's CUDA simulator on a product of 32^3 by tiles of 16: numba_simulator.py REPEATS, with NUMBA_ENABLE_CUDASIM=1.
Prints one line of JSON: seconds of each run."""

import json
import sys
import time

import numpy as np
from numba import cuda, float32

TILE, SIZE = 16, 32


@cuda.jit
def product(a, b, c):
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    s = cuda.shared.array((TILE, TILE), float32)
    t = cuda.shared.array((TILE, TILE), float32)  # the simulator identifies arrays by their lines
    total = 0.0
    for k in range(SIZE // TILE):
        s[tx, ty] = a[x, ty + k * TILE]
        t[tx, ty] = b[tx + k * TILE, y]
        cuda.syncthreads()
        for j in range(TILE):
            total += s[tx, j] * t[j, ty]
        cuda.syncthreads()
    c[x, y] = total


def main():
    rng = np.random.default_rng(0)
    a, b = (rng.random((SIZE, SIZE), np.float32) for _ in range(2))
    out = np.zeros((SIZE, SIZE), np.float32)
    times = []
    for _ in range(int(sys.argv[1])):
        begun = time.perf_counter()
        product[(SIZE // TILE, SIZE // TILE), (TILE, TILE)](a, b, out)
        times.append(time.perf_counter() - begun)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)
    print(json.dumps({"wall": times}))


if __name__ == "__main__":
    main()
