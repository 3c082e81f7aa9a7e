# SPDX-License-Identifier: Apache-2.0
"""Calls that come again are launched by graphs of one node, each stream by its own; where graphs can't be
used, kernel by kernel. Over a fake driver and a fake torch."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "fake_torch"))
import fake_gpu
import support  # noqa: F401
from gpu_case import GpuCase
from test_gpu_calls import Memory, product, scaled
import numpy as np
import torch

import tilelab as tilelang

fake_gpu.install()


class Graphs(GpuCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(torch.set_stream, 0x50)
        self.addCleanup(fake_gpu.capturing, False)

    def call(self, kernel, factor, m=5):
        """Runs it on fresh tensors; the calls of the driver that launched."""
        a, b = Memory((m, 24)), Memory((m, 24))
        a.array[:] = np.arange(m * 24).reshape(m, 24)
        before = len(fake_gpu.log())
        kernel(a.tensor, factor, b.tensor)
        np.testing.assert_array_equal(b.array, a.array * np.float32(factor))
        return [line.split()[0] for line in fake_gpu.log()[before:] if "Launch" in line or "Graph" in line]

    PLAIN = ["LaunchKernel"]
    AGAIN = ["GraphExecKernelNodeSetParams", "GraphLaunch", "LaunchKernel"]
    MADE = ["GraphCreate", "GraphAddKernelNode", "GraphInstantiate", "GraphLaunch", "LaunchKernel"]

    def test_what_comes_again(self):
        kernel = tilelang.compile(scaled, target="cuda")
        self.assertEqual([self.call(kernel, factor) for factor in (1.0, 2.0, 3, -4.5)],
                         [self.PLAIN, self.MADE, self.AGAIN, self.AGAIN])
        # Another size has another grid; the graph takes it.
        self.assertEqual([self.call(kernel, 2.0, m=70) for _ in range(2)], [self.PLAIN, self.AGAIN])
        self.assertIn("grid 5 1 1", fake_gpu.log("LaunchKernel")[-1])

    def test_each_stream_has_its_own(self):
        kernel = tilelang.compile(scaled, target="cuda")
        self.call(kernel, 1.0)
        made = []
        for stream in (0x50, 0x51, 0x52, 0, 0x53, 0x50, 0x53):
            torch.set_stream(stream)
            made.append(self.call(kernel, stream + 1))
            self.assertEqual(fake_gpu.log("LaunchKernel")[-1].split()[-1], str(stream))
        self.assertEqual(made, [self.MADE] * 4 + [self.PLAIN, self.AGAIN, self.PLAIN])

    def test_nothing_in_a_stream_that_is_captured(self):
        kernel = tilelang.compile(scaled, target="cuda")
        for _ in range(2):
            self.call(kernel, 1.0)
        fake_gpu.capturing(True)
        self.assertEqual(self.call(kernel, 2.0), self.PLAIN)
        fake_gpu.capturing(False)
        self.assertEqual(self.call(kernel, 3.0), self.AGAIN)

    def test_a_refused_graph_is_no_refused_call(self):
        for call in ("GraphCreate", "GraphAddKernelNode", "GraphInstantiate", "GraphExecKernelNodeSetParams", "GraphLaunch"):
            kernel = tilelang.compile(scaled, target="cuda")
            for _ in range(2 + (call == "GraphExecKernelNodeSetParams")):
                self.call(kernel, 1.0)
            torch.set_stream(0x51 if "Exec" not in call else 0x50)
            fake_gpu.fail(call, 1)
            self.assertEqual(self.call(kernel, 2.0)[-1], "LaunchKernel", call)
            self.assertIn(self.call(kernel, 2.0), (self.MADE, self.AGAIN), call)
            torch.set_stream(0x50)

    def test_a_fault_is_reported_as_without_graphs(self):
        kernel = tilelang.compile(scaled, target="cuda")
        for _ in range(3):
            self.call(kernel, 1.0)
        fake_gpu.fail("GraphLaunch", 1)
        fake_gpu.fail("LaunchKernel", 1)
        with self.assertRaisesRegex(tilelang.DeviceError, r"device-call(.|\n)*cuLaunchKernel failed in the driver"):
            self.call(kernel, 1.0)
        self.assertEqual(self.call(kernel, 1.0), self.AGAIN)

    def test_maps_are_copied_with_the_other_parameters(self):
        kernel = tilelang.compile(product, target="cuda")
        seen = []
        fake_gpu.kernel("product_k0")(lambda launch: seen.append([launch.word(i) for i in range(3)]))
        given = [[Memory(shape, "float16") for shape in ((128, 64), (128, 64), (128, 128))] for _ in range(2)]
        for which in (0, 0, 1, 0, 1):
            kernel(*(m.tensor for m in given[which]))
        wanted = [[m.held.address for m in given[which]] for which in (0, 0, 1, 0, 1)]
        self.assertEqual(seen, wanted)
        self.assertEqual(len(fake_gpu.log("GraphLaunch")), 4)


class NoGraphs(unittest.TestCase):
    @unittest.skipIf(os.environ.get("NO_GRAPHS"), "it is this one")
    def test_under_tools_and_where_calls_wait(self):
        for variable in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUDA_LAUNCH_BLOCKING"):
            done = subprocess.run([sys.executable, __file__, "Without.test_launches"], capture_output=True, text=True,
                                  env=dict(os.environ, NO_GRAPHS="1", **{variable: "1"}))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Ran 1 test", done.stderr)


@unittest.skipUnless(os.environ.get("NO_GRAPHS"), "NoGraphs runs it")
class Without(GpuCase):
    def test_launches(self):
        kernel = tilelang.compile(scaled, target="cuda")
        self.assertEqual([Graphs.call(self, kernel, 2.0) for _ in range(3)], [Graphs.PLAIN] * 3)


if __name__ == "__main__":
    unittest.main()
