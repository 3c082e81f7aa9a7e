# SPDX-License-Identifier: Apache-2.0
"""Kernels for a fake GPU; what they do there is said by their names (tests/runtime/fake_kernels.cpp), or by a test."""
import tilelab.language as T


@T.prim_func
def scaled(A: T.Tensor((T.dynamic("m"), 24), "float32"), factor: T.float32, B: T.Tensor((T.dynamic("m"), 24), "float32")):
    with T.Kernel(T.ceildiv(A.shape[0], 16), threads=64) as bx:
        s = T.alloc_shared((16, 24), "float32")
        T.copy(A[bx * 16, 0], s)
        for i, j in T.Parallel(16, 24):
            s[i, j] = s[i, j] * factor
        T.copy(T.reshape(s, (16, 24)), B[bx * 16, 0])  # a view keeps it in shared memory


@T.prim_func
def speaks(A: T.Tensor((4,), "float32")):
    with T.Kernel(4, threads=1) as bx:
        T.print(A[bx], msg="element")
        T.device_assert(A[bx] < 3.0, "small")


@T.prim_func
def wild(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        A[0] = 1.0


@T.prim_func
def traps(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        A[0] = 1.0


@T.prim_func
def crash(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        A[0] = 1.0


@T.prim_func
def endless(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        A[0] = 1.0


@T.prim_func
def stuck(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        A[0] = 1.0
