# SPDX-License-Identifier: Apache-2.0
# Both sides of a copy are elements, as pointers would be: one element is moved. In an iteration, and
# where a buffer has one element, that is what it says.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(2, threads=32) as bx:
        s = T.alloc_shared((32,), "float32")
        one = T.alloc_shared((1,), "float32")
        T.copy(A[bx * 32], s[0])
        T.copy(A[bx * 32], B[bx * 32])
        T.copy(A[bx * 32], one[0])
        for i in T.Parallel(32):
            T.copy(s[i], B[bx * 32 + i])


tilelang.compile(f)
#> TilelabWarning: warning[copy-one-element]: this copy moves one element: neither side gives the extents of the tile
#>   --> copy_one_element.py, line 13
#>   9 | def f(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>     |       ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64 elements float32
#>  ...
#>  11 |         s = T.alloc_shared((32,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 32 elements float32
#>  ...
#>  13 |         T.copy(A[bx * 32], s[0])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: for a tile use `s` without an index, or a slice `A[a:b]` on one side; for one element use an assignment: `B[j] = A[i]`
#> TilelabWarning: warning[copy-one-element]: this copy moves one element: neither side gives the extents of the tile
#>   --> copy_one_element.py, line 14
#>   9 | def f(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>     |       ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `B`, a global tensor of 64 elements float32
#>     |       `A`, a global tensor of 64 elements float32
#>  ...
#>  14 |         T.copy(A[bx * 32], B[bx * 32])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: for a tile use a slice `A[a:b]` on one side; for one element use an assignment: `B[j] = A[i]`
#> TilelabWarning: warning[uninitialized-read]: uninitialized read: nothing has written `s[1]` before
#>   --> copy_one_element.py, line 17
#>  11 |         s = T.alloc_shared((32,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declares s, shape [32]
#>  ...
#>  17 |             T.copy(s[i], B[bx * 32 + i])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iteration i = 1 reads it
#> help: initialize it first: T.clear, T.fill, T.copy or a store
