# test: passes run=lower_tile_ops
# Three lines of 6 elements for 64 threads. Distances up to a warp need a barrier of the warp alone.
ir(1, level="tile", target="sm_80")
def f():
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
        s = shared(i32, [3, 6])
        fill(s[0:3, 0:6], 1)
        sort(s[0:3, 0:6])
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
#>         s = shared(i32, [3, 6])
#>         for v in unroll(3):
#>             for v_1 in unroll(6):
#>                 s[v, v_1] = 1
#>         for i in unroll(1):
#>             if i * 64 + tid < 12 and tid % 4 * 2 + 1 < 6:
#>                 a = s[(i * 16 + tid // 4) % 3, tid % 4 * 2]
#>                 b = s[(i * 16 + tid // 4) % 3, tid % 4 * 2 + 1]
#>                 if b < a:
#>                     s[(i * 16 + tid // 4) % 3, tid % 4 * 2] = b
#>                     s[(i * 16 + tid // 4) % 3, tid % 4 * 2 + 1] = a
#>         warp_sync()
#>         for i in unroll(1):
#>             if i * 64 + tid < 12 and tid // 2 % 2 * 4 - tid % 2 + 3 < 6:
#>                 a_1 = s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 + tid % 2]
#>                 b_1 = s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 - tid % 2 + 3]
#>                 if b_1 < a_1:
#>                     s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 + tid % 2] = b_1
#>                     s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 - tid % 2 + 3] = a_1
#>         warp_sync()
#>         for i in unroll(1):
#>             if i * 64 + tid < 12 and tid % 4 * 2 + 1 < 6:
#>                 a_2 = s[(i * 16 + tid // 4) % 3, tid % 4 * 2]
#>                 b_2 = s[(i * 16 + tid // 4) % 3, tid % 4 * 2 + 1]
#>                 if b_2 < a_2:
#>                     s[(i * 16 + tid // 4) % 3, tid % 4 * 2] = b_2
#>                     s[(i * 16 + tid // 4) % 3, tid % 4 * 2 + 1] = a_2
#>         warp_sync()
#>         for i in unroll(1):
#>             if i * 64 + tid < 12 and 7 - tid % 4 < 6:
#>                 a_3 = s[(i * 16 + tid // 4) % 3, tid % 4]
#>                 b_3 = s[(i * 16 + tid // 4) % 3, 7 - tid % 4]
#>                 if b_3 < a_3:
#>                     s[(i * 16 + tid // 4) % 3, tid % 4] = b_3
#>                     s[(i * 16 + tid // 4) % 3, 7 - tid % 4] = a_3
#>         warp_sync()
#>         for i in unroll(1):
#>             if i * 64 + tid < 12 and tid // 2 % 2 * 4 + tid % 2 + 2 < 6:
#>                 a_4 = s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 + tid % 2]
#>                 b_4 = s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 + tid % 2 + 2]
#>                 if b_4 < a_4:
#>                     s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 + tid % 2] = b_4
#>                     s[(i * 16 + tid // 4) % 3, tid // 2 % 2 * 4 + tid % 2 + 2] = a_4
#>         warp_sync()
#>         for i in unroll(1):
#>             if i * 64 + tid < 12 and tid % 4 * 2 + 1 < 6:
#>                 a_5 = s[(i * 16 + tid // 4) % 3, tid % 4 * 2]
#>                 b_5 = s[(i * 16 + tid // 4) % 3, tid % 4 * 2 + 1]
#>                 if b_5 < a_5:
#>                     s[(i * 16 + tid // 4) % 3, tid % 4 * 2] = b_5
#>                     s[(i * 16 + tid // 4) % 3, tid % 4 * 2 + 1] = a_5
