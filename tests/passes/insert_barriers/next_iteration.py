# test: passes run=insert_barriers
# The next iteration overwrites the elements that an iteration reads: a barrier on each side of the reads.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [4, 64]), B: tensor(f32, [4, 64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        for k in serial(4):
            copy(A[k, 0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
            copy(s[0:64], B[k, 0:64], by="simt", lay=[[t(32, 1), r(2, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [4, 64]), B: tensor(f32, [4, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         for k in serial(4):
#>             block_sync()
#>             copy(A[k], s, by="simt", lay=[[t(64, 1)]])
#>             block_sync()
#>             copy(s, B[k], by="simt", lay=[[t(32, 1), r(2, 1)]])
