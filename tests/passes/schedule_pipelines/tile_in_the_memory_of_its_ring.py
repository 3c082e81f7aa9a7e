# test: lower target=sm_90a after=schedule_pipelines
# The tiles o and p take the memory of the ring's slots, which it could not in persistent blocks: the next tile's copies fill them. One stage would be left to those, so each tile has its own block.
def main(A: T.Tensor((4, 196608), "float32"), B: T.Tensor((196608,), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
    with T.Kernel(12, threads=256) as bx:
        s = T.alloc_shared((16384,), "float32")
        o = T.alloc_shared((16384,), "float32")
        p = T.alloc_shared((16384,), "float32")
        acc = T.alloc_fragment((16384,), "float32")
        T.clear(acc)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[k, bx * 16384], s)
            for i in T.Parallel(16384):
                acc[i] += s[i]
        T.copy(acc, o)
        T.copy(acc, p)
        for i in T.Parallel(16384):
            B[bx * 16384 + i] = o[16383 - i] + p[i]
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tilelab.processors": 2})
#> def main(A: tensor(f32, [4, 196608]), B: tensor(f32, [196608])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     A_map = tensor_map(A, dims=[196608, 4], strides=[786432], box=[256, 1])
#>     with kernel("main_k0", grid=[12, 1, 1], block=384) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=65536, producer="producer", consumer="consumer", unit="warp", arrivals=8)
#>         s = shared(f32, [2, 16384], lay=[[a(2, 16384)], [a(16384, 1)]], ring=ring)
#>         o = shared(f32, [16384])
#>         p = shared(f32, [16384])
#>         with role("producer", 0, 128, regs=56):
#>             for k in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[k, bx * 16384:bx * 16384 + 16384], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 384, regs=224):
#>             acc = fragment(f32, [16384])
#>             fill(acc, 0.0)
#>             for k in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 for i in parallel(16384):
#>                     acc[i] = acc[i] + s[s_1, i]
#>                 ring_release(ring)
#>             copy(acc, o, by="simt")
#>             copy(acc, p, by="simt")
#>             for i in parallel(16384):
#>                 B[bx * 16384 + i] = o[16383 - i] + p[i]
