# test: diag
# The accesses of a kernel are guarded by the extents of its tensors.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [M, 64]), *, M: dim(i32, 0, 2147418112)):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f16, [16, 64])
        copy(A[0:16], s)
    bind(M, A, 0)
#> error[ir-rule]: the kernel `k` starts before a bind has read `M`
#>   --> fail_rule_bind_behind.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=64) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
