# test: passes run=insert_barriers
# The row is read in each iteration, so that iterations may access the same one.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(T: tensor(i32, [8]), A: tensor(f32, [16, 512])):
    with kernel("k", grid=[4, 1, 1], block=64, smem=0) as bx:
        c = fragment(f32, [64], lay=[[t(64, 1)]])
        for k in serial(8):
            row = T[k]
            copy(A[row, 0:64], c[0:64], by="simt", lay=[[t(64, 1)]])
            copy(c[0:64], A[row, 0:64], by="simt", lay=[[t(64, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(T: tensor(i32, [8]), A: tensor(f32, [16, 512])):
#>     with kernel("k", grid=[4, 1, 1], block=64, smem=0) as bx:
#>         c = fragment(f32, [64], lay=[[t(64, 1)]])
#>         for k in serial(8):
#>             row = T[k]
#>             block_sync(mem="all")
#>             copy(A[row, 0:64], c, by="simt", lay=[[t(64, 1)]])
#>             block_sync(mem="all")
#>             copy(c, A[row, 0:64], by="simt", lay=[[t(64, 1)]])
