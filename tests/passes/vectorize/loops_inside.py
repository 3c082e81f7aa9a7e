# test: passes run=vectorize
# Loops that are uniform over lanes surround them; a variable of an iteration is an array. One that an iteration
# moves along does not: another lane's later iteration would come first.
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [8, 512]), B: tensor(f32, [512]), C: tensor(f32, [520])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            s = var(f32, 0.0)
            for k in serial(8):
                if A[k, tid * 4 + v] > 1.0:
                    s = s + A[k, tid * 4 + v]
            B[tid * 4 + v] = s
        for v in unroll(4, vec=4):
            for k in serial(8):
                C[tid * 4 + v + k] = A[k, tid * 4 + v]
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f32, [8, 512]), B: tensor(f32, [512]), C: tensor(f32, [520])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s_v = local(f32, [4])
#>         s_v[0:4] = broadcast(0.0, 4)
#>         for k in serial(8):
#>             A_v = local(f32, [4])
#>             A_v[0:4] = A[k, tid * 4:tid * 4 + 4]
#>             for v in unroll(4):
#>                 if A_v[v] > 1.0:
#>                     s_v[v] = s_v[v] + A[k, tid * 4 + v]
#>         B[tid * 4:tid * 4 + 4] = s_v[0:4]
#>         for v in unroll(4):
#>             for k in serial(8):
#>                 C[tid * 4 + v + k] = A[k, tid * 4 + v]
