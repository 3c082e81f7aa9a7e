# SPDX-License-Identifier: Apache-2.0
"""Operators on tensors of torch in host memory, where kernels run on a GPU: the runtime copies them, and results are in host memory."""
import importlib.util
import unittest

import support  # noqa: F401
import fake_gpu
from tilelab import ops

fake_gpu.install()
TORCH = importlib.util.find_spec("torch") and hasattr(__import__("torch"), "nn")


@unittest.skipUnless(TORCH, "torch is not installed")
class OnHost(unittest.TestCase):
    def setUp(self):
        fake_gpu.reset()

    def added(self, x, y, bits):
        @fake_gpu.kernel("add_kernel_k0")
        def add(launch):
            a, b, c = (launch.array(i, (x.numel(),), bits) for i in range(3))
            c[:] = a + b
        return ops.add(x, y)

    def test_operators_copy_and_leave_results_there(self):
        import torch

        x, y = torch.arange(6.0).reshape(2, 3), torch.ones(3, 2).t()
        z = self.added(x, y, "float32")
        self.assertEqual(z.device.type, "cpu")
        torch.testing.assert_close(z, x + y)
        self.assertEqual(sum("LaunchKernel" in call for call in fake_gpu.log()), 1)

    def test_dtypes_that_numpy_lacks(self):
        import torch

        z = self.added(torch.zeros(4, dtype=torch.bfloat16), torch.ones(4, dtype=torch.bfloat16), "uint16")
        self.assertEqual(z.tolist(), [1, 1, 1, 1])

    def tearDown(self):
        self.assertEqual(fake_gpu.problems(), "")


if __name__ == "__main__":
    unittest.main()
