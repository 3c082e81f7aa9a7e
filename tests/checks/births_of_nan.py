# SPDX-License-Identifier: Apache-2.0
# NaN and infinity that a kernel makes of numbers: the statement that begins it, and the way to the output.
import tilelang
import tilelang.language as T


@T.prim_func
def softmax(A: T.Tensor((64, 100), "float32"), B: T.Tensor((64, 100), "float32")):
    with T.Kernel(16, threads=128) as block:
        a, total = T.alloc_fragment((4, 100), "float32"), T.alloc_fragment((4,), "float32")
        T.copy(A[block * 4, 0], a)
        for i, j in T.Parallel(4, 100):
            a[i, j] = T.exp(a[i, j])
        T.reduce_sum(a, total, dim=1)
        for i, j in T.Parallel(4, 100):
            a[i, j] = a[i, j] / total[i]
        T.copy(a, B[block * 4, 0])


def product(units):
    @T.prim_func
    def product(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": units})
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 32), "float16"), T.alloc_shared((32, 64), "float16")
            c, r = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64,), "float32")
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2 if units else 0):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    return product


@T.prim_func
def variables(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((1,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        last = T.alloc_local((1,), "float32")
        for i in T.Parallel(64):
            x = A[i] * 0.0
            y = T.sqrt(x - 1.0)
            s[i] = T.if_then_else(A[i] > 3.0, y, x)
        for i in T.Parallel(64):
            B[i] = s[63 - i] + 1.0
            T.atomic_add(C[0], s[i])


def softmaxed():
    a = np.zeros((64, 100), "float32")
    a[33, 7] = 500
    return a


def rows():
    a = np.ones((64, 64), "float16")
    a[40] = 3000
    return a


check(tilelang.compile(softmax), softmaxed(), np.zeros((64, 100), "float32"))
check(tilelang.compile(product(False)), rows(), np.full((64, 64), 30, "float16"), np.zeros((64, 64), "float16"))
check(tilelang.compile(product(True), target="sm_90a"), rows(), np.full((64, 64), 30, "float16"),
      np.zeros((64, 64), "float16"))
check(tilelang.compile(variables), np.arange(64, dtype="float32"), np.zeros(64, "float32"), np.zeros(1, "float32"))
#> note: 1 of 6400 elements of B is NaN, and no input is; the first is B[33, 7], starting in block (8, 0)
#>   births_of_nan.py, line 13    a[i, j] = T.exp(a[i, j])        iteration i = 1, j = 7: exp(500.0) is inf; a[1, 7] = 500.0, is stored in a[1, 7]
#>   births_of_nan.py, line 16    a[i, j] = a[i, j] / total[i]    iteration i = 1, j = 7: inf / inf is nan; a[1, 7] = inf, total[1] = inf, is stored in a[1, 7]
#>   births_of_nan.py, line 17    T.copy(a, B[block * 4, 0])      copies it to B[33, 7]
#> help: check the first line: its operands are numbers
#>
#> softmax:
#>   not all numbers: bounds and order proved for 16 blocks, 2 simulated at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> note: 64 of 4096 elements of C are infinity, and no input is; the first is C[40, 0], starting in block (0, 0)
#>   births_of_nan.py, line 32    T.copy(c, C)    infinity from c[40, 0] = 5760000.0, is stored in C[40, 0]
#> help: check the first line: its operands are numbers
#>
#> product:
#>   not all numbers: 101376 accesses by 1 block of 128 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> note: 64 of 4096 elements of C are infinity, and no input is; the first is C[40, 0], starting in block (0, 0)
#>   births_of_nan.py, line 32    T.copy(c, C)    infinity from c[40, 0] = 5760000.0, is stored in C[40, 0]
#> help: check the first line: its operands are numbers
#>
#> product:
#>   not all numbers: 53248 accesses by 1 block of 128 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> note: 60 of 64 elements of B are NaN, and no input is; the first is B[0], starting in block (0, 0)
#>   births_of_nan.py, line 44    y = T.sqrt(x - 1.0)
#>                                  iteration i = 63: sqrt(-1.0) is nan
#>   births_of_nan.py, line 45    s[i] = T.if_then_else(A[i] > 3.0, y, x)
#>                                  iteration i = 63: copies it to s[63]
#>   births_of_nan.py, line 47    B[i] = s[63 - i] + 1.0
#>                                  iteration i = 0: copies it to B[0]
#> help: check the first line: its operands are numbers
#>
#> note: 1 of 1 element of C is NaN, and no input is; the first is C[0], starting in block (0, 0)
#>   births_of_nan.py, line 44    y = T.sqrt(x - 1.0)
#>                                  iteration i = 4: sqrt(-1.0) is nan
#>   births_of_nan.py, line 45    s[i] = T.if_then_else(A[i] > 3.0, y, x)
#>                                  iteration i = 4: copies it to s[4]
#>   births_of_nan.py, line 48    T.atomic_add(C[0], s[i])
#>                                  iteration i = 4: copies it to C[0]
#> help: check the first line: its operands are numbers
#>
#> variables:
#>   not all numbers: 448 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
