# SPDX-License-Identifier: Apache-2.0
"""Kernels to interrupt, as text for whatever front end runs them (names: tilelang, T): `endless`, whose first block
ends, `count`, which is quick, and `unrolled`, which compiles as long as its `items` has items. Signals are sent when an event
was seen, here an item of `Announced`: a pause would be too short on one machine, and the work already done on another."""
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
ANNOUNCED = """
class Announced:
    \"\"\"The numbers below `count`; says "begun" when item `at` is asked for, `count` being the end of the loop.\"\"\"
    def __init__(self, count, at=1000): self.count, self.at = count, at
    def __iter__(self):
        for i in range(self.count + 1):
            if i == self.at: print("begun", flush=True)
            if i < self.count: yield i
"""
UNROLLED = ANNOUNCED + """
@tilelang.jit
def unrolled(x, items):
    x: T.Tensor((32,), "int32")
    with T.Kernel(1, threads=32):
        for i in items:
            x[0] = i
"""
