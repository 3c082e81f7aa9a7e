# SPDX-License-Identifier: Apache-2.0
"""The run-time compiler starts concurrently with the work before the first call: once, and complete when it is used."""
import os
import subprocess
import sys
import unittest

import support
import fake_gpu

BEGIN = """
import os, sys
import fake_gpu
fake_gpu.install()
import numpy as np
import tilelab
from tilelab import _core
from tilelab._gpu import devices
from gpu_case_kernels import scaled

def starts():
    _core.gpu.finish_compiler_start()
    return fake_gpu.starts()

def call():
    tilelab.compile(scaled, target="cuda")(np.ones((3, 24), "float32"), 2.0, np.ones((3, 24), "float32"))
"""


def run(text, **env):
    """The output of a process that must succeed."""
    env = {**support.environment(), "TILELANG_DISABLE_CACHE": "1", **env}
    done = subprocess.run([sys.executable, "-c", BEGIN + text], capture_output=True, text=True, timeout=60, env=env,
                          cwd=os.path.dirname(os.path.abspath(__file__)))
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
    return done.stdout.strip()


@unittest.skipIf(fake_gpu.VENDOR != "cuda" or os.cpu_count() < 2, "nothing starts beside")
class Start(unittest.TestCase):
    def test_once_with_the_target(self):
        self.assertEqual(run("print(starts()); call(); call(); print(starts(), fake_gpu.problems())"),
                         "0\n1")

    def test_once_with_a_kernel_where_torch_has_a_gpu(self):
        self.assertEqual(run("""
import types
import tilelab.language as T
cuda = types.SimpleNamespace(is_initialized=lambda: False)
sys.modules["torch"] = types.SimpleNamespace(cuda=cuda)
def one(A: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=8):
        A[0] = 1.0
T.prim_func(one)
print(starts())
cuda.is_initialized = lambda: True
for devices.settings.device in ("sim", "auto"):
    T.prim_func(one)
    print(starts())
tilelab.jit(one)
print(starts())"""), "0\n0\n1\n1")

    def test_not_without_a_gpu(self):
        self.assertEqual(run("""
fake_gpu.reset(devices=0)
tilelab.compile(scaled, target="cuda")
print(starts())"""), "0")

    def test_no_call_waits(self):
        self.assertEqual(run("""
devices.target("cuda")
print(fake_gpu.starts(), flush=True)
os._exit(0)""", FAKE_GPU_SLOW_START="5000"), "0")

    def test_the_process_ends_meanwhile(self):
        run("devices.target('cuda')", FAKE_GPU_SLOW_START="300")

    def test_a_child_compiles(self):
        self.assertEqual(run("""
devices.target("cuda")
if child := os.fork():
    print("ended", os.waitpid(child, 0)[1])
else:
    call()
    os._exit(0)""", FAKE_GPU_SLOW_START="300"), "ended 0")


if __name__ == "__main__":
    unittest.main()
