# test: passes run=simplify
# A guard marks an access of the user, for the note that may be made.
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        if guard(tid < 64):
            A[tid] = 1.0
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         if guard(tid < 64):
#>             A[tid] = 1.0
