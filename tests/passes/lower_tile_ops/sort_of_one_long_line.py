# test: passes run=lower_tile_ops
# The steps of distance 64 and above exchange elements between warps.
ir(1, level="tile", target="sm_80")
def f():
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
        s = shared(f32, [128])
        fill(s[0:128], 1.0)
        sort(s[0:128], descending=True)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
#>         s = shared(f32, [128])
#>         for v in unroll(128):
#>             s[v] = 1.0
#>         for i in unroll(1):
#>             a = s[tid * 2]
#>             b = s[tid * 2 + 1]
#>             if a < b:
#>                 s[tid * 2] = b
#>                 s[tid * 2 + 1] = a
#>         warp_sync()
#>         for i in unroll(1):
#>             a_1 = s[tid // 2 * 4 + tid % 2]
#>             b_1 = s[tid // 2 * 4 - tid % 2 + 3]
#>             if a_1 < b_1:
#>                 s[tid // 2 * 4 + tid % 2] = b_1
#>                 s[tid // 2 * 4 - tid % 2 + 3] = a_1
#>         warp_sync()
#>         for i in unroll(1):
#>             a_2 = s[tid * 2]
#>             b_2 = s[tid * 2 + 1]
#>             if a_2 < b_2:
#>                 s[tid * 2] = b_2
#>                 s[tid * 2 + 1] = a_2
#>         warp_sync()
#>         for i in unroll(1):
#>             a_3 = s[tid // 4 * 8 + tid % 4]
#>             b_3 = s[tid // 4 * 8 - tid % 4 + 7]
#>             if a_3 < b_3:
#>                 s[tid // 4 * 8 + tid % 4] = b_3
#>                 s[tid // 4 * 8 - tid % 4 + 7] = a_3
#>         warp_sync()
#>         for i in unroll(1):
#>             a_4 = s[tid // 2 * 4 + tid % 2]
#>             b_4 = s[tid // 2 * 4 + tid % 2 + 2]
#>             if a_4 < b_4:
#>                 s[tid // 2 * 4 + tid % 2] = b_4
#>                 s[tid // 2 * 4 + tid % 2 + 2] = a_4
#>         warp_sync()
#>         for i in unroll(1):
#>             a_5 = s[tid * 2]
#>             b_5 = s[tid * 2 + 1]
#>             if a_5 < b_5:
#>                 s[tid * 2] = b_5
#>                 s[tid * 2 + 1] = a_5
#>         warp_sync()
#>         for i in unroll(1):
#>             a_6 = s[tid // 8 * 16 + tid % 8]
#>             b_6 = s[tid // 8 * 16 - tid % 8 + 15]
#>             if a_6 < b_6:
#>                 s[tid // 8 * 16 + tid % 8] = b_6
#>                 s[tid // 8 * 16 - tid % 8 + 15] = a_6
#>         warp_sync()
#>         for i in unroll(1):
#>             a_7 = s[tid // 4 * 8 + tid % 4]
#>             b_7 = s[tid // 4 * 8 + tid % 4 + 4]
#>             if a_7 < b_7:
#>                 s[tid // 4 * 8 + tid % 4] = b_7
#>                 s[tid // 4 * 8 + tid % 4 + 4] = a_7
#>         warp_sync()
#>         for i in unroll(1):
#>             a_8 = s[tid // 2 * 4 + tid % 2]
#>             b_8 = s[tid // 2 * 4 + tid % 2 + 2]
#>             if a_8 < b_8:
#>                 s[tid // 2 * 4 + tid % 2] = b_8
#>                 s[tid // 2 * 4 + tid % 2 + 2] = a_8
#>         warp_sync()
#>         for i in unroll(1):
#>             a_9 = s[tid * 2]
#>             b_9 = s[tid * 2 + 1]
#>             if a_9 < b_9:
#>                 s[tid * 2] = b_9
#>                 s[tid * 2 + 1] = a_9
#>         warp_sync()
#>         for i in unroll(1):
#>             a_10 = s[tid // 16 * 32 + tid % 16]
#>             b_10 = s[tid // 16 * 32 - tid % 16 + 31]
#>             if a_10 < b_10:
#>                 s[tid // 16 * 32 + tid % 16] = b_10
#>                 s[tid // 16 * 32 - tid % 16 + 31] = a_10
#>         warp_sync()
#>         for i in unroll(1):
#>             a_11 = s[tid // 8 * 16 + tid % 8]
#>             b_11 = s[tid // 8 * 16 + tid % 8 + 8]
#>             if a_11 < b_11:
#>                 s[tid // 8 * 16 + tid % 8] = b_11
#>                 s[tid // 8 * 16 + tid % 8 + 8] = a_11
#>         warp_sync()
#>         for i in unroll(1):
#>             a_12 = s[tid // 4 * 8 + tid % 4]
#>             b_12 = s[tid // 4 * 8 + tid % 4 + 4]
#>             if a_12 < b_12:
#>                 s[tid // 4 * 8 + tid % 4] = b_12
#>                 s[tid // 4 * 8 + tid % 4 + 4] = a_12
#>         warp_sync()
#>         for i in unroll(1):
#>             a_13 = s[tid // 2 * 4 + tid % 2]
#>             b_13 = s[tid // 2 * 4 + tid % 2 + 2]
#>             if a_13 < b_13:
#>                 s[tid // 2 * 4 + tid % 2] = b_13
#>                 s[tid // 2 * 4 + tid % 2 + 2] = a_13
#>         warp_sync()
#>         for i in unroll(1):
#>             a_14 = s[tid * 2]
#>             b_14 = s[tid * 2 + 1]
#>             if a_14 < b_14:
#>                 s[tid * 2] = b_14
#>                 s[tid * 2 + 1] = a_14
#>         warp_sync()
#>         for i in unroll(1):
#>             a_15 = s[tid // 32 * 64 + tid % 32]
#>             b_15 = s[tid // 32 * 64 - tid % 32 + 63]
#>             if a_15 < b_15:
#>                 s[tid // 32 * 64 + tid % 32] = b_15
#>                 s[tid // 32 * 64 - tid % 32 + 63] = a_15
#>         warp_sync()
#>         for i in unroll(1):
#>             a_16 = s[tid // 16 * 32 + tid % 16]
#>             b_16 = s[tid // 16 * 32 + tid % 16 + 16]
#>             if a_16 < b_16:
#>                 s[tid // 16 * 32 + tid % 16] = b_16
#>                 s[tid // 16 * 32 + tid % 16 + 16] = a_16
#>         warp_sync()
#>         for i in unroll(1):
#>             a_17 = s[tid // 8 * 16 + tid % 8]
#>             b_17 = s[tid // 8 * 16 + tid % 8 + 8]
#>             if a_17 < b_17:
#>                 s[tid // 8 * 16 + tid % 8] = b_17
#>                 s[tid // 8 * 16 + tid % 8 + 8] = a_17
#>         warp_sync()
#>         for i in unroll(1):
#>             a_18 = s[tid // 4 * 8 + tid % 4]
#>             b_18 = s[tid // 4 * 8 + tid % 4 + 4]
#>             if a_18 < b_18:
#>                 s[tid // 4 * 8 + tid % 4] = b_18
#>                 s[tid // 4 * 8 + tid % 4 + 4] = a_18
#>         warp_sync()
#>         for i in unroll(1):
#>             a_19 = s[tid // 2 * 4 + tid % 2]
#>             b_19 = s[tid // 2 * 4 + tid % 2 + 2]
#>             if a_19 < b_19:
#>                 s[tid // 2 * 4 + tid % 2] = b_19
#>                 s[tid // 2 * 4 + tid % 2 + 2] = a_19
#>         warp_sync()
#>         for i in unroll(1):
#>             a_20 = s[tid * 2]
#>             b_20 = s[tid * 2 + 1]
#>             if a_20 < b_20:
#>                 s[tid * 2] = b_20
#>                 s[tid * 2 + 1] = a_20
#>         block_sync()
#>         for i in unroll(1):
#>             a_21 = s[tid]
#>             b_21 = s[127 - tid]
#>             if a_21 < b_21:
#>                 s[tid] = b_21
#>                 s[127 - tid] = a_21
#>         block_sync()
#>         for i in unroll(1):
#>             a_22 = s[tid // 32 * 64 + tid % 32]
#>             b_22 = s[tid // 32 * 64 + tid % 32 + 32]
#>             if a_22 < b_22:
#>                 s[tid // 32 * 64 + tid % 32] = b_22
#>                 s[tid // 32 * 64 + tid % 32 + 32] = a_22
#>         warp_sync()
#>         for i in unroll(1):
#>             a_23 = s[tid // 16 * 32 + tid % 16]
#>             b_23 = s[tid // 16 * 32 + tid % 16 + 16]
#>             if a_23 < b_23:
#>                 s[tid // 16 * 32 + tid % 16] = b_23
#>                 s[tid // 16 * 32 + tid % 16 + 16] = a_23
#>         warp_sync()
#>         for i in unroll(1):
#>             a_24 = s[tid // 8 * 16 + tid % 8]
#>             b_24 = s[tid // 8 * 16 + tid % 8 + 8]
#>             if a_24 < b_24:
#>                 s[tid // 8 * 16 + tid % 8] = b_24
#>                 s[tid // 8 * 16 + tid % 8 + 8] = a_24
#>         warp_sync()
#>         for i in unroll(1):
#>             a_25 = s[tid // 4 * 8 + tid % 4]
#>             b_25 = s[tid // 4 * 8 + tid % 4 + 4]
#>             if a_25 < b_25:
#>                 s[tid // 4 * 8 + tid % 4] = b_25
#>                 s[tid // 4 * 8 + tid % 4 + 4] = a_25
#>         warp_sync()
#>         for i in unroll(1):
#>             a_26 = s[tid // 2 * 4 + tid % 2]
#>             b_26 = s[tid // 2 * 4 + tid % 2 + 2]
#>             if a_26 < b_26:
#>                 s[tid // 2 * 4 + tid % 2] = b_26
#>                 s[tid // 2 * 4 + tid % 2 + 2] = a_26
#>         warp_sync()
#>         for i in unroll(1):
#>             a_27 = s[tid * 2]
#>             b_27 = s[tid * 2 + 1]
#>             if a_27 < b_27:
#>                 s[tid * 2] = b_27
#>                 s[tid * 2 + 1] = a_27
