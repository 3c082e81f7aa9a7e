# test: lower target=mp_31 after=canonicalize
# SPDX-License-Identifier: Apache-2.0
# Layouts for the units of NVIDIA GPUs: an operand of a matmul (a) and a copy of a tensor in a pipeline (t) get those of this target's
# units; other buffers (s, u) keep them.
def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 64), "float16")
        t = T.alloc_shared((64, 64), "float16")
        s = T.alloc_shared((64, 64), "float16")
        u = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.annotate_layout({a: T.make_swizzled_layout(a), t: T.make_swizzled_layout(t), s: T.make_swizzled_layout(s), u: T.make_full_bank_swizzled_layout(u)})
        T.copy(A, u)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A, t)
            for i, j in T.Parallel(64, 64):
                s[i, j] = t[j, i] + u[i, j]
        for i, j in T.Parallel(64, 64):
            a[i, j] = s[j, i]
        T.gemm(a, a, c, clear_accum=True)
        T.copy(c, C)
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def main(A: tensor(f16, [64, 64]), C: tensor(f32, [64, 64])):
#>     check_tensor(A, align=16)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64])
#>         t = shared(f16, [64, 64])
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         u = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         copy(A, u)
#>         for k in pipelined(2, stages=2):
#>             copy(A, t)
#>             for i, j in parallel(64, 64):
#>                 s[i, j] = t[j, i] + u[i, j]
#>         for i, j in parallel(64, 64):
#>             a[i, j] = s[j, i]
#>         gemm(a, a, c, clear=True)
#>         copy(c, C)
