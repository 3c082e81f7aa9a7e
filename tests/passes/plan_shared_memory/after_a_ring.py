# test: passes run=plan_shared_memory
# The block has too little memory for both: o begins where the ring's slots were, which nothing fills any more.
ir(1, level="tile", target="mp_31", after="infer_layouts")
def f(A: tensor(f32, [163840]), B: tensor(f32, [16384])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        r = ring(2, fill="arrive", producer="p", consumer="c")
        s = shared(f32, [2, 20480], ring=r)
        o = shared(f32, [16384])
        acc = fragment(f32, [16384], lay=[[t(64, 1), r(256, 64)]])
        with role("p", 0, 64):
            for k in serial(10):
                w = ring_acquire(r)
                copy(A[k * 16384:k * 16384 + 16384], s[w, 0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
                ring_commit(r)
        with role("c", 64, 128):
            for k in serial(10):
                u = ring_wait(r)
                copy(s[u, 0:16384], acc[0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
                ring_release(r)
            copy(acc[0:16384], o[0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
            copy(o[0:16384], B[0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
#> ir(1, level="tile", target="mp_31", after="plan_shared_memory")
#> def f(A: tensor(f32, [163840]), B: tensor(f32, [16384])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=163840) as bx:
#>         r = ring(2, fill="arrive", bytes=0, producer="p", consumer="c", unit="warp", arrivals=0)
#>         s = shared(f32, [2, 20480], at=0, ring=r)
#>         o = shared(f32, [16384], at=0)
#>         acc = fragment(f32, [16384], lay=[[t(64, 1), r(256, 64)]])
#>         with role("p", 0, 64):
#>             for k in serial(10):
#>                 w = ring_acquire(r)
#>                 copy(A[k * 16384:k * 16384 + 16384], s[w, 0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
#>                 ring_commit(r)
#>         with role("c", 64, 128):
#>             for k in serial(10):
#>                 u = ring_wait(r)
#>                 copy(s[u, 0:16384], acc, by="simt", lay=[[t(64, 1), r(256, 64)]])
#>                 ring_release(r)
#>             copy(acc, o, by="simt", lay=[[t(64, 1), r(256, 64)]])
#>             copy(o, B, by="simt", lay=[[t(64, 1), r(256, 64)]])
