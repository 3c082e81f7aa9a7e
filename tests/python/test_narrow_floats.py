# SPDX-License-Identifier: Apache-2.0
"""Tensors of bfloat16 and float8 of tilelab, with or without ml_dtypes: conversions, arithmetic, indexing, kernels, arrays of a GPU."""

import importlib.util
import unittest
import weakref

import fake_gpu
import numpy as np
import support  # noqa: F401  (the path to the package)
import tilelang
from gpu_case import GpuCase
from tilelang import language as T

from tilelab.tensors.host import Tensor, of_array


def tensor(values):
    return of_array(np.asarray(values, "float32")).to("bfloat16")


class Bfloat16(GpuCase):
    def test_conversions_round_to_nearest_even(self):
        given = [1.0, 1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8 + 2**-20), 3.4e38, np.inf, np.nan, 1e-40]
        made = tensor(given)
        self.assertEqual(T.dtype(made.dtype), "bfloat16")
        wanted = [1.0, 1.0, 1 + 2**-6, -(1 + 2**-7), np.inf, np.inf, np.nan]
        np.testing.assert_array_equal(made.float()[:7], np.array(wanted, "float32"))
        self.assertEqual(made.view("uint16")[7], 1)  # 2**-133, the least subnormal
        np.testing.assert_array_equal(tensor([1.5, -2.5]).astype("int32"), [1, -2])

    def test_arithmetic(self):
        x, y = tensor([1, 2, 3]), tensor([[0.5], [8]])
        for made, wanted in ((x + y, [[1.5, 2.5, 3.5], [9, 10, 11]]), (2 - x, [1, 0, -1]), (np.exp(x * 0), [1, 1, 1]), (-x, [-1, -2, -3]),
                             (x / 3, [0.333984375, 0.66796875, 1]), (x.sum(), 6), (x @ x, 14), (abs(-x), [1, 2, 3])):
            self.assertEqual(T.dtype(made.dtype), "bfloat16")
            np.testing.assert_array_equal(of_array(made).float(), wanted)
        self.assertEqual((x + np.ones(3)).dtype, np.float64)
        self.assertEqual((x > 1).tolist(), [False, True, True])
        x += 1
        np.testing.assert_array_equal(x.float(), [2, 3, 4])
        total = np.zeros(3, "float32").view(Tensor)
        np.add(x, 1, out=total)
        self.assertEqual(total.tolist(), [3, 4, 5])

    def test_sums_are_wide(self):
        ones = of_array(np.ones(1000, "float32")).to("bfloat16")
        self.assertEqual((float(ones.sum()), float(ones.mean())), (1000, 1))

    def test_functions_of_numpy(self):
        """They compare and add numbers, not bytes."""
        x = tensor([3, 1, 2, -1])
        self.assertEqual((np.sort(x).tolist(), np.argsort(x).tolist(), int(x.argmax()), np.unique(x).tolist()), ([-1, 1, 2, 3], [3, 1, 2, 0], 0, [-1, 1, 2, 3]))
        self.assertEqual(((x == of_array(np.array([3, 1, 2, 0], "float32"))).tolist(), float(x.dot(x)), np.allclose(x, x)), ([True, True, True, False], 15, True))
        zeros = tensor([-0.0, 1])
        self.assertEqual(([one.tolist() for one in np.nonzero(zeros)], bool(zeros[:1]), bool(zeros[:1].any())), ([[1]], False, False))
        self.assertEqual((np.concatenate([x[:1], np.ones(1, "float32")]).dtype, T.dtype(np.where([True, False], zeros, zeros).dtype)), (np.float32, "bfloat16"))
        x.sort()
        self.assertEqual(x.tolist(), [-1, 1, 2, 3])
        np.transpose(x)[0] = 5
        self.assertEqual(x[0], 5)

    def test_functions_that_write(self):
        """They change the tensor, not a copy; several results are narrow as one is."""
        x = tensor([[3, 1], [2, -1]])
        np.fill_diagonal(x, 9)
        np.put_along_axis(x, np.array([[1], [0]]), 4.5, 1)
        np.add.at(x, (0, 0), 1)
        self.assertEqual(x.tolist(), [[10, 4.5], [4.5, 9]])
        np.place(x, x.float().numpy() > 9, [0.5])
        np.copyto(x[1], np.array([7.25, 2]))
        self.assertEqual(x.tolist(), [[0.5, 4.5], [7.25, 2]])
        total, wide = tensor([0, 0]), np.zeros(2)
        self.assertIs(np.sum(x, 0, out=total), total)
        self.assertIs(np.sum(x, 0, out=wide), wide)
        self.assertEqual((total.tolist(), wide.tolist()), ([7.75, 6.5], [7.75, 6.5]))
        self.assertEqual((float(x.trace()), np.broadcast_to(x[0], (1, 2)).tolist()), (2.5, [[0.5, 4.5]]))
        self.assertEqual((x[0].view("uint16") + 1).tolist(), [0x3F01, 0x4091])
        whole, rest = divmod(x, 2)
        self.assertEqual((whole.tolist(), rest.tolist(), T.dtype(rest.dtype)), ([[0, 2], [3, 1]], [[0.5, 0.5], [1.25, 0]], "bfloat16"))
        self.assertEqual([T.dtype(one.dtype) for one in np.split(x, 2)], ["bfloat16"] * 2)
        x.partition(1)
        x[0].put([0], [-1])
        x[1].fill(1.5)
        self.assertEqual(x.tolist(), [[-1, 4.5], [1.5, 1.5]])

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_dlpack(self):
        import torch

        x = tensor([[1, 2, 3], [4, 5, 6]])
        shared = torch.from_dlpack(x.T)
        self.assertEqual((shared.dtype, shared.tolist()), (torch.bfloat16, [[1, 4], [2, 5], [3, 6]]))
        shared += 1
        self.assertEqual(x[1, 2], 7)
        self.assertEqual(torch.from_dlpack(x.to("float8_e4m3fn")).dtype, torch.float8_e4m3fn)
        y = tensor([1])
        released = weakref.ref(y)
        y.__dlpack__()  # a capsule that is not used
        del y
        self.assertIsNone(released())

    def test_elements(self):
        x = tensor([[1, 2], [3, 4]])
        self.assertEqual((x[1, 0], x[0].tolist(), x[1, 1].item(), x[:, 1].tolist()), (3.0, [1.0, 2.0], 4.0, [2.0, 4.0]))
        x[0] = 7
        x[1, 1] = 2.5
        self.assertEqual((str(x[0]), repr(x[1])), ("[7. 7.]", "Tensor([3.  2.5], dtype=bfloat16)"))

    def test_kernels_take_and_return_them(self):
        @tilelang.jit(out_idx=[1])
        def twice(n):
            @T.prim_func
            def kernel(X: T.Tensor((n,), "bfloat16"), Y: T.Tensor((n,), "bfloat16")):
                with T.Kernel(1, threads=32):
                    for i in T.Parallel(n):
                        Y[i] = X[i] * T.bfloat16(2)

            return kernel

        with support.device("sim"):
            np.testing.assert_array_equal(of_array(twice(3)(tensor([1, 2.5, -3]))).float(), [2, 5, -6])
            self.assertEqual(tilelang.relu(tensor([-1, 2])).tolist(), [0, 2])

    def test_arrays_of_a_gpu(self):
        a = tilelang.to_device(tensor([[1, 2], [3, 4]]))
        self.assertEqual((T.dtype(a.dtype), a[1].tolist(), float(a[1, 1])), ("bfloat16", [3, 4], 4.0))
        self.assertIn(str(a[0]), ("[1. 2.] on cuda:0", "[1 2] on cuda:0"))  # the latter of ml_dtypes
        self.assertEqual((a.astype("float32").dtype, a.astype("float32").astype("bfloat16").tolist()), (np.float32, [[1, 2], [3, 4]]))
        self.assertEqual((-a).tolist(), [[-1, -2], [-3, -4]])


class Float8(unittest.TestCase):
    def test_conversions_round_to_nearest_even_and_saturate(self):
        given = [0, -0.0, 1, 1.0625, 1.1875, -17, 440, 464, 1e9, -np.inf, 2**-9, 2**-10, 3 * 2**-10]
        wanted = [0, -0.0, 1, 1, 1.25, -16, 448, 448, 448, -448, 2**-9, 0, 2**-8]
        made = of_array(np.array(given, "float32")).to("float8_e4m3fn")
        self.assertEqual((T.dtype(made.dtype), made.tolist(), made.view("uint8")[1]), ("float8_e4m3fn", wanted, 0x80))
        self.assertEqual((of_array(np.array([1e9], "float32")).astype("float8_e4m3fn").tolist(), (made[8:9] + made[8:9]).tolist()), ([448], [448]))
        self.assertTrue(np.isnan(of_array(np.array([np.nan])).to("float8_e4m3fn").float()[0]))
        wide = of_array(np.array([5.0, 1.125, 1e9, 2**-16], "float32")).to("float8_e5m2")
        self.assertEqual((wide.tolist(), repr(wide[:2])), ([5, 1, 57344, 2**-16], "Tensor([5. 1.], dtype=float8_e5m2)"))

    def test_every_code_is_converted_and_back(self):
        for name in ("float8_e4m3fn", "float8_e5m2"):
            codes = of_array(np.arange(256, dtype="uint8").view(T.dtype(name).as_numpy()))
            finite = np.isfinite(codes.float())
            np.testing.assert_array_equal(codes.float().to(name).view("uint8")[finite], np.arange(256)[finite])

    def test_kernels_take_and_return_them(self):
        @tilelang.jit(out_idx=[1])
        def half(n):
            @T.prim_func
            def kernel(X: T.Tensor((n,), "float8_e4m3fn"), Y: T.Tensor((n,), "float8_e5m2")):
                with T.Kernel(1, threads=32):
                    for i in T.Parallel(n):
                        Y[i] = T.cast(X[i], "float32") / 2

            return kernel

        with support.device("sim"):
            made = half(4)(of_array(np.array([1, 3, -0.5, 448], "float32")).to("float8_e4m3fn"))
        self.assertEqual((T.dtype(made.dtype), of_array(made).tolist()), ("float8_e5m2", [0.5, 1.5, -0.25, 224]))


if __name__ == "__main__":
    with fake_gpu.here():
        unittest.main()
