# SPDX-License-Identifier: Apache-2.0
"""Loops of T that never run; Python's range may be empty."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64,), "float32")
        T.copy(A, s)
        for i, j in T.Parallel(64 // 128, 4):
            s[i * 4 + j] = 0.0
        for k in T.serial(4, 2):
            s[k] = 1.0
        for k in T.serial(0, 8, -2):
            s[k] = 2.0
        for k in T.Pipelined(0, num_stages=2):
            T.copy(A, s)
        for k in T.unroll(0):
            s[k] = 3.0
        for k in T.vectorized(0):
            s[k] = 3.0
        for i, j in T.grid(2, 0):
            s[i] = 4.0
        for i in range(0):
            s[i] = 5.0
        for i in range(-1):
            s[i] = 6.0
        for i in range(4, 2):
            s[i] = 7.0
        for i in T.Parallel(0):  # tilelab: allow(extent-zero)
            s[i] = 8.0
        T.copy(s, B)


tilelang.compile(main)
#> TilelabWarning: warning[extent-zero]: T.Parallel never runs: its extent is 0
#>   --> extent_zero.py, line 12
#>  12 |         for i, j in T.Parallel(64 // 128, 4):
#>     |                     ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
#> TilelabWarning: warning[extent-zero]: T.serial never runs: it counts from 4 to 2
#>   --> extent_zero.py, line 14
#>  14 |         for k in T.serial(4, 2):
#>     |                  ^^^^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
#> TilelabWarning: warning[extent-zero]: T.serial never runs: it counts from 0 to 8 by -2
#>   --> extent_zero.py, line 16
#>  16 |         for k in T.serial(0, 8, -2):
#>     |                  ^^^^^^^^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
#> TilelabWarning: warning[extent-zero]: T.Pipelined never runs: its extent is 0
#>   --> extent_zero.py, line 18
#>  18 |         for k in T.Pipelined(0, num_stages=2):
#>     |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
#> TilelabWarning: warning[extent-zero]: T.unroll never runs: its extent is 0
#>   --> extent_zero.py, line 20
#>  20 |         for k in T.unroll(0):
#>     |                  ^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
#> TilelabWarning: warning[extent-zero]: T.vectorized never runs: its extent is 0
#>   --> extent_zero.py, line 22
#>  22 |         for k in T.vectorized(0):
#>     |                  ^^^^^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
#> TilelabWarning: warning[extent-zero]: T.grid never runs: its extent is 0
#>   --> extent_zero.py, line 24
#>  24 |         for i, j in T.grid(2, 0):
#>     |                     ^^^^^^^^^^^^
#> help: correct the extent; if the loop may be empty, write `for i in range(...)` or add `# tilelab: allow(extent-zero)` to its line
