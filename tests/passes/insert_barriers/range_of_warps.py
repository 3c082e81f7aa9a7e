# test: passes run=insert_barriers
# A range of whole warps has its own barrier, and a group of four warps that of its group; another range has none.
ir(1, level="tile", target="sm_90a", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64]), C: tensor(f32, [128]), D: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=1024) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        r = shared(f32, [128], lay=[[a(128, 1)]], at=512)
        if tid < 64:
            copy(A[0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
            copy(s[0:64], B[0:64], by="simt", lay=[[r(2, 1), t(32, 1)]])
        else:
            x = var(i32, 0)
        if tid >= 128:
            copy(C[0:128], r[0:128], by="simt", lay=frag([128], [[t(128, 1)]], base=128))
            copy(r[0:128], D[0:128], by="simt", lay=frag([128], [[r(4, 1), t(32, 1)]], base=128))
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64]), C: tensor(f32, [128]), D: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=256, smem=1024) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         r = shared(f32, [128], lay=[[a(128, 1)]], at=512)
#>         if tid < 64:
#>             copy(A, s, by="simt", lay=[[t(64, 1)]])
#>             range_sync(0, 64)
#>             copy(s, B, by="simt", lay=[[r(2, 1), t(32, 1)]])
#>         else:
#>             x = var(i32, 0)
#>         if tid >= 128:
#>             copy(C, r, by="simt", lay=[[t(128, 1)]], base=128)
#>             group_sync(1)
#>             copy(r, D, by="simt", lay=[[r(4, 1), t(32, 1)]], base=128)
