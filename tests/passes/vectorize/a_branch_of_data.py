# test: passes run=vectorize
# Lanes that store separately stay scalar; their conditions are loaded as a vector. Both after a guard.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [N]), B: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            if tid * 4 + v < N and A[tid * 4 + v] > 2.0:
                B[tid * 4 + v] = 1.0
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [N]), B: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         if tid * 4 + 4 <= N:
#>             A_v = local(f32, [4])
#>             A_v[0:4] = A[tid * 4:tid * 4 + 4]
#>             for v in unroll(4):
#>                 if A_v[v] > 2.0:
#>                     B[tid * 4 + v] = 1.0
#>         else:
#>             for v in unroll(4):
#>                 if tid * 4 + v < N and A[tid * 4 + v] > 2.0:
#>                     B[tid * 4 + v] = 1.0
