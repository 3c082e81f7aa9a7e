# test: lower target=sm_90a after=schedule_pipelines B=dynamic N=dynamic
# How many iterations a tile has depends on its place: tiles far along x go first.
def main(Q: T.Tensor((B, N, 64), "float16"), K: T.Tensor((B, N, 64), "float16"), O: T.Tensor((B, N, 64), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
    with T.Kernel(T.ceildiv(N, 128), B, threads=256) as (x, y):
        T.annotate_min_blocks_per_sm(1)
        q = T.alloc_shared((128, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        o = T.alloc_fragment((128, 64), "float32")
        T.copy(Q[y, x * 128, 0], q)
        T.clear(o)
        seen = T.min(N, (x + 1) * 128)
        for j in T.Pipelined(T.ceildiv(seen, 64), num_stages=2):
            T.copy(K[y, j * 64, 0], k)
            T.gemm(q, k, o, transpose_B=True)
        T.copy(o, O[y, x * 128, 0])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tilelab.processors": 2})
#> def main(Q: tensor(f16, [B, N, 64]), K: tensor(f16, [B, N, 64]), O: tensor(f32, [B, N, 64]), *, B: dim(i32, 0, 2147418112), N: dim(i32, 0, 2147418112)):
#>     bind(B, Q, 0)
#>     bind(N, Q, 1)
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(O, align=16, write=True)
#>     Q_map = tensor_map(Q, dims=[64, N, B], strides=[128, N * 64 * 2], box=[64, 128, 1], swz=(16, 128, 7))
#>     K_map = tensor_map(K, dims=[64, N, B], strides=[128, N * 64 * 2], box=[64, 64, 1], swz=(16, 128, 7))
#>     counter = workspace(i32, [2], zeroed=True)
#>     O_map = tensor_map(O, dims=[64, N, B], strides=[256, N * 64 * 4], box=[32, 64, 1], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[minimum(ceildiv(N, 128) * B, 2), 1, 1], block=384, attrs={"min_blocks": 1}) as (block, block_1, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         ring_1 = ring(1, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         drawn = ring(2, fill="arrive", bytes=4, producer="producer", consumer="consumer", unit="warp", arrivals=8)
#>         out = ring(2, fill="store", bytes=16384, producer="consumer", consumer="consumer", unit="group", arrivals=2)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         q = shared(f16, [1, 128, 64], lay=[[a(1, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         mail = shared(i32, [2], ring=drawn)
#>         O_out = shared(f32, [2, 128, 32], lay=[[a(2, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128, regs=56):
#>             for tile, y in tiles([ceildiv(N, 128), B], source="mailbox", ring=drawn, counter=counter, order="grouped", group=8):
#>                 x = ceildiv(N, 128) - 1 - tile
#>                 s_1 = ring_acquire(ring_1)
#>                 copy(Q[y, x * 128:x * 128 + 128], q[s_1], by="engine", map=Q_map)
#>                 ring_commit(ring_1)
#>                 seen = minimum(N, (x + 1) * 128)
#>                 for j in serial(ceildiv(seen, 64)):
#>                     s = ring_acquire(ring)
#>                     copy(K[y, j * 64:j * 64 + 64], k[s], by="engine", map=K_map)
#>                     ring_commit(ring)
#>         with role("consumer", 128, 384, regs=224):
#>             o = fragment(f32, [128, 64])
#>             for tile, y in tiles([ceildiv(N, 128), B], source="mailbox", ring=drawn, order="grouped", group=8):
#>                 x = ceildiv(N, 128) - 1 - tile
#>                 assume("", x >= 0 and x < ceildiv(N, 128))
#>                 assume("", y >= 0 and y < B)
#>                 fill(o, 0.0)
#>                 seen = minimum(N, (x + 1) * 128)
#>                 s_1 = ring_wait(ring_1)
#>                 for j in serial(ceildiv(seen, 64)):
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
