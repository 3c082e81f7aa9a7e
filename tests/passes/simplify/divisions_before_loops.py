# test: passes run=simplify
# A division by a value that is known to be positive leaves the loop in which it does not change. Where it contains the
# variable of an unrolled loop, each iteration of that loop has a separate result.
ir(1, level="flat", target="sm_90a")
def f(A: tensor(f32, [n]), B: tensor(f32, [n]), m: i32, k: i32, q: i32, *, n: dim(i32, 0, 2147418112)):
    check(m > 0, "m")
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for i in serial(k):
            if i + 2 < k:
                A[tid % m + i] = 1.0
                for j in unroll(3):
                    A[(tid + j) % m + i] = B[(tid + j) // m]
            B[(tid + i) % m] = 1.0
            B[tid % q] = 2.0
        for i in serial(k):
            B[tid % m + i] = 3.0
#> ir(1, level="flat", target="sm_90a", after="simplify")
#> def f(A: tensor(f32, [n]), B: tensor(f32, [n]), m: i32, k: i32, q: i32, *, n: dim(i32, 0, 2147418112)):
#>     check(m > 0, "m")
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         quotient = tmod(tid, m)
#>         quotient_1 = local(i32, [3])
#>         for j in unroll(3):
#>             quotient_1[j] = tmod(tid + j, m)
#>         quotient_2 = local(i32, [3])
#>         for j in unroll(3):
#>             quotient_2[j] = tdiv(tid + j, m)
#>         for i in serial(k):
#>             if i + 2 < k:
#>                 A[quotient + i] = 1.0
#>                 for j in unroll(3):
#>                     A[quotient_1[j] + i] = B[quotient_2[j]]
#>             B[(tid + i) % m] = 1.0
#>             B[tid % q] = 2.0
#>         for i in serial(k):
#>             B[quotient + i] = 3.0
