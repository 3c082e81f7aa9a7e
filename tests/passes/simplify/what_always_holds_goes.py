# test: passes run=simplify
# Half of the condition is known.
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [128]), *, N: dim(i32, 1, 4096)):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        if tid >= 0 and tid < N:
            A[tid] = 1.0
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(f32, [128]), *, N: dim(i32, 1, 4096)):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         if tid < N:
#>             A[tid] = 1.0
