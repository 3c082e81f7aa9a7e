# SPDX-License-Identifier: Apache-2.0
# An element outside of a tensor that all threads read and keep in memory of the block: a finding
# if a result of it is stored, not if it is never used.
import tilelang
import tilelang.language as T


def last_of_chunk(memory):
    @T.prim_func
    def main(G: T.Tensor((160,), "float32"), B: T.Tensor((3,), "float32")):
        with T.Kernel(3, threads=32) as bx:
            if memory == "local":
                f = T.alloc_local((1,), "float32")
                f[0] = G[bx * 64 + 63]
            elif memory == "fragment":
                f = T.alloc_fragment((1,), "float32")
                for i in T.Parallel(1):
                    f[i] = G[bx * 64 + 63]
            else:
                f = T.alloc_shared((1,), "float32")
                if T.get_thread_binding() == 0:
                    f[0] = G[bx * 64 + 63]
                T.sync_threads()
            for i in T.Parallel(1):
                B[bx] = f[0] + G[bx * 64]

    return main


@T.prim_func
def read_early(A: T.Tensor((3,), "float32"), B: T.Tensor((3,), "float32")):
    with T.Kernel(1, threads=32):
        f = T.alloc_shared((1,), "float32")
        f[0] = A[0]
        for k in T.serial(3):
            B[k] = f[0] * 2
            f[0] = A[k + 1]


g = np.ones(160, "float32")
for memory in ("local", "fragment", "shared"):
    check(tilelang.compile(last_of_chunk(memory)), g, np.zeros(3, "float32"))
check(tilelang.compile(read_early), g[:3], np.zeros(3, "float32"))
#> out-of-bounds: G[191] in block (2, 0), index [191] of shape [160]  (tile level)
#>   single_reads.py, line 14    f[0] = G[bx * 64 + 63]
#>                                 reads
#>   single_reads.py, line 25    B[bx] = f[0] + G[bx * 64]
#>                                 stores a result of it in B
#>   single_reads.py, line 10    def main(G: T.Tensor((160,), "float32"), B: T.Tensor((3,), "float32")):
#>                                 declares G, shape [160]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> main: 1 finding in 3 blocks at tile, thread and flat level
#> out-of-bounds: G[191] in block (2, 0), index [191] of shape [160]  (tile level)
#>   single_reads.py, line 18    f[i] = G[bx * 64 + 63]
#>                                 reads
#>   single_reads.py, line 25    B[bx] = f[0] + G[bx * 64]
#>                                 stores a result of it in B
#>   single_reads.py, line 10    def main(G: T.Tensor((160,), "float32"), B: T.Tensor((3,), "float32")):
#>                                 declares G, shape [160]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> main: 1 finding in 3 blocks at tile, thread and flat level
#> out-of-bounds: G[191] in block (2, 0), index [191] of shape [160]  (tile level)
#>   single_reads.py, line 22    f[0] = G[bx * 64 + 63]
#>                                 reads
#>   single_reads.py, line 25    B[bx] = f[0] + G[bx * 64]
#>                                 stores a result of it in B
#>   single_reads.py, line 10    def main(G: T.Tensor((160,), "float32"), B: T.Tensor((3,), "float32")):
#>                                 declares G, shape [160]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> main: 1 finding in 3 blocks at tile, thread and flat level
#> read_early:
#>   clean: 13 accesses by 1 block of 32 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
