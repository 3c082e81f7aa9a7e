# SPDX-License-Identifier: Apache-2.0
# A copy transfers more bytes than its barrier expects.
ir(1, level="thread", target="sm_90a")
def f(out: tensor(f32, [64, 64])):
    out_map = tensor_map(out, dims=[64, 64], strides=[256], box=[32, 16])
    with kernel("k", grid=[1, 1, 1], block=64, smem=4096) as (bx, by, bz):
        full = barrier([1], count=1, unit="lane", tx=True, id=0)
        s = shared(f32, [16, 32], at=0)
        if leader("block"):
            bar_init(full)
            init_fence()
        block_sync()
        if leader("block"):
            bar_arrive_expect(full[0], 1024)
            tma_load(s[0:16, 0:32], out_map, [0, 0], full[0])
        bar_wait(full[0], 0)
#> barrier-bytes: full[0] in block (0, 0), more bytes than bar_expect announced
#>   barrier_bytes.py, line 15    tma_load(s[0:16, 0:32], out_map, [0, 0], full[0])
#>                                  the copy engine arrives at
#> help: announce as many bytes as the copies of the phase deliver
