# SPDX-License-Identifier: Apache-2.0
"""Kernels of pointers on tensors of torch: views, addresses in tensors, autotuning, heuristics. Skipped without torch."""

import importlib.util
import unittest

import support
import triton
import triton.language as tl

if importlib.util.find_spec("torch"):
    import torch


@triton.jit
def grouped_scale(pointers, sizes, scale, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    for g in range(COUNT):
        size = tl.load(sizes + g)
        pointer = tl.load(pointers + g).to(tl.pointer_type(tl.float32))
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(pointer + at, tl.load(pointer + at, mask=at < size) * scale, mask=at < size)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def increment(x_ptr, stride, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + i * stride, tl.load(x_ptr + i * stride) + 1)
    else:
        tl.store(x_ptr + i * stride, tl.load(x_ptr + i * stride, mask=i < n) + 1, mask=i < n)


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
class Torch(support.Case):
    def test_addresses(self):
        parts = [torch.rand(size) for size in (100, 64, 7)]
        before = [part.clone() for part in parts]
        table = torch.tensor([part.data_ptr() for part in parts])
        grouped_scale[(2,)](table, torch.tensor([100, 64, 7], dtype=torch.int32), 3.0, COUNT=3, BLOCK=64)
        for part, old in zip(parts, before):
            self.near(part, old * 3)

    def test_tuned_view(self):
        x = torch.zeros(100, 2)
        for n in (100, 64):
            increment[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x[:, 1], 2, n)
        self.same(x[:, 1].numpy(), [2.0] * 64 + [1.0] * 36)
        self.same(x[:, 0].numpy(), [0.0] * 100)
        self.assertEqual(increment.best_config.kwargs, {"BLOCK": 64})

    def test_torch_does_not_take_it_for_triton(self):
        import torch.utils._triton

        self.assertFalse(torch.utils._triton.has_triton_package())

    def test_gradients_and_parameters(self):
        x = torch.nn.Parameter(torch.ones(64, 2))
        for _ in range(2):
            increment[(1,)](x.detach()[:, 0], 2, 64)
            increment[(1,)](x, 2, 64)
        self.same(x.detach()[:, 0].numpy(), [5.0] * 64)


if __name__ == "__main__":
    unittest.main()
