# SPDX-License-Identifier: Apache-2.0
"""Names that no warning has, where warnings are disabled."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    T.allow("extent-zeros", "index-rank")
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(0):  # tilelab: allow(extent-null, extent-zero)
            A[i] = 0.0
        # tilelab: allow(nothing-like-it)
        for i in T.Parallel(64):
            A[i] = 0.0


tilelang.compile(main, pass_configs={"tilelab.allow": "unwritten-element"})
#> TilelabWarning: warning[allow-unknown]: unknown warning `extent-zeros`
#>   --> allow_unknown.py, line 9
#>   9 |     T.allow("extent-zeros", "index-rank")
#>     |             ^^^^^^^^^^^^^^
#> help: did you mean `extent-zero`?
#> TilelabWarning: warning[allow-unknown]: unknown warning `index-rank`
#>   --> allow_unknown.py, line 9
#>   9 |     T.allow("extent-zeros", "index-rank")
#>     |                             ^^^^^^^^^^^^
#> help: only warnings can be disabled
#> TilelabWarning: warning[allow-unknown]: unknown warning `extent-null`
#>   --> allow_unknown.py, line 11
#>  11 |         for i in T.Parallel(0):  # tilelab: allow(extent-null, extent-zero)
#>     |                                                   ^^^^^^^^^^^
#> help: a warning shows its name in brackets, `warning[unread-elements]`
#> TilelabWarning: warning[allow-unknown]: unknown warning `nothing-like-it`
#>   --> allow_unknown.py, line 13
#>  13 |         # tilelab: allow(nothing-like-it)
#>     |                          ^^^^^^^^^^^^^^^
#> help: a warning shows its name in brackets, `warning[unread-elements]`
#> TilelabWarning: warning[allow-unknown]: unknown warning `unwritten-element`
#>   --> allow_unknown.py, line 18
#>  18 | tilelang.compile(main, pass_configs={"tilelab.allow": "unwritten-element"})
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: did you mean `unwritten-elements`?
