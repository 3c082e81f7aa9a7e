# SPDX-License-Identifier: Apache-2.0
"""Kernels to interrupt, as text for whatever front end runs them (names: tilelang, T): `endless`, whose first block
ends, `count`, which is quick, and `unrolled`, which compiles as long as its `items` has items."""
KERNELS = """
@tilelang.jit
def endless(x):
    x: T.Tensor((32,), "int32")
    with T.Kernel(3, threads=32) as b:
        v = T.alloc_var("int32")
        v = 0
        while v != b:  # the first block ends, no other does
            v = v + 4
        for i in T.Parallel(32):
            x[i] = v

@tilelang.jit
def count(x):
    x: T.Tensor((32,), "int32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            x[i] = i
"""
UNROLLED = """
@tilelang.jit
def unrolled(x, items):
    x: T.Tensor((32,), "int32")
    with T.Kernel(1, threads=32):
        for i in items:
            x[0] = i
"""
