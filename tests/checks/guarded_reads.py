# SPDX-License-Identifier: Apache-2.0
# Guarded reads outside of a tensor: padding is quiet; a zero that becomes a result, and a line that
# never hits its tensor, are findings.
import tilelang
import tilelang.language as T


@T.prim_func
def padded(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
    with T.Kernel(T.ceildiv(1000, 128), threads=128) as bx:
        s = T.alloc_shared((128,), "float32")
        for i in T.Parallel(128):
            s[i] = A[bx * 128 + i]
        for i in T.Parallel(128):
            C[bx * 128 + i] = s[i]


@T.prim_func
def shifted(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
    with T.Kernel(T.ceildiv(1000, 128), threads=128) as bx:
        for i in T.Parallel(128):
            x = A[bx * 128 + i + 1]
            C[bx * 128 + i] = x * 2.0


@T.prim_func
def counted(A: T.Tensor((100,), "int32"), H: T.Tensor((4,), "int32")):
    with T.Kernel(1, threads=128):
        for i in T.Parallel(128):
            T.atomic_add(H[A[i]], 1)


@T.prim_func
def beside(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
    with T.Kernel(T.ceildiv(1000, 128), threads=128) as bx:
        s = T.alloc_shared((128,), "float32")
        for i in T.Parallel(128):
            s[i] = A[bx * 128 + i + 2000]
        for i in T.Parallel(128):
            C[bx * 128 + i] = s[i]


@T.prim_func
def beside_in_part(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
    with T.Kernel(T.ceildiv(1000, 128), threads=128) as bx:
        s = T.alloc_shared((128,), "float32")
        for i in T.Parallel(128):
            s[i] = 0
            if i % 3 == 1:
                s[i] = A[bx * 128 + i + 2000]
        for i in T.Parallel(128):
            C[bx * 128 + i] = s[i]


@T.prim_func
def tail_alone(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
    with T.Kernel(T.ceildiv(1000, 128), threads=128) as bx:
        s = T.alloc_shared((128,), "float32")
        for i in T.Parallel(128):
            s[i] = 1
            if bx == 7 and i >= 110:
                s[i] = A[bx * 128 + i]
        for i in T.Parallel(128):
            C[bx * 128 + i] = s[i]


@T.prim_func
def declared(A: T.Tensor((1000,), "float32"), C: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        T.annotate_safe_value({A: -1.0})
        for i in T.Parallel(128):
            C[bx * 128 + i] = A[bx * 128 + i]


a = np.arange(1000, dtype="float32")
check(tilelang.compile(declared), a, np.zeros(1024, "float32"))
check(tilelang.compile(padded), a, a.copy())
check(tilelang.compile(shifted), a, a.copy())
check(tilelang.compile(counted), np.zeros(100, "int32"), np.zeros(4, "int32"))
check(tilelang.compile(beside), a, a.copy())
check(tilelang.compile(beside_in_part), a, a.copy())
check(tilelang.compile(tail_alone), a, a.copy())
#> declared:
#>   clean: bounds and order proved for 8 blocks, 3 simulated at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> padded:
#>   clean: bounds and order proved for 8 blocks, 3 simulated at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> out-of-bounds: A[1000] in block (7, 0), index [1000] of shape [1000]  (tile level)
#>   guarded_reads.py, line 22    x = A[bx * 128 + i + 1]
#>                                  iteration i = 103 reads
#>   guarded_reads.py, line 23    C[bx * 128 + i] = x * 2.0
#>                                  stores a result of it in C
#>   guarded_reads.py, line 19    def shifted(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
#>                                  declares A, shape [1000]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> shifted: 1 finding in 3 of 8 blocks at tile, thread and flat level
#> out-of-bounds: A[100] in block (0, 0), index [100] of shape [100]  (tile level, 28 times)
#>   guarded_reads.py, line 30    T.atomic_add(H[A[i]], 1)
#>                                  iteration i = 100 reads
#>   guarded_reads.py, line 30    T.atomic_add(H[A[i]], 1)
#>                                  stores a result of it in H
#>   guarded_reads.py, line 27    def counted(A: T.Tensor((100,), "int32"), H: T.Tensor((4,), "int32")):
#>                                  declares A, shape [100]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> counted: 1 finding in 1 block at tile, thread and flat level
#> out-of-bounds: A[2000] in block (0, 0), index [2000] of shape [1000], like all other accesses of this line  (tile level)
#>   guarded_reads.py, line 38    s[i] = A[bx * 128 + i + 2000]
#>                                  iteration i = 0 reads
#>   guarded_reads.py, line 34    def beside(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
#>                                  declares A, shape [1000]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> beside: 1 finding in 8 blocks at tile, thread and flat level
#> out-of-bounds: A[2001] in block (0, 0), index [2001] of shape [1000], like all other accesses of this line  (tile level)
#>   guarded_reads.py, line 50    s[i] = A[bx * 128 + i + 2000]
#>                                  iteration i = 1 reads
#>   guarded_reads.py, line 44    def beside_in_part(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
#>                                  declares A, shape [1000]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> beside_in_part: 1 finding in 8 blocks at tile, thread and flat level
#> tail_alone:
#>   clean: bounds and order proved for 8 blocks, 3 simulated at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
