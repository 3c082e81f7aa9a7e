# test: lower target=sm_90a after=schedule_pipelines
# Two blocks take six tiles alternately; those along x, which read the same K, one after the other.
def main(Q: T.Tensor((3, 256, 64), "float16"), K: T.Tensor((3, 256, 64), "float16"), O: T.Tensor((3, 256, 64), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
    with T.Kernel(2, 3, threads=256) as (x, y):
        T.annotate_min_blocks_per_sm(1)
        q = T.alloc_shared((128, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        o = T.alloc_fragment((128, 64), "float32")
        T.copy(Q[y, x * 128, 0], q)
        T.clear(o)
        for j in T.Pipelined(4, num_stages=2):
            T.copy(K[y, j * 64, 0], k)
            T.gemm(q, k, o, transpose_B=True)
        T.copy(o, O[y, x * 128, 0])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tilelab.processors": 2})
#> def main(Q: tensor(f16, [3, 256, 64]), K: tensor(f16, [3, 256, 64]), O: tensor(f32, [3, 256, 64])):
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(O, align=16, write=True)
#>     Q_map = tensor_map(Q, dims=[64, 256, 3], strides=[128, 32768], box=[64, 128, 1], swz=(16, 128, 7))
#>     K_map = tensor_map(K, dims=[64, 256, 3], strides=[128, 32768], box=[64, 64, 1], swz=(16, 128, 7))
#>     O_map = tensor_map(O, dims=[64, 256, 3], strides=[256, 65536], box=[32, 64, 1], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[2, 1, 1], block=384, attrs={"min_blocks": 1}) as (block_1, block, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         ring_1 = ring(2, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         out = ring(2, fill="store", bytes=16384, producer="consumer", consumer="consumer", unit="group", arrivals=2)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         q = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         O_out = shared(f32, [2, 128, 32], lay=[[a(2, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128, regs=56):
#>             for y, x in tiles([3, 2], source="stride", order="last_fastest"):
#>                 for j in serial(4):
#>                     s = ring_acquire(ring)
#>                     copy(K[y, j * 64:j * 64 + 64], k[s], by="engine", map=K_map)
#>                     ring_commit(ring)
#>                     if j == 0:
#>                         s_1 = ring_acquire(ring_1)
#>                         copy(Q[y, x * 128:x * 128 + 128], q[s_1], by="engine", map=Q_map)
#>                         ring_commit(ring_1)
#>         with role("consumer", 128, 384, regs=224):
#>             o = fragment(f32, [128, 64])
#>             for y, x in tiles([3, 2], source="stride", order="last_fastest"):
#>                 fill(o, 0.0)
#>                 s_1 = ring_wait(ring_1)
#>                 for j in serial(4):
#>                     s = ring_wait(ring)
#>                     gemm(q[s_1], k[s], o, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[8, 1])
#>                     ring_release(ring)
#>                 ring_release(ring_1)
#>                 for c in unroll(2):
#>                     w = ring_acquire(out)
#>                     copy(o[0:128, c * 32:c * 32 + 32], O_out[w], by="simt")
#>                     ring_commit(out)
#>                     e = ring_wait(out)
#>                     copy(O_out[e], O[y, x * 128:x * 128 + 128, c * 32:c * 32 + 32], by="engine", map=O_map)
#>                     ring_release(out)
