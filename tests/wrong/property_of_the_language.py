# SPDX-License-Identifier: Apache-2.0
"""A property that makes a value of a kernel, as Python reads it."""
import tilelang
import tilelang.language as T


class Config:
    @property
    def low(self):
        return T.get_lane_idx()


config = Config()


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = T.max(A[i], config.low)
#> CompileError: error[python-error]: NoBuilderError: T.get_lane_idx() can only be used inside a kernel (@T.prim_func or @tilelang.jit)
#>   --> property_of_the_language.py, line 20
#>  20 |             A[i] = T.max(A[i], config.low)
#>     |                                ^^^^^^^^^^
#> note: raised at property_of_the_language.py, line 10: return T.get_lane_idx()
#> help: correct it, or its arguments: Python runs this at compile time
