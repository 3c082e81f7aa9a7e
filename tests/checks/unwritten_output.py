# SPDX-License-Identifier: Apache-2.0
# The last 100 elements of an output that the call allocates; and one that nothing writes at all.
import tilelang
import tilelang.language as T


def scale(rows):
    @T.prim_func
    def scale(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32"), D: T.Tensor((2, 8), "int32")):
        with T.Kernel(10, threads=100) as bx:
            for i in T.Parallel(100):
                if bx * 100 + i < rows:
                    C[bx * 100 + i] = A[bx * 100 + i] * 2.0

    return scale


a, c, d = np.ones(1000, "float32"), np.zeros(1000, "float32"), np.zeros((2, 8), "int32")
check(tilelang.compile(scale(900), out_idx=[1, 2]), a)
check(tilelang.compile(scale(1000)), a, c, d)
#> unwritten: C[900], 100 of 1000 elements  (thread and flat level)
#>   unwritten_output.py, line 9     def scale(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32"), D: T.Tensor((2, 8), "int32")):
#>                                     declares C
#>   unwritten_output.py, line 13    C[bx * 100 + i] = A[bx * 100 + i] * 2.0
#>                                     writes the others
#> help: write all elements, including the edges; or pass an initialized tensor
#>
#> unwritten: D[0, 0], the kernel writes none of its 16 elements  (thread and flat level)
#>   unwritten_output.py, line 9    def scale(A: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32"), D: T.Tensor((2, 8), "int32")):
#>                                    declares D
#> help: write all elements, including the edges; or pass an initialized tensor
#>
#> scale: 2 findings in 3 of 10 blocks at tile, thread and flat level
#> scale:
#>   clean: bounds and order proved for 10 blocks, 2 simulated at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
