# SPDX-License-Identifier: Apache-2.0
"""What tests of kernels on a fake GPU begin with, whichever vendor it plays: a kernel, and a clean driver."""
import os
import pathlib
import unittest

import fake_gpu

import tilelab.language as T


@T.prim_func
def scaled(A: T.Tensor((T.dynamic("m"), 24), "float32"), factor: T.float32, B: T.Tensor((T.dynamic("m"), 24), "float32")):
    with T.Kernel(T.ceildiv(A.shape[0], 16), threads=64) as bx:
        s = T.alloc_shared((16, 24), "float32")
        T.copy(A[bx * 16, 0], s)
        for i, j in T.Parallel(16, 24):
            s[i, j] = s[i, j] * factor
        T.copy(s, B[bx * 16, 0])


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
