# SPDX-License-Identifier: Apache-2.0
"""Registers that data select: the instruction names them in its text."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(N: T.Tensor((1,), "int32"), C: T.Tensor((32, 4), "float32")):
    with T.Kernel(1, threads=32):
        lane = T.get_thread_binding()
        a, b, c = T.alloc_local((16,), "float16"), T.alloc_local((4,), "float16"), T.alloc_local((4,), "float32")
        T.clear(a)
        T.clear(b)
        T.clear(c)
        for i in T.serial(N[0]):
            T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, i * 8, b.data, 0, c.data, 0)
        for r in T.serial(4):
            C[lane, r] = c[r]


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain registers of `a` that are selected at run time
#>   --> registers_at_run_time.py, line 16
#>  16 |             T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, i …
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: select registers by constants, or by variables of loops with constant bounds
