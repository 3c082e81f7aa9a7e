# test: passes run=insert_barriers
# The row is read once, before the loop: each iteration has its own tile of it, which the same threads read and write.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(T: tensor(i32, [4]), A: tensor(f32, [16, 512])):
    with kernel("k", grid=[4, 1, 1], block=64, smem=0) as bx:
        c = fragment(f32, [64], lay=[[t(64, 1)]])
        row = T[bx]
        for k in serial(8):
            copy(A[row, k * 64:k * 64 + 64], c[0:64], by="simt", lay=[[t(64, 1)]])
            copy(c[0:64], A[row, k * 64:k * 64 + 64], by="simt", lay=[[t(64, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(T: tensor(i32, [4]), A: tensor(f32, [16, 512])):
#>     with kernel("k", grid=[4, 1, 1], block=64, smem=0) as bx:
#>         c = fragment(f32, [64], lay=[[t(64, 1)]])
#>         row = T[bx]
#>         for k in serial(8):
#>             copy(A[row, k * 64:k * 64 + 64], c, by="simt", lay=[[t(64, 1)]])
#>             copy(c, A[row, k * 64:k * 64 + 64], by="simt", lay=[[t(64, 1)]])
