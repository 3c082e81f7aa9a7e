# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of torch.library: gradients, torch.compile, what is reported where a gradient ends. Skipped without torch."""

import importlib.util
import unittest
import warnings

import support  # noqa: F401  (the path to the package)
import tilelang
import tilelang.language as T

HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch._dynamo") is not None


def scaled_product(out_idx=-1):
    n = T.dynamic("n")

    @T.prim_func
    def scaled(A: T.Tensor((n, 8), "float64"), B: T.Tensor((n, 8), "float64"), s: T.float32, C: T.Tensor((n, 8), "float64")):
        with T.Kernel(T.ceildiv(n, 16), threads=32) as b:
            for i, j in T.Parallel(16, 8):
                if b * 16 + i < n:
                    C[b * 16 + i, j] = A[b * 16 + i, j] * B[b * 16 + i, j] * s

    return tilelang.compile(scaled, out_idx=out_idx)


def gradient_kernel():
    n = T.dynamic("n")

    @T.prim_func
    def gradients(A: T.Tensor((n, 8), "float64"), B: T.Tensor((n, 8), "float64"), s: T.float32, dC: T.Tensor((n, 8), "float64"),
                  dA: T.Tensor((n, 8), "float64"), dB: T.Tensor((n, 8), "float64")):
        with T.Kernel(T.ceildiv(n, 16), threads=32) as b:
            for i, j in T.Parallel(16, 8):
                if b * 16 + i < n:
                    dA[b * 16 + i, j] = dC[b * 16 + i, j] * B[b * 16 + i, j] * s
                    dB[b * 16 + i, j] = dC[b * 16 + i, j] * A[b * 16 + i, j] * s

    return tilelang.compile(gradients, out_idx=[4, 5])


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Profiled(unittest.TestCase):
    def test_torch_profiler_shows_the_call(self):
        import torch
        from torch.profiler import ProfilerActivity, profile

        kernel, (a, b) = scaled_product(), (torch.ones(3, 8, dtype=torch.float64) for _ in range(2))
        kernel(a, b, 2.0)
        with profile(activities=[ProfilerActivity.CPU]) as recorded:
            kernel(a, b, 2.0)
            kernel(a, b, 2.0)
        kernel(a, b, 2.0)
        self.assertEqual([e.count for e in recorded.key_averages() if e.key == "tilelab::scaled"], [2])


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class AsTorchOp(unittest.TestCase):
    def arguments(self, n=5):
        import torch

        return tuple(torch.randn(n, 8, dtype=torch.float64, requires_grad=True) for _ in range(2))

    def check(self, op):
        import torch

        a, b = self.arguments()
        torch.testing.assert_close(op(a, b, 2.0), a * b * 2)
        self.assertTrue(torch.autograd.gradcheck(lambda x, y: op(x, y, 2.0), (a, b)))
        torch.library.opcheck(op, (a, b, 2.0))
        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            compiled = torch.compile(lambda x, y: op(x * 3, y, 2.0).sum(), fullgraph=True, backend=backend)
            for n in (5, 7, 9):
                x, y = self.arguments(n)
                compiled(x, y).backward()
                torch.testing.assert_close(x.grad, 6 * y)
                torch.testing.assert_close(y.grad, 6 * x)

    def test_backward_function(self):
        self.check(scaled_product().as_torch_op("tilelab_test::by_function", backward=lambda A, B, s, dC: (dC * B * s, dC * A * s)))

    def test_equal_gradients(self):
        import torch

        op = scaled_product().as_torch_op("tilelab_test::equal", backward=lambda dC: (dC, dC))
        a, b = self.arguments()
        op(a, b, 1.0).sum().backward()
        torch.testing.assert_close(a.grad, b.grad)

    def test_backward_kernel(self):
        self.check(scaled_product().as_torch_op("tilelab_test::by_kernel", backward=gradient_kernel()))

    def test_a_written_argument(self):
        import torch

        op = scaled_product(out_idx=None).as_torch_op("tilelab_test::in_place")
        a, b = (t.detach() for t in self.arguments())
        c = torch.zeros(5, 8, dtype=torch.float64)
        before = c._version
        self.assertIsNone(op(a, b, 2.0, c))
        self.assertGreater(c._version, before)
        torch.testing.assert_close(c, a * b * 2)
        torch.library.opcheck(op, (a, b, 2.0, c))

    def test_a_kernel_raises_versions(self):
        import torch

        kernel, (a, b) = scaled_product(out_idx=None), (t.detach() for t in self.arguments())
        w = torch.ones(5, 8, dtype=torch.float64, requires_grad=True)
        c = torch.ones(5, 8, dtype=torch.float64)
        saved = (w * c).sum()  # saves c
        kernel(a, b, 2.0, c)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            saved.backward()

    def test_transforms(self):
        """torch.func's grad and jacrev, for which torch's own operators have no gradients."""
        import torch

        kernel, (a, b) = scaled_product(), (t.detach() for t in self.arguments())
        op = kernel.as_torch_op("tilelab_tests::transformed", backward=gradient_kernel())
        torch.testing.assert_close(torch.func.grad(lambda x: op(x, b, 2.0).sum())(a), 2 * b)
        torch.testing.assert_close(torch.func.jacrev(lambda x: op(x, b, 2.0))(a), torch.func.jacrev(lambda x: x * b * 2)(a))
        plain = kernel.as_torch_op("tilelab_tests::not_differentiable")
        with self.assertRaisesRegex(tilelang.UsageError, "operator not_differentiable has no gradient"):
            torch.func.grad(lambda x: plain(x, b, 2.0).sum())(a)

    def test_a_lost_gradient_is_reported_once(self):
        import torch

        kernel, (a, b) = scaled_product(), self.arguments()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with torch.no_grad():
                kernel(a, b, 2.0)
            self.assertEqual(len(caught), 0)
            kernel(a, b, 2.0)
            kernel(a, b, 2.0)
        texts = [str(w.message) for w in caught]
        self.assertEqual(len(texts), 1, texts)
        self.assertIn("gradient lost", texts[0])
        self.assertIn('as_torch_op("my::scaled", backward=backward)', texts[0])

    def test_wrong_gradients(self):
        """A backward pass returns a gradient of its shape, or None, for each input that has one."""
        kernel = scaled_product()
        for i, (backward, problem) in enumerate((
                (lambda A, dC: (dC.T, dC), r"the gradient of A with its shape \(5, 8\), but returned one of shape \(8, 5\)"),
                (lambda dC: (dC,), "must return 2 gradients, of A, B, but returned 1;"), (lambda dC: None, "but returned 1;"),
                (lambda dC: (dC, dC, dC), "but returned 3;"), (lambda dC: {"A": dC, "b": dC}, "but returned those of A, b;"))):
            op = kernel.as_torch_op(f"tilelab_test::wrong_gradient{i}", backward=backward)
            a, b = self.arguments()
            with self.subTest(problem), self.assertRaisesRegex(tilelang.ArgumentError, problem):
                op(a, b, 1.0).sum().backward()
        op = kernel.as_torch_op("tilelab_test::no_gradient_of_one", backward=lambda dC: (dC, None))
        a, b = self.arguments()
        op(a, b, 1.0).sum().backward()
        self.assertFalse(b.grad.any())

    def test_vmap(self):
        import torch

        op = scaled_product().as_torch_op("tilelab_test::batched", backward=gradient_kernel())
        a, b = torch.randn(3, 4, 8, dtype=torch.float64), torch.randn(4, 8, dtype=torch.float64)
        torch.testing.assert_close(torch.vmap(lambda x: op(x, b, 2.0))(a), 2 * a * b)
        with self.assertRaisesRegex(ValueError, "as_torch_op"):
            torch.vmap(lambda x: scaled_product()(x, b, 2.0))(a)

    def test_mistakes(self):
        kernel = scaled_product()
        with self.assertRaisesRegex(ValueError, "namespace"):
            kernel.as_torch_op("name")
        with self.assertRaisesRegex(ValueError, "dD"):
            kernel.as_torch_op("tilelab_test::wrong", backward=lambda A, dD: A)


if __name__ == "__main__":
    unittest.main()
