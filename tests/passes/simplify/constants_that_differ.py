# test: passes run=simplify
# Constants of comparisons whose sides both change with unrolled loops move to the right side; with other
# loops, with numbers on one side, or of values that may wrap they are kept.
ir(1, level="flat", target="sm_90a")
def f(A: tensor(i32, [64]), n: i32):
    with kernel("k", grid=[4, 1, 1], block=32, smem=0) as (bx, by, bz):
        for j in serial(4):
            for i in unroll(4):
                for c in unroll(2):
                    if bx * 16 + tid // 4 + i * 8 >= j * 16 + tid % 4 + c + 1:
                        A[i] = 1
                    if bx * 16 + tid // 4 + i * 8 >= j * 16:
                        A[i] = 2
                    if bx * 16 + tid // 4 + j * 8 >= tid % 4 + j * 4:
                        A[i] = 3
                    if A[0] + i < A[1] + c:
                        A[i] = 4
#> ir(1, level="flat", target="sm_90a", after="simplify")
#> def f(A: tensor(i32, [64]), n: i32):
#>     with kernel("k", grid=[4, 1, 1], block=32, smem=0) as (bx, by, bz):
#>         for j in serial(4):
#>             for i in unroll(4):
#>                 for c in unroll(2):
#>                     if bx * 16 + tdiv(tid, 4) - j * 16 - tmod(tid, 4) >= 1 - i * 8 + c:
#>                         A[i] = 1
#>                     if bx * 16 + tdiv(tid, 4) + i * 8 >= j * 16:
#>                         A[i] = 2
#>                     if bx * 16 + tdiv(tid, 4) + j * 8 >= tmod(tid, 4) + j * 4:
#>                         A[i] = 3
#>                     if A[0] + i < A[1] + c:
#>                         A[i] = 4
