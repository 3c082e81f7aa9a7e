# SPDX-License-Identifier: Apache-2.0
# The box of a copy leaves shared memory.
ir(1, level="thread", target="sm_90a")
def f(out: tensor(f32, [64, 64])):
    out_map = tensor_map(out, dims=[64, 64], strides=[256], box=[32, 16])
    with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as (bx, by, bz):
        full = barrier([1], count=1, unit="lane", tx=True, id=0)
        s = shared(f32, [8, 32], at=1024)
        if leader("block"):
            bar_init(full)
            init_fence()
        block_sync()
        if leader("block"):
            bar_arrive_expect(full[0], 2048)
            tma_load(s[0:8, 0:32], out_map, [0, 0], full[0])
        bar_wait(full[0], 0)
#> descriptor: in block (0, 0), the region and the box of the tensor map differ in size
#>   descriptor.py, line 15    tma_load(s[0:8, 0:32], out_map, [0, 0], full[0])
#>                               thread 0 (warp 0, lane 0) issues
#> help: give the operand a shape, alignment and layout that the instruction supports; %layout shows those of the buffer
