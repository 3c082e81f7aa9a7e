# test: passes run=lower_tile_ops
# The bytes of a slot that engines fill are all that its barrier counts: no thread may store there.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as bx:
        r = ring(1, fill="tx", bytes=256, producer="main", consumer="main")
        s = shared(f32, [1, 64], lay=[[a(1, 64)], [a(64, 1)]], at=0, ring=r)
        w = ring_acquire(r)
        s[w, 0] = 1.0
        ring_commit(r)
#> error[pass-not-built]: lower_tile_ops cannot lower a store by threads into a slot that a copy engine fills yet
#>   --> fail_store_beside_engine.py, line 9
#>   9 |         s[w, 0] = 1.0
#>     |         ^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
