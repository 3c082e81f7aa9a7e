# test: passes run=plan_shared_memory
# The producer does not wait for the last slots to be read: o does not share their memory.
ir(1, level="tile", target="mp_31", after="infer_layouts")
def f(A: tensor(f32, [163840]), B: tensor(f32, [16384])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        r = ring(2, fill="arrive", producer="p", consumer="c")
        s = shared(f32, [2, 20480], ring=r)
        o = shared(f32, [16384])
        acc = fragment(f32, [16384], lay=[[t(64, 1), r(256, 64)]])
        with role("c", 64, 128):
            for k in serial(10):
                u = ring_wait(r)
                copy(s[u, 0:16384], acc[0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
                ring_release(r)
        with role("p", 0, 64):
            for k in serial(10):
                w = ring_acquire(r)
                copy(A[k * 16384:k * 16384 + 16384], s[w, 0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
                ring_commit(r)
            fill(o[0:16384], 1.0, lay=[[t(64, 1), r(256, 64)]])
            copy(o[0:16384], B[0:16384], by="simt", lay=[[t(64, 1), r(256, 64)]])
#> error[shared-memory-size]: kernel needs 229376 bytes of shared memory; a block of mp_31 has 196608
#>   --> fail_after_a_ring_by_its_producer.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>   7 |         s = shared(f32, [2, 20480], ring=r)
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ s: 163840 bytes
#>   8 |         o = shared(f32, [16384])
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ o: 65536 bytes
#> help: use smaller tiles, fewer stages, or a narrower type
