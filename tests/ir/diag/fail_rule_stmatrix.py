# test: diag
# stmatrix takes 1, 2 or 4 matrices, into shared memory.
ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=8192) as (bx, by, bz):
        a = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=0)
        x = shared(u8, [64, 16], lay=[[a(64, 16)], [a(16, 1)]], at=0)
        r = local(f16, [16])
        q = local(u8, [16])
        stmatrix(a[lane, 0], r[0:6])
        stmatrix(A[lane, 0], r[0:8])
        stmatrix(x[lane, 0], q[0:16], trans=True)
#> error[ir-rule]: `stmatrix` takes from a thread 4, 8 or 16 bytes, not 12
#>   --> fail_rule_stmatrix.py, line 10
#>  10 |         stmatrix(a[lane, 0], r[0:6])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `stmatrix` takes its rows from shared memory, `A` is not there
#>   --> fail_rule_stmatrix.py, line 11
#>  11 |         stmatrix(A[lane, 0], r[0:8])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `stmatrix` transposes only matrices of 2-byte elements
#>   --> fail_rule_stmatrix.py, line 12
#>  12 |         stmatrix(x[lane, 0], q[0:16], trans=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
