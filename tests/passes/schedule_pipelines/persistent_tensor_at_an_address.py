# test: lower target=sm_90a after=schedule_pipelines
# A persistent block reads the address of a tensor for each of its tiles.
def main(Q: T.Tensor((3, 256, 64), "float16"), K: T.Tensor((3, 256, 64), "float16"), table: T.Tensor((3,), T.ptr)):
    T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
    with T.Kernel(2, 3, threads=256) as (x, y):
        T.annotate_min_blocks_per_sm(1)
        q = T.alloc_shared((128, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        o = T.alloc_fragment((128, 64), "float32")
        O = T.make_tensor(table[y], (256, 64), "float32")
        T.copy(Q[y, x * 128, 0], q)
        T.clear(o)
        for j in T.Pipelined(4, num_stages=2):
            T.copy(K[y, j * 64, 0], k)
            T.gemm(q, k, o, transpose_B=True)
        T.copy(o, O[x * 128, 0])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tilelab.processors": 2})
#> def main(Q: tensor(f16, [3, 256, 64]), K: tensor(f16, [3, 256, 64]), table: tensor(i64, [3], pointers=True)):
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(table, align=16)
#>     Q_map = tensor_map(Q, dims=[64, 256, 3], strides=[128, 32768], box=[64, 128, 1], swz=(16, 128, 7))
#>     K_map = tensor_map(K, dims=[64, 256, 3], strides=[128, 32768], box=[64, 64, 1], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[2, 1, 1], block=384, attrs={"min_blocks": 1}) as (block_1, block, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         ring_1 = ring(2, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         q = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
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
#>                 O_address = table[y]
#>                 O = tensor(f32, [256, 64], address=O_address)
#>                 fill(o, 0.0)
#>                 s_1 = ring_wait(ring_1)
#>                 for j in serial(4):
#>                     s = ring_wait(ring)
#>                     gemm(q[s_1], k[s], o, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[8, 1])
#>                     ring_release(ring)
#>                 ring_release(ring_1)
#>                 copy(o, O[x * 128:x * 128 + 128], by="simt")
