# SPDX-License-Identifier: Apache-2.0
# Adding to an output that the call allocates: it holds nothing yet.
import tilelang
import tilelang.language as T


@T.prim_func
def count(A: T.Tensor((64,), "int32"), H: T.Tensor((4,), "int32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            T.atomic_add(H[A[i]], 1)


a = np.arange(64, dtype="int32") % 4
check(tilelang.compile(count, out_idx=[1]), a)
check(tilelang.compile(count), a, np.zeros(4, "int32"))
#> uninitialized: H[0] in block (0, 0)  (thread and flat level, 32 times)
#>   output_read_first.py, line 11    T.atomic_add(H[A[i]], 1)
#>                                      thread 0 (warp 0, lane 0) reads
#>   output_read_first.py, line 8     def count(A: T.Tensor((64,), "int32"), H: T.Tensor((4,), "int32")):
#>                                      declares H, shape [4]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#>
#> count: 1 finding in 1 block at tile, thread and flat level
#> count:
#>   clean: 192 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
