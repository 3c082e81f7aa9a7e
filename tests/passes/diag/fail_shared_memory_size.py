# test: lower after=plan_shared_memory
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((1024, 1024), "float32")
        for i, j in T.Parallel(64, 32):
            s[i, j] = A[i, j]
#> error[shared-memory-size]: kernel needs 4194304 bytes of shared memory; a block of mp_31 has 196608
#>   --> kernel.py, line 3
#>   3 |     with T.Kernel(4, threads=64) as bx:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^
#>   4 |         s = T.alloc_shared((1024, 1024), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ s: 4194304 bytes
#> help: use smaller tiles, fewer stages, or a narrower type
