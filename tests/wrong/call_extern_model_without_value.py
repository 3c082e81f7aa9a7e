# SPDX-License-Identifier: Apache-2.0
"""A model that forgets to return its value."""
import tilelang
import tilelang.language as T


@T.extern_model("forgetful")
def forgetful(x):
    x * 2


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            A[i] = T.call_extern("float32", "forgetful", A[i])


tilelang.compile(main)
#> CompileError: warning[value-unused]: unused value: nothing uses this expression
#>   --> call_extern_model_without_value.py, line 9
#>   9 |     x * 2
#>     |     ^^^^^
#>  ...
#>  16 |             A[i] = T.call_extern("float32", "forgetful", A[i])
#>     |                    ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ called from here
#> help: store it in an element, assign it to a name, or remove the line
#>
#> error[statement-unsupported]: a kernel cannot contain a value of `forgetful`, whose model returns none
#>   --> call_extern_model_without_value.py, line 16
#>  16 |             A[i] = T.call_extern("float32", "forgetful", A[i])
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: return the value in the function below @T.extern_model("forgetful")
