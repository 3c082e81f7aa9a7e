# SPDX-License-Identifier: Apache-2.0
# A product that is split along K, of which each block sums all of K, or the same part. Right is a part
# for each; a count of blocks adds the same as well.
import tilelang
import tilelang.language as T

F16, F32 = "float16", "float32"


def product(chunks, step):
    @T.prim_func
    def main(A: T.Tensor((128, 512), F16), B: T.Tensor((512, 64), F16), C: T.Tensor((128, 64), F32), count: T.Tensor((1,), "int32")):
        with T.Kernel(1, 2, 4, threads=128) as (bx, by, bz):
            a, b = T.alloc_shared((64, 32), F16), T.alloc_shared((32, 64), F16)
            c = T.alloc_fragment((64, 64), F32)
            T.clear(c)
            for k in T.Pipelined(chunks, num_stages=2):
                T.copy(A[by * 64, bz * step + k * 32], a)
                T.copy(B[bz * step + k * 32, bx * 64], b)
                T.gemm(a, b, c)
            for i, j in T.Parallel(64, 64):
                T.atomic_add(C[by * 64 + i, bx * 64 + j], c[i, j])
            T.atomic_add(count[0], 1)
    return main


for f in product(16, 0), product(4, 128):
    tilelang.compile(f)
#> TilelabWarning: warning[redundant-block-sum]: redundant sum: blocks add the same value to `C[0, 0]`
#>   --> blocks_repeat.py, line 22
#>  22 |                 T.atomic_add(C[by * 64 + i, bx * 64 + j], c[i, j])
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ block (0, 0, 0) and block (0, 0, 1) add equal values
#> help: let each block read a separate part: put the block index into the index of what it reads
