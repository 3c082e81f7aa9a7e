# SPDX-License-Identifier: Apache-2.0
"""The name of a tensor is given to a value, which is read later; to a loop variable without a warning; and one of
which an index was forgotten."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(x: T.Tensor((64,), "float32"), s: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            s = s[i] * 2
            B[i] = x[i] * s
        for x, y in T.Parallel(8, 8):
            B[x * 8 + y] += 1


@T.prim_func
def later(x: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for x, y in T.Parallel(8, 8):
            B[x * 8 + y] = 1
        T.copy(x, B)


tilelang.compile(main)
tilelang.compile(later)
#> TilelabWarning: warning[buffer-shadowed]: `s` is a buffer or a tensor; this value shadows it from here on
#>   --> tensor_name_given_to_value.py, line 12
#>   9 | def main(x: T.Tensor((64,), "float32"), s: T.Tensor((64,), "float32"), B: T.Tensor((64,), "fl…
#>     |                                         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  12 |             s = s[i] * 2
#>     |             ^
#> help: use another name for the value, or write an element: `C[i] = ...`
#> CompileError: error[name-out-of-region]: `x` is used outside the block that binds it
#>   --> tensor_name_given_to_value.py, line 23
#>  19 | def later(x: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>     |           ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the buffer with this name
#>  ...
#>  21 |         for x, y in T.Parallel(8, 8):
#>     |             ~ bound here, in a block that has ended
#>  ...
#>  23 |         T.copy(x, B)
#>     |                ^
#> help: use another name in the block, so that `x` remains the buffer
