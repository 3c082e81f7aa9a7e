# test: passes run=lower_tile_ops
# One thread draws tickets from a counter and hands them on; -1 ends the loop of those who wait.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f16, [640, 64]), B: tensor(f32, [10])):
    work = workspace(i32, [2], zeroed=True)
    A_map = tensor_map(A, dims=[64, 640], strides=[128])
    with kernel("k", grid=[4, 1, 1], block=128, smem=8200) as bx:
        box = ring(2, fill="arrive", bytes=4, producer="p", consumer="c")
        r = ring(1, fill="tx", bytes=8192, producer="p", consumer="c")
        s = shared(f16, [1, 64, 64], lay=[[a(1, 1)], [a(64, 64)], [a(64, 1)]], at=0, ring=r)
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=8192, ring=box)
        with role("p", 64, 128):
            for i in tiles([10], source="mailbox", ring=box, counter=work, order="last_fastest"):
                w = ring_acquire(r)
                copy(A[i * 64:i * 64 + 64, 0:64], s[w], by="engine", map=A_map)
                ring_commit(r)
        with role("c", 0, 64):
            for i in tiles([10], source="mailbox", ring=box, order="last_fastest"):
                u = ring_wait(r)
                B[i] = f32(s[u, 0, 0])
                ring_release(r)
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f16, [640, 64]), B: tensor(f32, [10])):
#>     work = workspace(i32, [2], zeroed=True)
#>     A_map = tensor_map(A, dims=[64, 640], strides=[128])
#>     with kernel("k", grid=[4, 1, 1], block=128, smem=8200) as bx:
#>         box_full = barrier([2], count=1, unit="warp")
#>         box_empty = barrier([2], count=2, unit="warp")
#>         r_full = barrier([1], count=1, unit="warp", tx=True)
#>         r_empty = barrier([1], count=2, unit="warp")
#>         s = shared(f16, [1, 64, 64], lay=[[a(1, 1)], [a(64, 64)], [a(64, 1)]], at=0)
#>         mail = shared(i32, [2], lay=[[a(2, 1)]], at=8192)
#>         if leader("block"):
#>             bar_init(box_full)
#>             bar_init(box_empty)
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>         block_sync(mem="all")
#>         with role("p", 64, 128):
#>             if leader("role"):
#>                 box_in = var(i32, 0)
#>                 box_in_phase = var(i32, 0)
#>                 r_in_phase = var(i32, 0)
#>                 tile = var(i32, bx)
#>                 while tile < 10:
#>                     mail_slot = box_in
#>                     bar_wait(box_empty[mail_slot], box_in_phase ^ 1)
#>                     mail[mail_slot] = tile
#>                     bar_arrive(box_full[mail_slot])
#>                     box_in = box_in ^ 1
#>                     box_in_phase = box_in_phase ^ 1 if box_in == 0 else box_in_phase
#>                     i = tile % 10
#>                     w = 0
#>                     bar_wait(r_empty[w], r_in_phase ^ 1)
#>                     bar_expect(r_full[w], 8192)
#>                     tma_load(s[w, 0:64, 0:64], A_map, [0, i * 64], r_full[w])
#>                     bar_arrive(r_full[w])
#>                     r_in_phase = r_in_phase ^ 1
#>                     drawn = atomic_add(work[0], 1, order="relaxed")
#>                     tile = 4 + drawn
#>                 mail_slot = box_in
#>                 bar_wait(box_empty[mail_slot], box_in_phase ^ 1)
#>                 mail[mail_slot] = -1
#>                 bar_arrive(box_full[mail_slot])
#>                 box_in = box_in ^ 1
#>                 box_in_phase = box_in_phase ^ 1 if box_in == 0 else box_in_phase
#>                 last = atomic_add(work[1], 1, order="acq_rel")
#>                 if last == 3:
#>                     atomic_store(work[0], 0, order="relaxed")
#>                     atomic_store(work[1], 0, order="relaxed")
#>         with role("c", 0, 64):
#>             box_out = var(i32, 0)
#>             box_out_phase = var(i32, 0)
#>             r_out_phase = var(i32, 0)
#>             while True:
#>                 mail_slot_1 = box_out
#>                 bar_wait(box_full[mail_slot_1], box_out_phase)
#>                 tile_1 = uniform(mail[mail_slot_1])
#>                 bar_arrive(box_empty[mail_slot_1])
#>                 box_out = box_out ^ 1
#>                 box_out_phase = box_out_phase ^ 1 if box_out == 0 else box_out_phase
#>                 if tile_1 < 0:
#>                     break
#>                 i = tile_1 % 10
#>                 u = 0
#>                 bar_wait(r_full[u], r_out_phase)
#>                 if leader("role"):
#>                     B[i] = f32(s[u, 0, 0])
#>                 bar_arrive(r_empty[u])
#>                 r_out_phase = r_out_phase ^ 1
