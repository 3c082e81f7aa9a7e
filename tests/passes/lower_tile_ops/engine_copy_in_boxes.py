# test: passes run=lower_tile_ops
# A box is contiguous in shared memory, in the order of the map: B in two. One thread
# of a role that does more than that hands them over.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f16, [640, 64]), B: tensor(f16, [64, 128])):
    A_map = tensor_map(A, dims=[64, 640], strides=[128])
    B_map = tensor_map(B, dims=[128, 64], strides=[256])
    with kernel("k", grid=[1, 1, 1], block=128, smem=65536) as bx:
        r = ring(2, fill="tx", bytes=32768, producer="p", consumer="c")
        A_s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], at=0, ring=r)
        B_s = shared(f16, [2, 64, 128], lay=[[a(2, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], at=32768, ring=r)
        with role("p", 0, 64):
            for k in serial(5):
                s = ring_acquire(r)
                copy(A[k * 128:k * 128 + 128, 0:64], A_s[s], by="engine", map=A_map)
                copy(B[0:64, 0:128], B_s[s], by="engine", map=B_map)
                ring_commit(r)
            role_sync()
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f16, [640, 64]), B: tensor(f16, [64, 128])):
#>     A_map = tensor_map(A, dims=[64, 640], strides=[128])
#>     B_map = tensor_map(B, dims=[128, 64], strides=[256])
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=65536) as bx:
#>         r_full = barrier([2], count=1, unit="warp", tx=True)
#>         r_empty = barrier([2], count=4, unit="warp")
#>         A_s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], at=0)
#>         B_s = shared(f16, [2, 64, 128], lay=[[a(2, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], at=32768)
#>         if leader("block"):
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>         block_sync(mem="all")
#>         with role("p", 0, 64):
#>             r_in = var(i32, 0)
#>             r_in_phase = var(i32, 0)
#>             for k in serial(5):
#>                 s = r_in
#>                 if leader("role"):
#>                     bar_wait(r_empty[s], r_in_phase ^ 1)
#>                     bar_expect(r_full[s], 32768)
#>                     tma_load(A_s[s, 0:128, 0:64], A_map, [0, k * 128], r_full[s])
#>                     tma_load(B_s[s, 0:64, 0:64], B_map, [0, 0], r_full[s])
#>                     tma_load(B_s[s, 0:64, 64:128], B_map, [64, 0], r_full[s])
#>                     bar_arrive(r_full[s])
#>                 r_in = r_in ^ 1
#>                 r_in_phase = r_in_phase ^ 1 if r_in == 0 else r_in_phase
#>             role_sync()
