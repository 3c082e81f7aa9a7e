# SPDX-License-Identifier: Apache-2.0
"""The run-time compiler starts beside what comes before the first call: once, and nobody meets it half way."""
import os
import subprocess
import sys
import unittest

import support
import fake_gpu

BEGIN = """
import os, sys, time
import fake_gpu
fake_gpu.install()
import numpy as np
import tilelab
from tilelab._gpu import devices
from gpu_case_kernels import scaled

def call():
    tilelab.compile(scaled, target="cuda")(np.ones((3, 24), "float32"), 2.0, np.ones((3, 24), "float32"))
"""


def run(text, **env):
    """What a process says; it ends as it should."""
    env = {**support.environment(), "TILELANG_DISABLE_CACHE": "1", **env}
    done = subprocess.run([sys.executable, "-c", BEGIN + text], capture_output=True, text=True, timeout=60, env=env,
                          cwd=os.path.dirname(os.path.abspath(__file__)))
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
    return done.stdout.strip()


@unittest.skipIf(fake_gpu.VENDOR != "cuda" or os.cpu_count() < 2, "nothing starts beside")
class Start(unittest.TestCase):
    def test_once_with_the_target(self):
        self.assertEqual(run("print(fake_gpu.starts()); call(); call(); print(fake_gpu.starts(), fake_gpu.problems())"),
                         "0\n1")

    def test_not_without_a_gpu(self):
        self.assertEqual(run("""
fake_gpu.reset(devices=0)
tilelab.compile(scaled, target="cuda")
print(fake_gpu.starts())"""), "0")

    def test_nobody_waits(self):
        self.assertEqual(run("""
start = time.perf_counter()
devices.target("cuda")
print(time.perf_counter() - start < 0.2)""", FAKE_GPU_SLOW_START="1"), "True")

    def test_the_process_ends_meanwhile(self):
        run("devices.target('cuda')", FAKE_GPU_SLOW_START="1")

    def test_a_child_compiles(self):
        self.assertEqual(run("""
devices.target("cuda")
if child := os.fork():
    print("ended", os.waitpid(child, 0)[1])
else:
    call()
    os._exit(0)""", FAKE_GPU_SLOW_START="1"), "ended 0")


if __name__ == "__main__":
    unittest.main()
