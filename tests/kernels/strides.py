# SPDX-License-Identifier: Apache-2.0
"""Threads with strided accesses: to their own elements in every iteration, or to those that others wrote in the previous one."""
import numpy as np
import tilelang.language as T

from case import case, floats


def walked(x, step):
    out = x[0].astype(np.float64) * 2.0
    for first in range(0, 512 - 64 + 1, step):
        out[first:first + 64] = out[first:first + 64][::-1] + 1.0
    return [out]


@case(sizes=[dict(step=n) for n in (64, 32, 16, 96)], inputs=lambda rng, step: [floats(rng, 512)], reference=walked,
      targets=("mp_31", "sm_90a"))
def strides_of_threads(step):
    """By a variable, by loops of known bounds and of a thread's own; then with elements of the thread opposite."""
    @T.prim_func
    def main(A: T.Tensor((512,), "float32"), B: T.Tensor((512,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((8, 64), "float32")
            other = T.alloc_local((1,), "float32")
            i = T.alloc_var("int32")
            i = tx
            while i < 512:
                B[i] = A[i]
                i = i + 64
            for k in T.serial(8):
                s[k, tx] = B[k * 64 + tx] * 2.0
            for j in T.serial(tx, 512, 64):
                B[j] = s[j // 64, j % 64]
            for k in T.serial((512 - 64) // step + 1):
                other[0] = B[k * step + 63 - tx]
                B[k * step + tx] = other[0] + 1.0
    return main


def kept(x, n):
    out = x[0].astype(np.int64)
    out[:n] = 3 * out[:n] + 1
    return [out]


@case(sizes=[dict(n=n) for n in (1000, 129, 1, 0)],
      inputs=lambda rng, n: [np.arange(1000, dtype=np.int32), np.array([n], np.int32)], reference=kept, targets=("mp_31", "sm_90a"))
def strides_of_the_grid(n):
    """A grid-stride loop to a bound that is known at run time, which leaves what a condition finds alone."""
    @T.prim_func
    def main(A: T.Tensor((1000,), "int32"), N: T.Tensor((1,), "int32"), B: T.Tensor((1000,), "int32")):
        with T.Kernel(2, threads=64) as bx:
            t = bx * 64 + T.get_thread_binding()
            for i in T.serial(t, 1000, 128):
                B[i] = A[i]
            for i in T.serial(t, N[0], 128):
                B[i] = B[i] * 2
                B[i] = B[i] + A[i] + 1
    return main
