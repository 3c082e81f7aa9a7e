# SPDX-License-Identifier: Apache-2.0
# A slot is read after its release.
ir(1, level="tile", target="sm_80")
def f(A: tensor(f16, [32, 256]), C: tensor(f16, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        r = ring(2, fill="group", bytes=2048, producer="main", consumer="main")
        A_s = shared(f16, [2, 32, 32], ring=r)
        for k in serial(8):
            w = ring_acquire(r)
            copy(A[0:32, k * 32:k * 32 + 32], A_s[w], by="async")
            ring_commit(r)
            s = ring_wait(r)
            ring_release(r)
            copy(A_s[s], C[0:32, 0:32])
#> ring-slot: A_s[0, 0, 0] in block (0, 0), without a wait for it  (8 times)
#>   ring_slot.py, line 13    ring_release(r)                           the block releases it
#>   ring_slot.py, line 14    copy(A_s[s], C[0:32, 0:32])               the block reads slot 0 of ring r
#>   ring_slot.py, line 7     A_s = shared(f16, [2, 32, 32], ring=r)    declares A_s, shape [2, 32, 32]
#> help: use a slot between acquire and commit, or between wait and release
