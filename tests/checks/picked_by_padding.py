# SPDX-License-Identifier: Apache-2.0
# A branch that is taken because a guarded read returns zero does not prove a wrong index: V is read in the
# tail alone, since A holds no zero. A condition on values that are in bounds does.
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def tail_alone(A: T.Tensor((12,), "float16"), V: T.Tensor((12,), "float16"), C: T.Tensor((12,), "float16")):
    with T.Kernel(2, threads=32) as bx:
        s = T.alloc_shared((8,), "float16")
        for i in T.Parallel(1):
            for j in T.unroll(8):
                s[j] = A[bx * 8 + j] if A[bx * 8 + j] != 0 else V[bx * 8 + j]
        T.copy(s, C[bx * 8])


@T.prim_func
def always(A: T.Tensor((12,), "float16"), V: T.Tensor((12,), "float16"), C: T.Tensor((12,), "float16")):
    with T.Kernel(2, threads=32) as bx:
        s = T.alloc_shared((8,), "float16")
        for i in T.Parallel(1):
            for j in T.unroll(8):
                s[j] = V[bx * 8 + j + 12] if A[bx * 8 + j] != 0 else A[bx * 8 + j]
        T.copy(s, C[bx * 8])


@T.prim_func
def padded(A: T.Tensor((12,), "float16"), V: T.Tensor((12,), "float16"), C: T.Tensor((12,), "float16")):
    with T.Kernel(2, threads=32) as bx:
        a = T.alloc_shared((8,), "float16")
        s = T.alloc_shared((4, 8), "float16")
        T.copy(A[bx * 8], a)
        for i in T.Parallel(4):
            for j in T.serial(8):
                s[i, j] = a[j] if a[j] != 0 else V[bx * 8 + j]
        T.copy(s[0, :], C[bx * 8])


a = np.ones(12, "float16")
check(tilelang.compile(tail_alone), a, a.copy(), a.copy())
check(tilelang.compile(always), a, a.copy(), a.copy())
check(tilelang.compile(padded), a, a.copy(), a.copy())
#> tail_alone:
#>   clean: 64 accesses by 2 blocks of 32 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> out-of-bounds: V[12] in block (0, 0), index [12] of shape [12]  (tile level, 2 times)
#>   picked_by_padding.py, line 25    s[j] = V[bx * 8 + j + 12] if A[bx * 8 + j] != 0 else A[bx * 8 + j]
#>                                      reads
#>   picked_by_padding.py, line 26    T.copy(s, C[bx * 8])
#>                                      stores a result of it in C
#>   picked_by_padding.py, line 20    def always(A: T.Tensor((12,), "float16"), V: T.Tensor((12,), "float16"), C: T.Tensor((12,), "float16")):
#>                                      declares V, shape [12]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> always: 1 finding in 2 blocks at tile, thread and flat level
#> padded:
#>   clean: 224 accesses by 2 blocks of 32 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
