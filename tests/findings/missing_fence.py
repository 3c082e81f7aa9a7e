# SPDX-License-Identifier: Apache-2.0
# An engine counts at a barrier whose initialisation it may not have seen.
ir(1, level="thread", target="sm_90a")
def f(out: tensor(f32, [64, 64])):
    out_map = tensor_map(out, dims=[64, 64], strides=[256], box=[32, 16])
    with kernel("k", grid=[1, 1, 1], block=64, smem=4096) as (bx, by, bz):
        full = barrier([1], count=1, unit="lane", tx=True, id=0)
        s = shared(f32, [16, 32], at=0)
        if leader("block"):
            bar_init(full)
        block_sync()
        if leader("block"):
            bar_arrive_expect(full[0], 2048)
            tma_load(s[0:16, 0:32], out_map, [0, 0], full[0])
        bar_wait(full[0], 0)
#> missing-fence: full[0] in block (0, 0)
#>   missing_fence.py, line 10    bar_init(full)
#>                                  initializes it, without an init_fence after it
#>   missing_fence.py, line 14    tma_load(s[0:16, 0:32], out_map, [0, 0], full[0])
#>                                  thread 0 (warp 0, lane 0) passes it to a copy engine
#> help: put the fence after those accesses and before the use
