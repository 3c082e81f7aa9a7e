# SPDX-License-Identifier: Apache-2.0
# A block index that occurs in the stored value but not in the index: every block writes the same elements, or
# adds to them without atomics. Right are atomics, one block that does it, and what all blocks compute
# alike.
import numpy
import tilelang
import tilelang.language as T

F16, F32 = "float16", "float32"


@T.prim_func
def copied(A: T.Tensor((512,), F32), B: T.Tensor((512,), F32)):
    with T.Kernel(4, threads=128) as bx:
        for i in T.Parallel(128):
            B[i] = A[bx * 128 + i]


def product(atomic):
    @T.prim_func
    def split(A: T.Tensor((64, 512), F16), B: T.Tensor((512, 64), F16), C: T.Tensor((64, 64), F32)):
        with T.Kernel(2, 1, 4, threads=128) as (bx, by, bz):
            a, b = T.alloc_shared((64, 32), F16), T.alloc_shared((32, 32), F16)
            c = T.alloc_fragment((64, 32), F32)
            T.clear(c)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[by * 64, bz * 128 + k * 32], a)
                T.copy(B[bz * 128 + k * 32, bx * 32], b)
                T.gemm(a, b, c)
            if atomic:
                T.atomic_add(C[by * 64, bx * 32], c)
            else:
                T.copy(c, C[by * 64, bx * 32])
    return split


@T.prim_func
def summed(A: T.Tensor((64, 512), F32), B: T.Tensor((64,), F32)):
    with T.Kernel(4, threads=128) as bx:
        a = T.alloc_fragment((64, 128), F32)
        r = T.alloc_fragment((64,), F32)
        T.copy(A[0, bx * 128], a)
        T.reduce_sum(a, r, dim=1)
        for i in T.Parallel(64):
            B[i] += r[i]


@T.prim_func
def chosen(X: T.Tensor((64, 32), F32), tokens: T.Tensor((64,), "int32"), G: T.Tensor((99, 32), F32)):
    with T.Kernel(64, threads=32) as bx:
        for j in T.Parallel(32):
            token = tokens[bx]
            G[token, j] = G[token, j] + X[bx, j]


@T.prim_func
def right(A: T.Tensor((512,), F32), order: T.Tensor((4,), "int32"), B: T.Tensor((512,), F32), C: T.Tensor((128,), F32), D: T.Tensor((128,), F32)):
    with T.Kernel(4, threads=128) as bx:
        s = T.alloc_shared((128,), F32)
        T.copy(A[bx * 128], s)
        if bx == 0:
            T.copy(s, C)
        for i in T.Parallel(128):
            B[order[bx] * 128 + i] = s[i]
            begin = order[bx] + i
            B[begin] = B[begin] + 1.0
        T.copy(A[0:128], s)
        T.copy(s, D)


for f in copied, product(False), summed, product(True), right:
    tilelang.compile(f)
tilelang.compile(chosen)(numpy.ones((64, 32), F32), numpy.arange(64, dtype="int32") // 2, numpy.zeros((99, 32), F32))
#> TilelabWarning: warning[block-race]: data race between blocks on `B[0]`
#>   --> blocks_overwrite.py, line 16
#>  16 |             B[i] = A[bx * 128 + i]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^ block (0, 0) writes it, block (1, 0) writes it
#> help: put the block index into the index of `B`, or accumulate over blocks with T.atomic_add
#> TilelabWarning: warning[block-race]: data race between blocks on `C[0, 0]`
#>   --> blocks_overwrite.py, line 33
#>  33 |                 T.copy(c, C[by * 64, bx * 32])
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ block (0, 0, 0) writes it, block (0, 0, 1) writes it
#> help: put the block index into the index of `C`, or accumulate over blocks with T.atomic_add
#> TilelabWarning: warning[block-race]: data race between blocks on `B[0]`
#>   --> blocks_overwrite.py, line 45
#>  45 |             B[i] += r[i]
#>     |             ^^^^^^^^^^^^ block (0, 0) writes it, block (1, 0) reads it
#> help: put the block index into the index of `B`, or accumulate over blocks with T.atomic_add
#> TilelabWarning: warning[block-race]: data race between blocks on `G[0, 0]`
#>   --> blocks_overwrite.py, line 53
#>  53 |             G[token, j] = G[token, j] + X[bx, j]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ block (0, 0) writes it, block (1, 0) reads it
#> help: put the block index into the index of `G`, or accumulate over blocks with T.atomic_add
