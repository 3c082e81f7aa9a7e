# SPDX-License-Identifier: Apache-2.0
"""Kernels of pointers under `import tilelang as tl`: parameters that shapes need become compile-time values by themselves."""

import unittest

import numpy as np
import support
import tilelab as tl
from tilelab.triton import JITFunction


@tl.jit
def first_expert(x_ptr, gate_ptr, out_ptr, chosen_ptr, N, E, stride_x, stride_gate):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * stride_x + tl.arange(0, N))
    chosen = tl.argmax(tl.load(gate_ptr + pid * stride_gate + tl.arange(0, E)))
    tl.store(chosen_ptr + pid, chosen)
    tl.store(out_ptr + pid * stride_x + tl.arange(0, N), x)


class Pointers(support.Case):
    def test_router(self):
        self.assertIsInstance(first_expert, JITFunction)
        x, gate = support.normal(1, 6, 24), support.normal(2, 6, 8)
        out, chosen = np.zeros_like(x), np.zeros(6, "int32")
        first_expert[(6,)](x, gate, out, chosen, 24, 8, 24, 8)
        self.same(out, x)
        self.same(chosen, gate.argmax(1))


if __name__ == "__main__":
    unittest.main()
