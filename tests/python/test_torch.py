# SPDX-License-Identifier: Apache-2.0
"""torch tensors in and out, and scripts that ask for a GPU. Skipped where torch is not installed."""

import importlib.util
import subprocess
import sys
import unittest

import support

SCRIPT = '''
import tilelab._redirect as redirect
redirect.install()
import torch, tilelab, tilelab.language as T

@tilelab.jit
def relu(A, dtype=T.float16):
    N = T.const("N")
    A: T.Tensor((N,), dtype)
    C = T.empty((N,), dtype)
    with T.Kernel(1) as _:
        for i in T.Parallel(N):
            C[i] = T.max(A[i], 0)
    return C

a = torch.randn(64, dtype=torch.float16, device="cuda")
c = relu(a.cuda())
assert torch.is_tensor(c) and torch.equal(c, torch.relu(a)) and torch.cuda.is_available()
b = a.to(torch.bfloat16)
assert torch.equal(relu(b, T.bfloat16).float(), b.float().clamp(min=0))
g = a.clone().requires_grad_()
torch.relu(g).backward(torch.ones_like(g))
assert torch.equal(g.grad, (a > 0).half())
event = torch.cuda.Event(enable_timing=True)
event.record()
torch.cuda.synchronize()
assert event.elapsed_time(event) == 0
'''


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
class Torch(unittest.TestCase):
    def test_redirection(self):
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True,
                              env=support.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("no GPU here"), 1)


if __name__ == "__main__":
    unittest.main()
