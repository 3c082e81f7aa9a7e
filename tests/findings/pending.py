# SPDX-License-Identifier: Apache-2.0
# The kernel ends before the engine has read its tile.
ir(1, level="thread", target="sm_90a")
def f(out: tensor(f32, [64, 64])):
    out_map = tensor_map(out, dims=[64, 64], strides=[256], box=[32, 16])
    with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as (bx, by, bz):
        s = shared(f32, [16, 32], at=0)
        for i in unroll(8):
            s[i * 2 + tid // 32, tid % 32] = 1.0
        fence_proxy()
        block_sync()
        if leader("block"):
            tma_store(out_map, [0, 0], s[0:16, 0:32])
            bulk_commit()
#> pending: in block (0, 0), shared memory ends with the block
#>   pending.py, line 13    tma_store(out_map, [0, 0], s[0:16, 0:32])    a store issued by thread 0 (warp 0, lane 0) is never waited for
#> help: wait for the operation before its data is used or the kernel ends
