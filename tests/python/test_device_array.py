# SPDX-License-Identifier: Apache-2.0
"""DeviceArray as programs use an array: views, arithmetic, conversions, printing, DLPack. On the fake GPU."""

import unittest

import fake_gpu
import numpy as np
import support  # noqa: F401  (the path to the package)
import tilelang
from gpu_case import GpuCase
from tilelab._gpu import dlpack

VALUES = np.arange(24, dtype="float32").reshape(2, 3, 4)


class DeviceArrays(GpuCase):
    def setUp(self):
        super().setUp()
        self.array = tilelang.to_device(VALUES)

    def test_views(self):
        for index in (0, -1, (1, 2), (1, 0, 3), slice(1, 2), (0, slice(1, 3)), (1, slice(None))):
            with self.subTest(index=index):
                part = self.array[index]
                np.testing.assert_array_equal(part.numpy(), VALUES[index])
                self.assertIs(part._memory, self.array._memory)
        np.testing.assert_array_equal(self.array[0][1].numpy(), VALUES[0][1])
        np.testing.assert_array_equal(self.array[:, 1].numpy(), VALUES[:, 1])
        np.testing.assert_array_equal(self.array[::-1, ..., 0].numpy(), VALUES[::-1, ..., 0])
        np.testing.assert_array_equal(self.array.reshape(4, -1).numpy(), VALUES.reshape(4, 6))
        self.assertEqual([one.shape for one in self.array], [(3, 4)] * 2)
        for index in (2, (0, 3), (0, 0, 0, 0)):
            with self.assertRaises(IndexError):
                self.array[index]
        with self.assertRaises(ValueError):
            self.array.reshape(5, 5)

    def test_a_view_is_an_argument(self):
        @fake_gpu.kernel("scaled_k0")
        def run(launch):
            launch.array(2, (3, 24))[:] = launch.array(0, (3, 24)) * launch.scalar(1, "float32")

        from gpu_case_kernels import scaled

        kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
        both = np.arange(2 * 3 * 24, dtype="float32").reshape(2, 3, 24)
        np.testing.assert_array_equal(kernel(tilelang.to_device(both)[1], 2.0).numpy(), 2 * both[1])

    def test_arithmetic_and_conversions(self):
        a = self.array
        np.testing.assert_array_equal((a + 1).numpy(), VALUES + 1)
        np.testing.assert_array_equal((2 - a * a).numpy(), 2 - VALUES * VALUES)
        np.testing.assert_array_equal((a + VALUES).numpy(), VALUES + VALUES)
        np.testing.assert_array_equal((VALUES + a).numpy(), VALUES + VALUES)
        np.testing.assert_array_equal((a > 3).numpy(), VALUES > 3)
        np.testing.assert_array_equal((-a).numpy(), -VALUES)
        self.assertEqual((float(a[1, 2, 3]), int(a[0, 0, 1]), a.ndim, a.size, len(a)), (23.0, 1, 3, 24, 2))
        self.assertEqual(a.astype("int32").dtype, np.int32)
        self.assertEqual(a[0, 0].tolist(), [0.0, 1.0, 2.0, 3.0])
        self.assertEqual(str(a[0, 0]), "[0. 1. 2. 3.] on cuda:0")

    def test_dlpack(self):
        self.assertEqual(self.array.__dlpack_device__(), (2, 0))
        part = self.array[1]
        dtype, size, address, shape, strides, _ = dlpack.unpack(part, 0)
        self.assertEqual((dtype, size, shape, strides), ("float32", 4, [3, 4], None))
        self.assertEqual(address, part.array_interface["data"][0])
        self.assertEqual(address, self.array.array_interface["data"][0] + 48)
        self.assertEqual(len(dlpack._exported), 1)
        dlpack._delete(next(iter(dlpack._exported.values()))[0])
        self.assertEqual(len(dlpack._exported), 0)


if __name__ == "__main__":
    with fake_gpu.here():
        unittest.main()
