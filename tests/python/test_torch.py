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

PLACES = '''
import tilelab._redirect as redirect
redirect.install()
redirect.choose("on")
import copy, torch
import tilelab, tilelab.language as T

def where(tensor):
    assert tensor.is_cuda == (tensor.device == torch.device("cuda:0")) != tensor.is_cpu and tensor.get_device() == tensor.is_cuda - 1
    return tensor.device.type

a, c = torch.randn(4, device="cuda"), torch.randn(4)
on_gpu = [a, a + c, c + a, a[1:], a.T, a.half(), a.chunk(2)[1], torch.cat([a, a]), torch.zeros_like(a), a.new_zeros(3), a.clone(), a.detach(),
          torch.empty(2, device=a.device), torch.empty(2, device=0), c.cuda(), c.to(a), c.to("cuda"), c.to(device="cuda:0", dtype=torch.float16),
          torch.nn.Parameter(a), copy.deepcopy(torch.nn.Linear(4, 4).cuda()).weight, torch.nn.Linear(4, 4, device="cuda").weight]
assert [where(x) for x in on_gpu] == ["cuda"] * len(on_gpu)
on_cpu = [c, c + 1, a.cpu(), a.to("cpu"), a.to(c), torch.empty(2, device="cpu"), torch.empty(2), torch.as_tensor(a.numpy()), c.copy_(a),
          torch.add(a, a, out=torch.empty(4)), torch.nn.Parameter(c), torch.nn.Linear(4, 4).cuda().cpu().bias]
assert [where(x) for x in on_cpu] == ["cpu"] * len(on_cpu)

assert a.cuda() is a and a.to("cuda") is a and c.cpu() is c  # a move makes a copy
a.cpu().zero_()
c.cuda().zero_()
assert a.abs().sum() > 0 and c.abs().sum() > 0

with torch.device("cuda"):
    assert where(torch.ones(2)) == "cuda" and where(torch.ones(2, device="cpu")) == "cpu"
torch.set_default_device("cuda")
assert where(torch.ones(2)) == "cuda"
torch.set_default_device(None)
assert where(torch.ones(2)) == "cpu"

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        assert where(x) == "cuda"
        return x * 2

    @staticmethod
    def backward(context, gradient):
        assert where(gradient) == "cuda"
        return gradient * 2

model = torch.nn.Linear(4, 4).to("cuda")
Twice.apply(model(a)).sum().backward()
assert where(model.weight.grad) == "cuda"
torch.optim.AdamW(model.parameters()).step()
assert where(model(a)) == "cuda"

@tilelab.jit
def add(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[i] = A[i] + 1
    return B

@torch.library.custom_op("places::scaled", mutates_args=(), device_types="cuda")
def scaled(x: torch.Tensor) -> torch.Tensor:
    assert where(x) == where(torch.ones(2, device="cuda")) == "cuda"
    return add(x) * 2

library = torch.library.Library("places", "FRAGMENT")
library.define("shifted(Tensor x) -> Tensor")
library.impl("shifted", lambda x: x + torch.ones(4, device=x.device), "CUDA")
assert where(scaled(a)) == where(torch.ops.places.shifted(a)) == "cuda"
assert torch.equal(scaled(a), (a + 1) * 2) and torch.equal(torch.ops.places.shifted(a), a + 1)

assert where(add(a)) == "cuda" and where(add(c)) == "cpu"
assert torch.equal(add(a), a + 1)
'''

DYNAMO = '''
import tilelab._redirect as redirect
redirect.install()
redirect.choose("on")
import torch, torch._dynamo, torch._dynamo.trace_rules as rules
rules.get_torch_obj_rule_map()
assert torch.compile(lambda x: x * 2 + 1, backend="eager")(torch.ones(2, device="cuda")).tolist() == [3, 3]
'''


MUSA = '''
import torch
import tilelab._redirect as redirect
redirect.install()
redirect.choose("on")

made = torch.device("musa")  # without import torch_musa
x = torch.randn(4, 4, device="musa")
device = x.device
assert made.type == "musa" and torch.zeros(2, device=made).device == device and torch.device("musa:0") == device
assert device.type == "musa" and device.index == 0
assert torch.empty(2, dtype=torch.float16, device=device).device == device and (x + torch.ones(4, device=device)).device == device
torch.backends.mudnn.deterministic = True
torch.backends.mudnn.allow_tf32 = False
assert torch.backends.mudnn.deterministic and torch.musa.is_available()
'''


WARNINGS = '''
import sys
import tilelab._redirect as redirect
redirect.install()
redirect.choose("on")
import torch, warnings
values, indices = torch.tensor([True, False]).to("cuda"), torch.tensor([1, 0], dtype=torch.uint8)
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("default")
    for _ in range(2):
        values[indices]
    first = sys._getframe().f_lineno - 1
    values[indices]
assert [(each.filename, each.lineno) for each in found] == [(sys._getframe().f_code.co_filename, line) for line in (first, first + 2)], found
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        values[indices]
        raise AssertionError("no error")
    except UserWarning:
        pass
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

    def test_tensors_report_the_device_that_the_program_chose(self):
        if torch_version() < 2:
            self.skipTest("torch 1 has no default device")
        self.run_script(PLACES)

    def test_devices_of_musa_without_its_package(self):
        if torch_version() < 2:
            self.skipTest("torch 1 cannot name a device")
        self.run_script(MUSA)

    def test_warnings_name_the_line_of_the_program(self):
        self.run_script(WARNINGS)

    def test_dynamo_distinguishes_all_functions(self):
        if torch_version() < 2:
            self.skipTest("torch 1 has no torch.compile")
        self.run_script(DYNAMO)


if __name__ == "__main__":
    unittest.main()
