# SPDX-License-Identifier: Apache-2.0
# A pass configuration of another compiler has no effect: the check shows the note, a run says nothing.
import tilelang
import tilelang.language as T


@T.prim_func
def copy(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128):
        for i in T.Parallel(128):
            B[i] = A[i]


kernel = tilelang.compile(copy, pass_configs={"tl.disable_safe_memory_legalize": True}, verbose=True)
check(kernel, np.zeros(128, np.float32), np.zeros(128, np.float32))
#> note[option-no-effect]: the pass configuration tl.disable_safe_memory_legalize has no effect here
#>   because it configures the passes of another compiler; results are the same without it
#>
#> note[option-no-effect]: `verbose` of tilelang.compile has no effect here
#>   because use %passes and %explain to see decisions
#>
#> copy:
#>   clean: 256 accesses by 1 block of 128 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
