# SPDX-License-Identifier: Apache-2.0
"""Common setup of tests on a fake GPU of any vendor: a kernel, and a clean driver."""
import ctypes
import os
import pathlib
import unittest

import fake_gpu
import numpy as np
from gpu_case_kernels import scaled  # noqa: F401


def scaled_on_gpu(launch):
    m = int(launch.scalar(3, "int32"))
    launch.array(2, (m, 24))[:] = launch.array(0, (m, 24)) * launch.scalar(1, "float32")


class GpuCase(unittest.TestCase):
    def setUp(self):
        fake_gpu.reset()
        for image in pathlib.Path(os.environ["TILELAB_CACHE_DIR"]).glob("*.image"):
            image.unlink()
        self.used = fake_gpu.used()
        fake_gpu.kernel("scaled_k0")(scaled_on_gpu)

    def tearDown(self):
        self.assertEqual(fake_gpu.problems(), "")

    def ring(self, launch, index, events, written=None):
        """Writes (site, kind, block, thread, values) as the device does."""
        head = launch.array(index, (4,), "uint32")
        slots = np.frombuffer((ctypes.c_char * (80 * max(1, len(events)))).from_address(launch.word(index) + 16),
                              np.dtype([("site", "u4"), ("kind", "u2"), ("count", "u2"), ("block", "u4", 3),
                                        ("thread", "u4", 3), ("value", "u8", 6)]))
        for slot, (site, kind, block, thread, values) in zip(slots, events):
            bits = [v if isinstance(v, int) else int(np.float32(v).view("uint32")) for v in values]
            slot["site"], slot["kind"], slot["count"] = site, kind, len(bits)
            slot["block"], slot["thread"], slot["value"][:len(bits)] = (block, 0, 0), (thread, 0, 0), bits
            head[2] += kind
        head[1] = written or len(events)
