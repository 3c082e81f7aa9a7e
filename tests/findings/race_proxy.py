# SPDX-License-Identifier: Apache-2.0
# An engine stores what threads have just written, without a fence.
ir(1, level="thread", target="sm_90a")
def f(out: tensor(f32, [64, 64])):
    out_map = tensor_map(out, dims=[64, 64], strides=[256], box=[32, 16])
    with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as (bx, by, bz):
        s = shared(f32, [16, 32], at=0)
        for i in unroll(8):
            s[i * 2 + tid // 32, tid % 32] = 1.0
        block_sync()
        if leader("block"):
            tma_store(out_map, [0, 0], s[0:16, 0:32])
            bulk_commit()
            bulk_wait(0)
#> race-proxy: s[0, 0] in block (0, 0)  (512 times)
#>   race_proxy.py, line 9     s[i * 2 + tid // 32, tid % 32] = 1.0
#>                               thread 0 (warp 0, lane 0) writes
#>   race_proxy.py, line 12    tma_store(out_map, [0, 0], s[0:16, 0:32])
#>                               the store issued by thread 0 (warp 0, lane 0) reads
#>   race_proxy.py, line 7     s = shared(f32, [16, 32], at=0)
#>                               declares s, shape [16, 32]
#> help: put fence_proxy (T.fence_proxy_async) after the accesses of the threads, and a barrier before the copy engine or matrix unit starts
