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
redirect.choose("on")
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

DEVICE = '''
import tilelab._redirect as redirect
redirect.install()
redirect.choose("on")
import torch_musa
import torch
from tilelab._compiler import settings

a = torch.randn(4, device="cuda")
assert a.is_cuda == (a.device.type == "cuda") and a.cuda() is a and torch.zeros(3).pin_memory().shape == (3,)
assert torch.equal(a.musa(), a) and torch.equal(a.to("musa"), a) and torch.zeros(2, device="musa").shape == (2,)
assert torch.equal(a.to(torch.device("musa")), a) and isinstance(a.device, torch.device)
assert torch.nn.Linear(2, 2).musa()(torch.ones(1, 2, device=torch.device("cuda"))).shape == (1, 2)

generator = torch.Generator(device="cuda")
assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
drawn = [torch.randn(3, generator=generator.manual_seed(3), device="cuda") for _ in range(2)]
assert torch.equal(*drawn)

def after(seed):
    seed(7)
    return torch.randn(2, device="cuda")

for seed in (torch.cuda.manual_seed, torch.cuda.manual_seed_all, torch.musa.manual_seed, torch.manual_seed):
    assert torch.equal(after(seed), after(torch.manual_seed)), seed
torch.manual_seed(5)
with torch.random.fork_rng(devices=[0]):
    torch.cuda.manual_seed(1)
    torch.randn(9)
forked = torch.randn(2)
torch.manual_seed(5)
assert torch.equal(forked, torch.randn(2))
state = torch.cuda.get_rng_state()
first = torch.randn(2)
torch.cuda.set_rng_state_all([state])
assert torch.equal(first, torch.randn(2))

for target, cuda, musa in (("sm_90a", (9, 0), (3, 1)), ("sm_80", (8, 0), (3, 1)), ("mp_22", (8, 0), (2, 2)),
                           ("auto", (8, 0), (3, 1))):
    settings.target = target
    assert torch.cuda.get_device_capability() == cuda, target
    assert torch.cuda.get_device_properties(0).major == cuda[0]
    assert torch.musa.get_device_capability() == musa, target

functions = [v for v in vars(torch.cuda).values() if getattr(v, "__module__", "") == "torch.cuda" and callable(v)]
assert len({id(v) for v in functions}) == len(functions)
for name in ("is_available", "synchronize", "current_stream", "device_count"):
    assert getattr(torch.cuda, name).__name__ == name
torch.cuda.profiler.start()
torch.cuda.nvtx.range_push("range")
with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
    torch.cuda.current_stream().record_event().synchronize()
'''

DYNAMO = '''
import tilelab._redirect as redirect
redirect.install()
redirect.choose("on")
import torch, torch._dynamo, torch._dynamo.trace_rules as rules
rules.get_torch_obj_rule_map()
assert torch.compile(lambda x: x * 2 + 1, backend="eager")(torch.ones(2, device="cuda")).tolist() == [3, 3]
'''


def torch_version():
    from importlib.metadata import version

    return int(version("torch").partition(".")[0])


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
class Torch(unittest.TestCase):
    def run_script(self, script):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              env=support.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("no GPU here"), 1)
        self.assertIn("simulated, compiled for mp_31\n", done.stderr)

    def test_redirection(self):
        self.run_script(SCRIPT)

    def test_the_simulated_device(self):
        self.run_script(DEVICE)

    def test_dynamo_distinguishes_all_functions(self):
        if torch_version() < 2:
            self.skipTest("torch 1 has no torch.compile")
        self.run_script(DYNAMO)


if __name__ == "__main__":
    unittest.main()
