# SPDX-License-Identifier: Apache-2.0
"""Every operator as one of torch.library: opcheck, gradients, torch.compile without breaks. Skipped where torch is not installed;
without TILELAB_LONG only some of the operators."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import support  # noqa: F401  (the path to the package)
from test_operators import Draw, exact

import tilelab
from tilelab import ops
from tilelab.ops import launch
from tilelab._compiler.dtypes import name_of

HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch._dynamo") is not None
CHECKS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
SOME = ("silu", "add", "sum", "rms_norm", "softmax", "cross_entropy", "gemm", "flash_attention", "embedding", "adamw_step", "group_norm", "mse_loss", "var", "normalize")


def names():
    return ops.names() if "TILELAB_LONG" in os.environ else SOME


def tensors(operator, dtype, requires_grad=False):
    """The first example's arguments as tensors of torch."""
    import torch

    args, kwargs = next(iter(operator.example(Draw(dtype, 1), 1)))

    def of(value):
        if not isinstance(value, np.ndarray):
            return value
        name = None if value.dtype.kind in "iufb" else name_of(value.dtype)  # of a dtype that NumPy lacks
        made = torch.from_numpy(exact(value)).to(getattr(torch, name)) if name else torch.from_numpy(value.copy())
        return made.requires_grad_() if requires_grad and made.is_floating_point() else made

    bound = operator.signature.bind(*map(of, args), **{k: of(v) for k, v in kwargs.items()})
    bound.apply_defaults()
    return tuple(x.detach() if name in operator.fixed else x for name, x in bound.arguments.items())


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class OperatorsOfTorch(unittest.TestCase):
    def test_opcheck(self):
        import torch

        for name in names():
            operator = getattr(ops, name)
            if operator.composite:
                continue
            dtype = "float32" if "float32" in operator.dtypes else operator.dtypes[0]
            for wanted in (False, True)[:1 if operator.grad is None else 2]:
                with self.subTest(operator=name, gradient=wanted):
                    given = tensors(operator, dtype, wanted)
                    narrow = any("float8" in str(getattr(value, "dtype", "")) for value in given)  # torch compares none on the CPU
                    torch.library.opcheck(operator.traced, given, test_utils=CHECKS[narrow:])

    def test_gradcheck(self):
        import torch

        for name in names():
            operator = getattr(ops, name)
            if operator.grad is None and not operator.composite:
                continue
            with self.subTest(operator=name):
                args = tensors(operator, "float64", True)
                first = {k: a for k, a in zip(operator.names, args)}
                wanted = [k for k, a in first.items() if isinstance(a, torch.Tensor) and a.requires_grad]
                kept = wanted if operator.composite else [k for k in wanted if k not in operator.fixed]

                def call(*given, first=first, kept=kept, operator=operator):
                    made = operator(**{**{k: v.detach() if isinstance(v, torch.Tensor) else v for k, v in first.items()},
                                       **dict(zip(kept, given))})
                    return tuple(t for t in (made if isinstance(made, tuple) else (made,)) if t.is_floating_point())

                self.assertTrue(torch.autograd.gradcheck(call, [first[k] for k in kept], fast_mode=True))

    def test_compile(self):
        import torch

        for name in names():
            operator = getattr(ops, name)
            if operator.mutates:
                continue
            dtype = "float32" if "float32" in operator.dtypes else operator.dtypes[0]
            with self.subTest(operator=name):
                torch._dynamo.reset()
                args = tensors(operator, dtype, operator.grad is not None)
                compiled = torch.compile(lambda *given, operator=operator: operator(*given), fullgraph=True, backend="aot_eager")
                got, wanted = compiled(*args), operator(*args)
                for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, wanted))):
                    torch.testing.assert_close(a, b)

    def test_wrong_arguments_of_compiled_calls_are_named(self):
        import torch

        for call, problem in ((lambda x: ops.linear(x, x[:, 1:]), "operator linear, argument x: a tensor"),
                              (lambda x: ops.rms_norm(x, x[0, 1:]), "operator rms_norm, argument ")):
            torch._dynamo.reset()
            with self.subTest(problem), self.assertRaisesRegex(Exception, problem):
                torch.compile(call, fullgraph=True, backend="aot_eager")(torch.randn(3, 8))

    def test_dynamic_shapes(self):
        import torch

        torch._dynamo.reset()
        rows = torch.compile(lambda x: ops.add(ops.rms_norm(x, x[0]), ops.softmax(x)), fullgraph=True, dynamic=True, backend="aot_eager")
        whole = torch.compile(lambda x: ops.mse_loss(x, ops.normalize(x)) + ops.var(x) + ops.mean(ops.gemm(x, x, False, True)), fullgraph=True,
                              dynamic=True, backend="aot_eager")
        for n in (8, 12):
            x = torch.randn(3, n)
            torch.testing.assert_close(rows(x), torch.rms_norm(x, (n,), x[0], 1e-6) + x.softmax(-1))
            expected = torch.nn.functional.mse_loss(x, torch.nn.functional.normalize(x)) + x.var() + (x @ x.T).mean()
            torch.testing.assert_close(whole(x), expected)

    def test_dynamic_numbers(self):
        """One graph for all values of a number that is an extent."""
        import torch

        for call in (lambda x: ops.dropout(x, 0.5, x.shape[0]), lambda x: ops.sliding_attention(*(x[None, None],) * 3, x[0, :1], x.shape[0])):
            graphs = []

            def backend(graph, inputs, graphs=graphs):
                graphs.append(graph)
                return graph

            torch._dynamo.reset()
            compiled = torch.compile(call, fullgraph=True, dynamic=True, backend=backend)
            for n in (5, 6, 9):
                x = torch.randn(n, 16)
                torch.testing.assert_close(compiled(x), call(x))
            self.assertEqual(len(graphs), 1)

    def test_transforms(self):
        """torch.func's transforms, alone and in each other."""
        import torch

        x, w = torch.randn(3, 4, 16, dtype=torch.float64), torch.randn(16, 5, dtype=torch.float64)

        def ours(x):
            return ops.gemm(ops.tanh(x), w).sum()

        def torchs(x):
            return (torch.tanh(x) @ w).sum()

        for transform in (torch.func.grad, torch.func.jacrev, lambda f: torch.func.vmap(torch.func.grad(f))):
            torch.testing.assert_close(transform(ours)(x), transform(torchs)(x))
        with self.assertRaisesRegex(tilelab.UsageError, "operator tanh_backward has no gradient"):
            torch.func.grad(lambda x: torch.func.grad(ours)(x).sum())(x)
        torch.testing.assert_close(torch.func.grad(lambda x: torch.func.grad(lambda x: ops.gemm(x, w).square().sum())(x).sum())(x),
                                   torch.func.grad(lambda x: torch.func.grad(lambda x: (x @ w).square().sum())(x).sum())(x))

    def test_traces_of_transforms(self):
        """make_fx, functionalize and torch.compile see the operator inside of a transform, and compute with other values."""
        import torch
        from torch.fx.experimental.proxy_tensor import make_fx

        x, other = torch.randn(2, 3), torch.randn(2, 3)
        for name, call in (("vmap", lambda a: torch.vmap(ops.softmax)(a)), ("grad", lambda a: torch.func.grad(lambda a: ops.silu(a).sum())(a)),
                           ("vmap of grad", lambda a: torch.vmap(torch.func.grad(lambda a: ops.sum(ops.tanh(a))))(a))):
            with self.subTest(name):
                torch.testing.assert_close(make_fx(call)(x)(other), call(other))
        dynamic = make_fx(torch.vmap(lambda a: ops.topk(a, 2)[0]), tracing_mode="symbolic")(x)  # its extents are symbols
        torch.testing.assert_close(dynamic(other), other.topk(2)[0])
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(torch.vmap(ops.softmax), fullgraph=True, backend="aot_eager")(x), x.softmax(-1))
        torch.testing.assert_close(torch.func.functionalize(lambda a: ops.softmax(a, 0).add_(1))(x), x.softmax(0) + 1)
        self.assertEqual(torch.vmap(ops.topk, in_dims=(0, None))(x[:0], 2)[1].shape, (0, 2))

    def test_forward_mode_is_refused(self):
        import torch

        x = torch.randn(3)
        for transform in (lambda: torch.func.jvp(ops.silu, (x,), (x,)), lambda: torch.func.linearize(ops.silu, x)):
            with self.assertRaisesRegex(tilelab.UsageError, "operator silu in forward mode has no gradient"):
                transform()

    def test_vmap_and_autocast(self):
        import torch

        x, w = torch.randn(3, 4, 16), torch.randn(5, 16)
        torch.testing.assert_close(torch.vmap(ops.softmax)(x), torch.softmax(x, -1))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = ops.gemm(x.requires_grad_(), w, trans_b=True)
            self.assertEqual((y.dtype, ops.softmax(x).dtype), (torch.bfloat16, torch.float32))
        y.sum().backward()
        torch.testing.assert_close(x.grad, w.bfloat16().float().sum(0).expand(3, 4, 16), atol=2e-2, rtol=2e-2)

    def test_autocast_of_two_dtypes(self):
        """Every operator takes tensors of two dtypes where it needs one: products are narrow, other results wide."""
        import torch

        for name in ops.names():
            operator = getattr(ops, name)
            dtype = "float32" if "float32" in operator.dtypes else operator.dtypes[-1]
            given = tensors(operator, dtype)
            places = [i for i in operator.tensors if operator.names[i] in operator.converted and given[i] is not None and given[i].is_floating_point()]
            for i in places if len(places) > 1 and not operator.mutates and operator.arguments else ():
                with self.subTest(operator=name, argument=operator.names[i]), launch.without_kernels(), torch.autocast("cpu", torch.bfloat16):
                    made = operator(*given[:i], given[i].bfloat16(), *given[i + 1:])
                    made = made[0] if isinstance(made, tuple) else made
                    self.assertEqual(made.dtype, torch.bfloat16 if operator.autocast == "narrow" else torch.float32)
        x = torch.randn(4, 8)
        with torch.autocast("cpu", torch.bfloat16):  # an operator made of others, whose own tensors have one dtype
            torch._dynamo.reset()
            made = torch.compile(ops.mse_loss, fullgraph=True, backend="aot_eager")(x.bfloat16(), x + 1)
            torch.testing.assert_close(made, ops.mse_loss(x.bfloat16(), x + 1))

    def test_autocast_converts_an_activation_once(self):
        """For all projections that take it, until it changes or gradients are recorded no longer."""
        import torch

        x, weights = torch.randn(8, 64, requires_grad=True), [torch.randn(32, 64, requires_grad=True) for _ in range(3)]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            activation = x * 1.5
            results = [ops.linear(activation, w) for w in weights]
            sources = {result.grad_fn.next_functions[0][0] for result in results}
            self.assertEqual([one.name() for one in sources], ["ToCopyBackward0"])
            with torch.no_grad():
                self.assertFalse(ops.linear(activation, weights[0].detach()).requires_grad)
            activation = activation.clone()
            before = ops.linear(activation, weights[0])
            self.assertTrue(torch.equal(ops.linear(activation.mul_(2), weights[0]), before * 2))
            activation.data = activation.data * 2
            self.assertTrue(torch.equal(ops.linear(activation, weights[0]), before * 4))
        sum(result.float().square().sum() for result in results).backward()
        given = x.detach().clone().requires_grad_()
        sum(((given * 1.5).bfloat16().float() @ w.bfloat16().float().T).square().sum() for w in weights).backward()
        self.assertLess((x.grad - given.grad).abs().max() / given.grad.abs().max(), 2e-2)

    def test_autocast_of_activations_without_memory(self):
        """Those of torch.func's transforms, and those that torch.compile traces."""
        import torch

        x, w = torch.randn(3, 8), torch.randn(4, 8)

        def loss(linear):
            return lambda x: linear(x * 1.5, w).float().square().sum()

        with torch.autocast("cpu", torch.bfloat16):
            for transform in (torch.func.grad, lambda f: torch.vmap(torch.func.grad(f))):
                torch.testing.assert_close(transform(loss(ops.linear))(x), transform(loss(torch.nn.functional.linear))(x), atol=0.2, rtol=0.1)
            torch._dynamo.reset()
            made = torch.compile(loss(ops.linear), fullgraph=True, backend="aot_eager")(x.clone().requires_grad_())
        torch.testing.assert_close(made, loss(torch.nn.functional.linear)(x), atol=0.2, rtol=0.05)

    def test_deterministic_algorithms(self):
        """Atomic additions of floats are refused, as torch refuses its own; sums of integers have one result."""
        import torch

        weight, ids = torch.ones(3, 4, requires_grad=True), torch.zeros(2, dtype=torch.int64)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        torch.use_deterministic_algorithms(True)
        loss = ops.embedding(weight, ids).sum()
        for call in (loss.backward, lambda: ops.scatter_add(torch.ones(3), ids, torch.ones(2))):
            with self.assertRaisesRegex(tilelab.UsageError, "adds floats atomically"):
                call()
        self.assertEqual(ops.scatter_add(ids[:1], ids, ids + 1).tolist(), [2])
        torch.use_deterministic_algorithms(True, warn_only=True)
        with self.assertWarnsRegex(UserWarning, "adds floats atomically"):
            ops.embedding(weight, ids).sum().backward()

    def test_routing_in_sixteen_bits(self):
        """The gradient of logits whose largest one has nearly all of the weight."""
        import torch

        torch.manual_seed(0)
        logits, slopes = (torch.randn(40, 4) + torch.tensor([6.0, 0, 0, 0])).bfloat16(), torch.randn(40, 2).bfloat16()
        found = []
        for dtype in (torch.bfloat16, torch.float64):
            x = logits.detach().to(dtype).requires_grad_()
            ops.moe_routing(x, 2)[0].backward(slopes.to(dtype))
            found.append(x.grad.double())
        torch.testing.assert_close(*found, rtol=2e-2, atol=1e-4)

    def test_results_are_changed_in_place(self):
        """As torch's: x = layer(x); x += residual."""
        import torch

        for name, call in (("linear", lambda x: ops.linear(x, torch.ones(4, 8))), ("cumsum", ops.cumsum), ("normalize", ops.normalize)):
            with self.subTest(name):
                x = torch.randn(2, 3, 8, requires_grad=True)
                y = call(x)
                y += 1
                y.sum().backward()
                self.assertEqual(x.grad.shape, x.shape)

    def test_gradient_of_nothing(self):
        """Of empty tensors, and of an argument that has none."""
        import torch

        x, none = torch.ones(1, 3, requires_grad=True), torch.zeros(1, 0, dtype=torch.int64)
        ops.gather(x, none).sum().backward()
        torch.testing.assert_close(x.grad, torch.zeros(1, 3))
        torch.testing.assert_close(ops.scatter_add(x.detach(), none, torch.ones(1, 0)), torch.ones(1, 3))
        rows, weight = torch.ones(3, 0, requires_grad=True), torch.ones(0, 2, requires_grad=True)
        ops.gemm(rows, weight).sum().backward()
        self.assertEqual(rows.grad.shape, (3, 0))
        target = torch.full((1, 2), 0.5, requires_grad=True)
        with self.assertRaisesRegex(Exception, "argument `target`. has no gradient"):
            ops.kl_div(torch.zeros(1, 2, requires_grad=True), target).backward()

    def test_operators_of_a_new_process(self):
        """torch.ops finds them after `import tilelab`; so does torch.export.load."""
        import torch

        from tilelab import nn

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.pt2")
            torch.export.save(torch.export.export(nn.LayerNorm(8), (torch.randn(2, 8),)), path)
            code = f"import tilelab, torch; print(tuple(torch.export.load({path!r}).module()(torch.ones(2, 8)).shape), hasattr(torch.ops.tilelab, 'absent'))"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            self.assertEqual((done.stdout, done.returncode), ("(2, 8) False\n", 0), done.stderr)
        self.assertEqual(str(torch.ops.tilelab.silu_backward), "tilelab.silu_backward")

    def test_operators_are_pickled_by_name(self):
        import copy
        import pickle

        self.assertIs(pickle.loads(pickle.dumps(ops.silu)), ops.silu)
        self.assertIs(copy.deepcopy(ops.relu), ops.relu)

    def test_default_device(self):
        """It is that of tensors without another; results are where the arguments are."""
        import torch

        with torch.device("meta"):
            y = ops.relu(torch.ones(3, device="cpu"))
        torch.testing.assert_close(y, torch.ones(3))

    def test_version_counters(self):
        import torch

        p, g, m, v = (torch.ones(5) for _ in range(4))
        before = p._version
        ops.adamw_step(p, g, m, v, 1)
        self.assertGreater(p._version, before)


if __name__ == "__main__":
    unittest.main()
