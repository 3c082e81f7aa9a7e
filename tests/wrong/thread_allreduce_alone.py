# SPDX-License-Identifier: Apache-2.0
"""A reduction over threads without the T.attr that says how values are combined."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(64, threads=32) as bx:
        tx = T.get_thread_binding()
        x = T.alloc_local((1,), "float32")
        T.tvm_thread_allreduce(T.uint32(1), A[bx, tx], True, x[0], tx, dtype="handle")
        B[bx] = x[0]
#> CompileError: error[statement-unsupported]: a kernel cannot contain this T.tvm_thread_allreduce
#>   --> thread_allreduce_alone.py, line 11
#>  11 |         T.tvm_thread_allreduce(T.uint32(1), A[bx, tx], True, x[0], tx, dtype="handle")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it inside `with T.attr(T.comm_reducer(f, [identity]), "reduce_scope", ...):`, with T.uint32(1), one value, True, the element for the result, thread indices, and dtype="handle"
