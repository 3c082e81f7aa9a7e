# test: passes run=schedule_pipelines
# A result of 16 bits is stored through shared memory, 16 bytes at a time: the loop's condition stays with its stores. Not
# where rows are not aligned, nor one of 32 bits, nor where no buffer is free.
ir(1, level="tile", target="sm_80", after="select_instructions")
def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64]), C: tensor(f16, [M * 64]), D: tensor(f32, [M, 64]), *, M: dim(i32, 0, 2147418112)):
    check_tensor(A, align=16)
    with kernel("k", grid=[M, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
        b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
        c = fragment(f32, [64, 64])
        fill(c, 0.0)
        copy(A, a, by="simt")
        copy(B, b, by="simt")
        gemm(a, b, c, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
        for i, j in parallel(64, 64):
            if bx * 4096 + i * 64 + j < M * 64:
                C[bx * 4096 + i * 64 + j] = f16(c[i, j] * 2.0)
        for i, j in parallel(64, 64):
            D[bx * 64 + i, j] = c[i, j]
        for i, j in parallel(64, 64):
            C[bx * 4096 + i * 64 + j + 1] = f16(c[i, j])
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines")
#> def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64]), C: tensor(f16, [M * 64]), D: tensor(f32, [M, 64]), *, M: dim(i32, 0, 2147418112)):
#>     check_tensor(A, align=16)
#>     with kernel("k", grid=[M, 1, 1], block=128) as (bx, by, bz):
#>         c_rows = shared(f16, [64, 64])
#>         a = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         fill(c, 0.0)
#>         copy(A, a, by="simt")
#>         copy(B, b, by="simt")
#>         gemm(a, b, c, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
#>         for i, j in parallel(64, 64):
#>             c_rows[i, j] = f16(c[i, j] * 2.0)
#>         for i, j in parallel(64, 64):
#>             if bx * 4096 + i * 64 + j < M * 64:
#>                 C[bx * 4096 + i * 64 + j] = c_rows[i, j]
#>         for i, j in parallel(64, 64):
#>             D[bx * 64 + i, j] = c[i, j]
#>         for i, j in parallel(64, 64):
#>             C[bx * 4096 + i * 64 + j + 1] = f16(c[i, j])
