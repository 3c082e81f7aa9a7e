# SPDX-License-Identifier: Apache-2.0
"""A reduction over threads that is given an index of the grid."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(64, threads=32) as bx:
        tx = T.get_thread_binding()
        x = T.alloc_local((1,), "float32")
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", 0):
            T.tvm_thread_allreduce(T.uint32(1), A[bx, tx], True, x[0], bx, dtype="handle")
        B[bx] = x[0]
#> CompileError: error[static-needed]: a dimension of the threads must be known at compile time; found `bx`, a dynamic int32
#>   --> thread_allreduce.py, line 12
#>  12 |             T.tvm_thread_allreduce(T.uint32(1), A[bx, tx], True, x[0], bx, dtype="handle")
#>     |                                                                        ^^
#> help: pass the result of T.get_thread_binding(0), (1) or (2)
