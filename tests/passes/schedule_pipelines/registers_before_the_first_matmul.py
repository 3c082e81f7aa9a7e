# test: lower target=sm_90a after=schedule_pipelines
# Registers are set up before the first matmul of an iteration; the rows of the next one are requested while it is in flight.
def main(Q: T.Tensor((64, 128), "float16"), K: T.Tensor((1024, 128), "float16"), I: T.Tensor((512,), "int32"), O: T.Tensor((64,), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(1, threads=128):
        q = T.alloc_shared((64, 128), "float16")
        k = T.alloc_shared((64, 128), "float16")
        seen = T.alloc_fragment((64,), "bool")
        s = T.alloc_fragment((64, 64), "float32")
        total = T.alloc_fragment((64,), "float32")
        T.copy(Q, q)
        T.clear(total)
        for t in T.Pipelined(8, num_stages=2):
            for j in T.Parallel(64):
                seen[j] = I[t * 64 + j] < 900
            for j, d in T.Parallel(64, 128):
                k[j, d] = K[I[t * 64 + j], d]
            for i, j in T.Parallel(64, 64):
                s[i, j] = T.if_then_else(seen[j], 0.0, -1.0)
            T.gemm(q, k, s, transpose_B=True)
            T.reduce_sum(s, total, dim=1, clear=False)
        T.copy(total, O)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def main(Q: tensor(f16, [64, 128]), K: tensor(f16, [1024, 128]), I: tensor(i32, [512]), O: tensor(f32, [64])):
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(I, align=16)
#>     check_tensor(O, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=16384, producer="main", consumer="main", unit="warp", arrivals=0)
#>         k = shared(f16, [2, 64, 128], lay=[[a(2, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         q = shared(f16, [64, 128], lay=[[a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7))
#>         seen = fragment(bool, [64])
#>         s = fragment(f32, [64, 64])
#>         total = fragment(f32, [64])
#>         copy(Q, q, by="simt")
#>         fill(total, 0.0)
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             for j, d in parallel(64, 128, by="async"):
#>                 k[w, j, d] = K[I[p * 64 + j], d]
#>             ring_commit(ring)
#>         for t in serial(8):
#>             s_1 = ring_wait(ring)
#>             for j in parallel(64):
#>                 seen[j] = I[t * 64 + j] < 900
#>             for i, j in parallel(64, 64):
#>                 s[i, j] = 0.0 if seen[j] else -1.0
#>             gemm(q, k[s_1], s, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>             w = ring_acquire(ring)
#>             if t + 1 < 8:
#>                 for j, d in parallel(64, 128, by="async"):
#>                     k[w, j, d] = K[I[(t + 1) * 64 + j], d]
#>             ring_commit(ring)
#>             mma_wait(0)
#>             reduce(s, total, dims=[1], op="sum", clear=False)
#>             ring_release(ring)
#>         copy(total, O, by="simt")
