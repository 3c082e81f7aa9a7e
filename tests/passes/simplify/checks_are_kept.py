# test: passes run=simplify
# The condition of a check is a fact for the kernel, but not for itself.
ir(1, level="flat", target="sm_90a")
def f(A: tensor(f32, [128]), m: i32):
    check(m > 0, "m")
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        if m > 0:
            A[tid] = 1.0
#> ir(1, level="flat", target="sm_90a", after="simplify")
#> def f(A: tensor(f32, [128]), m: i32):
#>     check(m > 0, "m")
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         A[tid] = 1.0
