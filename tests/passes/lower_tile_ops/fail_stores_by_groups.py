# test: passes run=lower_tile_ops
# Rows alternate between both groups: no group has written a whole box that it could store.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(C: tensor(f16, [128, 64])):
    C_map = tensor_map(C, dims=[64, 128], strides=[128], box=[64, 64], swz=(16, 128, 7))
    with kernel("k", grid=[1, 1, 1], block=256, smem=32768) as bx:
        out = ring(1, fill="store", bytes=16384, producer="main", consumer="main", unit="group")
        C_s = shared(f16, [1, 128, 64], lay=[[a(1, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=out)
        x = fragment(f16, [128, 64], lay=[[r(64, 1), t(2, 128)], [r(1, 1), t(64, 1)]])
        w = ring_acquire(out)
        copy(x[0:128, 0:64], C_s[w], by="simt", lay=[[r(64, 1), t(2, 128)], [r(1, 1), t(64, 1)]])
        ring_commit(out)
        e = ring_wait(out)
        copy(C_s[e], C[0:128, 0:64], by="engine", map=C_map)
        ring_release(out)
#> error[pass-not-built]: lower_tile_ops cannot lower a store of boxes that several groups of the role write yet
#>   --> fail_stores_by_groups.py, line 14
#>  14 |         copy(C_s[e], C[0:128, 0:64], by="engine", map=C_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
