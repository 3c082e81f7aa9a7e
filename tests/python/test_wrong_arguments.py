# SPDX-License-Identifier: Apache-2.0
"""Every operator and layer with a tensor of a wrong dtype, rank, width, batch or device: the call works, or an error names the operator or
layer and what it takes. Skipped without torch; without TILELAB_LONG only changes that must be reported, which run no kernels."""

import importlib.util
import os
import re
import unittest
import warnings

import numpy as np
import support  # noqa: F401  (the path to the package)
from test_operators_torch import tensors

import tilelab
from tilelab import ops
from tilelab.ops.table import FAMILY_OF

HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch._dynamo") is not None
LONG = "TILELAB_LONG" in os.environ


def certainly_wrong(x):
    """(what, tensor): a dtype that no operator takes in place of another one, a rank that none has, a device without values."""
    import torch

    yield "complex", torch.zeros(x.shape, dtype=torch.complex64)
    yield "rank", x.reshape(1, 1, 1, 1, 1, 1, *x.shape)
    yield "device", x.to("meta")


def perhaps_wrong(x):
    """Changes that some operators support."""
    import torch

    yield "dtype", torch.zeros(x.shape, dtype=torch.int64) if x.is_floating_point() else x.float()
    yield "bool", torch.zeros(x.shape, dtype=torch.bool)
    yield "first", x[None]
    yield "last", x[..., None]
    yield "scalar", x.reshape(-1)[0]
    for d in range(x.dim()):
        yield "longer", torch.cat([x, x.narrow(d, 0, 1)], d)
        yield "shorter", x.narrow(d, 0, x.shape[d] - 1)
        yield "empty", x.narrow(d, 0, 0)


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class WrongArguments(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def test_operators(self):
        for name in ops.names():
            operator = getattr(ops, name)
            given = tensors(operator, "float32" if "float32" in operator.dtypes else operator.dtypes[0])
            places = [i for i in operator.tensors if given[i] is not None]
            for i in places:
                for what, x in certainly_wrong(given[i]):
                    must = operator.eager if what == "rank" else len(places) > 1 if what == "device" else True
                    with self.subTest(operator=name, argument=operator.names[i], change=what):
                        if must and not ("rank" == what and "..." in self.shapes_of(operator, operator.names[i])):
                            self.assert_named(name, operator, (*given[:i], x, *given[i + 1:]))

    def shapes_of(self, operator, name):
        """The declared shapes of a tensor; "..." for one without."""
        return next((one.shown or "..." for one in operator.declaration(operator.defaults).tensors if one.name == name), "...")

    def assert_named(self, name, operator, given):
        with self.assertRaisesRegex(tilelab.ArgumentError, rf"(operator {name}, argument \w+: |unsupported shape: )") as caught:
            operator(*given)
        self.assertNotRegex(str(caught.exception), "kernel |^(IndexError|RuntimeError)")

    @unittest.skipUnless(LONG, "with TILELAB_LONG")
    def test_all_changes(self):
        for name in ops.names():
            operator = getattr(ops, name)
            given = tensors(operator, "float32" if "float32" in operator.dtypes else operator.dtypes[0])
            for i in operator.tensors:
                for what, x in perhaps_wrong(given[i]) if given[i] is not None else ():
                    with self.subTest(operator=name, argument=operator.names[i], change=what, shape=tuple(x.shape)):
                        try:
                            operator(*given[:i], x, *given[i + 1:])
                        except tilelab.ArgumentError as error:
                            self.assertIn("error[operator-", str(error))

    def test_extents_that_no_kernel_compares(self):
        """Kernels read such tensors at indices of the other ones, so that results would be wrong."""
        import torch

        bytes_, scale = torch.zeros(8, 16, dtype=torch.uint8), torch.ones(8, 2)
        for call, problem in (
                (lambda: ops.bias_gelu(torch.ones(2, 6), torch.ones(3)), "operator bias_gelu, argument x: a tensor (..., N) with N = 3"),
                (lambda: ops.gemm_w4a16(torch.ones(4, 30).half(), bytes_, scale, 16), "argument b: a tensor (N, K / 2) with K = 30"),
                (lambda: ops.dequantize_int4(bytes_, torch.ones(4, 4), 16), "argument scale: a tensor (..., 2 * N / group) with ... = (8,)"),
                (lambda: ops.flash_attention(torch.ones(1, 3, 4, 16), *(torch.ones(1, 2, 4, 16),) * 2), "needs heads % kv_heads == 0"),
                (lambda: ops.add_rms_norm(torch.ones(2, 3, 8), torch.ones(3, 2, 8), torch.ones(8)), "argument residual: a tensor (..., N) with ... = (2, 3)"),
                (lambda: ops.moe_permutation(torch.ones(4, 2), 3), "argument experts: a tensor of int64 or int32")):
            with self.subTest(problem), self.assertRaisesRegex(tilelab.ArgumentError, re.escape(problem)):
                call()

    def test_strided_tensors(self):
        """A tensor with other strides is as good as its row-major copy."""
        import torch

        x, w = torch.randn(4, 6), torch.randn(6, 2)
        for call in (lambda w: ops.rms_norm(x, w), lambda w: ops.layer_norm(x, w, w), lambda w: ops.linear(x, x, w[:4]),
                     lambda w: ops.batch_norm(x.T, w[:4], w[:4])):
            torch.testing.assert_close(call(w[:, 0]), call(w[:, 0].contiguous()))
        table = torch.tensor([[0, 9], [1, 9]], dtype=torch.int32)
        q, k, lengths = torch.randn(2, 4, 32), torch.randn(2, 2, 32, 32), torch.tensor([20, 31], dtype=torch.int32)
        torch.testing.assert_close(ops.attention_paged(q, k, k, lengths, table[:, :1]), ops.attention_paged(q, k, k, lengths, table[:, :1].contiguous()))

    def test_numbers(self):
        """A number out of range is named, in every call."""
        import torch

        x, one = torch.ones(2, 6, 4), torch.ones(6)
        rows, starts = torch.ones(4, 1, 16), torch.tensor([0, 4], dtype=torch.int32)
        keys, bytes_ = torch.ones(1, 2, 3, 16), torch.ones(2, 8, dtype=torch.int8)
        lengths = torch.ones(1, dtype=torch.int32)
        for name, call in (
                ("groups", lambda: ops.group_norm(x, 0, one, one)), ("stride", lambda: ops.conv2d(torch.ones(1, 4, 4, 2), torch.ones(3, 2, 2, 2), 0)),
                ("k", lambda: ops.topk(x, -2**63)), ("longest", lambda: ops.attention_varlen(rows, rows, rows, starts, starts, -5)),
                ("splits", lambda: ops.attention_decode(torch.ones(1, 2, 16), keys, keys, lengths, None, 0)),
                ("splits", lambda: ops.mla_decode(keys[:, :, 0], keys[:, :, 0], keys[:, 0], keys[:, 0], lengths, None, 0)),
                ("block", lambda: ops.native_sparse_attention(*(torch.ones(1, 1, 40, 16),) * 3, torch.ones(1, 1, 40, 3), -5)),
                ("beta1", lambda: ops.adamw_step(*(torch.ones(2) for _ in range(4)), 3, 0.1, 1e300)), ("group", lambda: ops.quantize_int4(x, 3)),
                ("step", lambda: ops.adamw_step(*(torch.ones(2) for _ in range(4)), 0)), ("dtype", lambda: ops.dequantize_int8(bytes_, torch.ones(2), "")),
                ("keepdim", lambda: ops.sum(x, 1, 0.5)), ("k", lambda: ops.topk(x, torch.tensor(1.5)))):
            for _ in range(2):
                with self.subTest(name), self.assertRaisesRegex(tilelab.ArgumentError, f"argument {name}: "):
                    call()
        with self.assertRaisesRegex(tilelab.ArgumentError, "an extent is 0"):
            ops.attention_decode(torch.ones(1, 0, 16), keys, keys, lengths)
        for step in (1, 2, 3):
            ops.adamw_step(*(torch.ones(2) for _ in range(4)), step)
        self.assertEqual(len({key for key in ops.adamw_step._declared if key[0] == (2,)}), 1)  # another step is not checked again

    def test_numbers_of_numpy_and_torch(self):
        import torch

        x = torch.randn(2, 8)
        torch.testing.assert_close(ops.topk(x, torch.tensor(2)), ops.topk(x, np.int64(2)))
        torch.testing.assert_close(ops.sum(x, np.int32(1), np.bool_(True)), x.sum(1, True))
        torch.testing.assert_close(ops.clamp(x, np.float32(-0.5), torch.tensor(0.5)), x.clamp(-0.5, 0.5))

    def test_tensors_without_plain_memory(self):
        import torch

        dense = torch.eye(3)
        for what, x in (("sparse", dense.to_sparse()), ("sparse", dense.to_sparse_csr()), ("nested", torch.nested.nested_tensor([dense[0], dense[1, :2]])),
                        ("negated", torch._neg_view(dense)), ("object", np.array([1, None])), ("matrix", np.matrix([[1.0, -1]])),
                        (str(np.dtype(np.longdouble)), np.ones(3, np.longdouble))):
            with self.subTest(what), self.assertRaisesRegex(tilelab.ArgumentError, f"operator relu, argument x: .*{what}"):
                ops.relu(x)

    def test_layers(self):
        import torch

        from tilelab import nn

        x = torch.randn(2, 5, 17)
        for layer in (nn.Linear(16, 8), nn.Linear(16, 8, bias=False), nn.RMSNorm(16), nn.LayerNorm(16), nn.MoE(16, 24, 4), nn.SelfAttention(32, 2),
                      nn.RotaryEmbedding(16, 10), nn.GroupNorm(2, 6)):
            name = type(layer).__name__
            with self.subTest(name):
                for one, wanted in ((x, r"a tensor \(.*\) with \w+ = \d+"), (x[..., :0], "a tensor"), (x[0, 0, 0], "a tensor")):
                    with self.assertRaisesRegex((tilelab.ArgumentError, tilelab.UsageError), rf"layer {name}, argument x: {wanted}.* expected"):
                        layer(one)
        with self.assertRaisesRegex(tilelab.ArgumentError, "layer Linear, argument x: a tensor on the device of weight, cpu"):
            nn.Linear(17, 8)(x.to("meta"))
        with self.assertRaisesRegex(tilelab.ArgumentError, "layer Embedding, argument ids: a tensor of .*int64 expected, got one of float32"):
            nn.Embedding(9, 4)(x)
        with self.assertRaisesRegex(tilelab.ArgumentError, "layer CrossEntropyLoss, argument target: a tensor of .*int64 expected, got one of float32"):
            nn.CrossEntropyLoss()(x[0], torch.zeros(5))
        with self.assertRaisesRegex(tilelab.ArgumentError, "batch_norm of .0, 4, 5., which has no elements"):
            ops.batch_norm(torch.ones(0, 4, 5), torch.ones(4), torch.ones(4))

    def test_constructors(self):
        import torch

        from tilelab import nn

        p = torch.nn.Parameter(torch.ones(3))
        for call, problem in ((lambda: nn.MoE(16, 24, 4, k=5), "layer MoE, argument k: a number from 1 to 4"),
                              (lambda: nn.SelfAttention(30, 4), "layer SelfAttention, argument heads: a divisor of the dim, 30"),
                              (lambda: nn.SelfAttention(32, 4, 3), "layer SelfAttention, argument kv_heads: a divisor of the heads, 4"),
                              (lambda: nn.RotaryEmbedding(15, 4), "layer RotaryEmbedding, argument dim: an even number"),
                              (lambda: nn.AdamW([p], lr=-1), "optimizer AdamW, argument lr: a number that is not negative expected, got -1"),
                              (lambda: nn.AdamW([p], betas=0.9), "optimizer AdamW, argument betas: two numbers"),
                              (lambda: nn.SGD([p], nesterov=True), "optimizer SGD, argument nesterov: False or 0")):
            with self.subTest(problem), self.assertRaisesRegex(tilelab.UsageError, problem):
                call()

    def test_reset_parameters(self):
        """Every layer that holds parameters or tables can be made on the device "meta", and filled afterwards."""
        import torch

        from tilelab import nn

        for make in (lambda: nn.MoE(16, 24, 4), lambda: nn.RotaryEmbedding(16, 10), lambda: nn.RMSNorm(8), lambda: nn.Linear(8, 4)):
            with torch.device("meta"):
                layer = make()
            wanted = make()
            for one in (layer.to_empty(device="cpu"), wanted):
                torch.manual_seed(0)
                one.reset_parameters()
            torch.testing.assert_close(dict(layer.named_parameters()) | dict(layer.named_buffers()),
                                       dict(wanted.named_parameters()) | dict(wanted.named_buffers()))

    def test_names_are_those_of_parameters(self):
        """A declaration names every tensor of its operator."""
        for name in FAMILY_OF:
            operator = getattr(ops, name)
            if operator.arguments is not None:
                declared = operator.declaration(operator.defaults).tensors
                self.assertEqual({one.name for one in declared}, {operator.names[i] for i in operator.tensors}, name)


if __name__ == "__main__":
    unittest.main()
