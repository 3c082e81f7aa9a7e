# SPDX-License-Identifier: Apache-2.0
"""Layers and optimizers of tilelab in the place of torch's, in a model that somebody else wrote. Skipped without torch."""

import copy
import importlib.util
import io
import pickle
import unittest

import support  # noqa: F401  (the path to the package)

import tilelab

HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch._dynamo") is not None
if HAS_TORCH:
    import torch

    import tilelab.nn as nn


def model_of(layers):
    return torch.nn.Sequential(layers.Linear(8, 16), layers.GELU(), layers.Linear(16, 8), layers.LayerNorm(8))


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Replaced(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.theirs, self.ours, self.x = model_of(torch.nn), model_of(nn), torch.randn(5, 8)
        self.ours.load_state_dict(self.theirs.state_dict())

    def close(self, found, wanted, within=1e-5):
        torch.testing.assert_close(found, wanted, atol=within, rtol=within)

    def both(self, call, within=1e-5):
        self.close(call(self.ours), call(self.theirs), within)

    def test_arguments(self):
        """Layers take the arguments of torch's, are instances of these, and leave to them what no operator has."""
        x, ids = torch.randn(2, 3, 8), torch.tensor([[1, 0], [3, 3]])
        logits, target = torch.randn(5, 7), torch.tensor([1, 2, -100, 4, 0])
        cases = [("Linear", (8, 4), {"bias": False}, x), ("LayerNorm", ((3, 8),), {}, x), ("LayerNorm", (8,), {"bias": False}, x),
                 ("LayerNorm", (8,), {"elementwise_affine": False}, x), ("RMSNorm", ((3, 8), 1e-6), {}, x),
                 ("RMSNorm", (8, 1e-6), {"elementwise_affine": False}, x), ("GroupNorm", (3, 3), {"affine": False}, x),
                 ("Embedding", (10, 4), {"padding_idx": 0}, ids), ("Embedding", (10, 4), {"max_norm": 0.5}, ids), ("ReLU", (True,), {}, x),
                 ("SiLU", (True,), {}, x), ("Softmax", (), {"dim": 1}, x)]
        for name, args, kwargs, given in cases:
            with self.subTest(layer=name, args=args, **kwargs):
                ours, theirs = getattr(nn, name)(*args, **kwargs), getattr(torch.nn, name)(*args, **kwargs)
                ours.load_state_dict(theirs.state_dict())
                self.assertEqual(ours.extra_repr(), theirs.extra_repr())
                self.assertTrue(isinstance(ours, type(theirs)) or name == "RMSNorm")
                pair = [one(given.clone()) for one in (ours, theirs)]
                self.close(*pair)
                if pair[0].requires_grad:
                    for y in pair:
                        y.square().sum().backward()
                    self.close([p.grad for p in ours.parameters()], [p.grad for p in theirs.parameters()])
        for kwargs in ({}, {"label_smoothing": 0.1}, {"reduction": "none"}, {"weight": torch.rand(7)}):
            self.close(nn.CrossEntropyLoss(**kwargs)(logits, target), torch.nn.CrossEntropyLoss(**kwargs)(logits, target))
        wide = torch.randn(2, 7, 3), torch.randint(0, 7, (2, 3))
        self.close(nn.CrossEntropyLoss()(*wide), torch.nn.CrossEntropyLoss()(*wide))

    def test_copies(self):
        file = io.BytesIO()
        torch.save(self.ours, file)
        file.seek(0)
        for one in (copy.deepcopy(self.ours), pickle.loads(pickle.dumps(self.ours)), torch.load(file, weights_only=False)):
            self.close(one(self.x), self.theirs(self.x))

    def test_meta(self):
        """A model on the device "meta" gives shapes, and gets its values later."""
        model = copy.deepcopy(self.ours).to("meta")
        self.assertEqual((model(self.x.to("meta")).device.type, model(self.x.to("meta")).shape), ("meta", (5, 8)))
        model = model.to_empty(device="cpu")
        model.load_state_dict(self.theirs.state_dict())
        self.close(model(self.x), self.theirs(self.x))

    def test_checkpoint(self):
        from torch.utils.checkpoint import checkpoint

        def gradients(model, reentrant):
            x = self.x.clone().requires_grad_()
            checkpoint(model, x, use_reentrant=reentrant).square().sum().backward()
            return x.grad

        for reentrant in (True, False):
            self.both(lambda model, reentrant=reentrant: gradients(model, reentrant), 1e-4)

    def test_functional(self):
        weights = {name: 2 * p.detach() for name, p in self.theirs.named_parameters()}

        def per_sample(model):
            loss = torch.func.grad(lambda p, x: torch.func.functional_call(model, p, (x,)).square().sum())
            return torch.func.vmap(loss, (None, 0))(weights, self.x)

        self.both(per_sample, 1e-4)

    def test_forward_mode(self):
        """A derivative in forward mode is refused; it is not lost."""
        from torch.autograd import forward_ad

        with self.assertRaisesRegex(tilelab.UsageError, "gelu in forward mode"):
            torch.func.jvp(tilelab.ops.gelu, (self.x,), (self.x,))
        with forward_ad.dual_level(), self.assertRaisesRegex(tilelab.UsageError, "gelu in forward mode"):
            tilelab.ops.gelu(forward_ad.make_dual(self.x, self.x))

    def test_tracing(self):
        """torch.fx and torch.jit.trace record operators as they do torch's; an exported batch is dynamic."""
        traced = torch.fx.symbolic_trace(torch.nn.Sequential(nn.Linear(8, 4), nn.SiLU()).requires_grad_(False))
        self.assertIn("tilelab", traced.code)
        traced = torch.jit.trace(self.ours, (self.x,))
        self.close(traced(self.x[1:]), self.theirs(self.x[1:]))
        exported = torch.export.export(self.ours, (self.x,), dynamic_shapes=({0: torch.export.Dim("n", min=2)},))
        x = torch.randn(11, 8)
        self.close(exported.module()(x), self.theirs(x))

    def test_autocast_of_own_layers(self):
        """Layers that torch does not have train in autocast, where the linear layers inside give narrow floats."""
        for layer, x in ((nn.MoE(16, 24, 4), torch.randn(6, 16)), (nn.SelfAttention(32, 2, length=8), torch.randn(1, 8, 32)),
                         (nn.SwiGLU(16, 24), torch.randn(6, 16))):
            with torch.autocast("cpu", torch.bfloat16):
                y = layer(x)
            y.float().square().sum().backward()
            self.close(y.float(), layer(x), within=0.05)
            self.assertTrue(all(p.grad.dtype == torch.float32 and p.grad.isfinite().all() for p in layer.parameters()))

    def test_autocast(self):
        """Norms and sums of tensors of two dtypes, as a layer in sixteen bits gives them beside parameters in float32."""
        with torch.autocast("cpu", torch.bfloat16):
            y = self.ours(self.x)
            self.assertEqual(tilelab.ops.add(self.ours[0](self.x), self.x[:, :1]).dtype, torch.float32)
            compiled = torch.compile(self.ours, fullgraph=True, backend="aot_eager")(self.x)
        self.close(y, self.theirs(self.x), 5e-2)
        self.close(compiled, y, 2e-2)
        y.sum().backward()
        self.assertEqual(self.ours[0].weight.grad.dtype, torch.float32)

    def test_meta_tensors_in_autocast(self):
        with torch.device("meta"), torch.autocast("cpu", torch.bfloat16):
            self.assertEqual(nn.Linear(8, 3)(torch.ones(2, 8)).shape, (2, 3))
            self.assertEqual(nn.LayerNorm(8)(torch.ones(2, 8, dtype=torch.bfloat16)).dtype, torch.bfloat16)

    def test_norms_of_narrow_floats(self):
        """With parameters in float32, outside of autocast."""
        x = torch.randn(3, 8, 5, dtype=torch.bfloat16)
        for name, arguments in (("LayerNorm", ((8, 5),)), ("RMSNorm", (5,)), ("GroupNorm", (2, 8))):
            with self.subTest(name):
                ours, theirs = getattr(nn, name)(*arguments), getattr(torch.nn, name)(*arguments)
                for layer in (ours, theirs):
                    layer(x.requires_grad_()).float().square().sum().backward()
                self.assertEqual((ours(x).dtype, ours.weight.grad.dtype), (torch.bfloat16, torch.float32))
                self.close(ours(x), theirs(x), 5e-2)
                self.close(ours.weight.grad, theirs.weight.grad, 2.0)

    def test_parametrizations(self):
        torch.nn.utils.parametrizations.weight_norm(self.ours[0])
        torch.nn.utils.parametrizations.weight_norm(self.theirs[0])
        self.both(lambda model: model(self.x))

    def test_frozen(self):
        """No kernel computes the gradient of a frozen weight."""
        from tilelab.ops import launch

        counts = []
        for frozen in (False, True):
            for layer in self.ours[:3]:
                layer.requires_grad_(not frozen)
            y = self.ours(self.x.clone().requires_grad_())
            with launch.recording() as kernels:
                y.sum().backward()
            counts.append(len(kernels))
        self.assertEqual(counts[0] - counts[1], 4)  # the products for two weights, and the sums for two biases

    def test_empty(self):
        x = torch.randn(0, 8, requires_grad=True)
        self.ours(x).sum().backward()
        table = nn.Embedding(5, 4)
        table(torch.zeros(0, dtype=torch.long)).sum().backward()
        for p in (*self.ours.parameters(), table.weight):
            self.close(p.grad, torch.zeros_like(p))


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Arguments(unittest.TestCase):
    def test_dtypes(self):
        integers = torch.arange(8).view(1, 8)
        for call, dtype in ((lambda: tilelab.ops.gelu(integers), "int64"), (lambda: tilelab.ops.rms_norm(integers, torch.ones(8)), "int64"),
                            (lambda: tilelab.ops.add(integers + 0j, integers + 0j), "complex64"),
                            (lambda: tilelab.ops.softmax(integers.numpy()), "int64")):
            with self.assertRaisesRegex(tilelab.ArgumentError, f"argument x: a tensor of floats.* expected, got one of {dtype}"):
                call()
        torch.testing.assert_close(tilelab.ops.add(integers, integers), 2 * integers)

    def test_shapes(self):
        x = torch.randn(2, 3)
        for call, message in ((lambda: tilelab.ops.softmax(x, 5), r"axis 5 of a tensor of shape \(2, 3\)"),
                              (lambda: tilelab.ops.sum(x, -3), "axis -3"),
                              (lambda: tilelab.ops.gemm(torch.tensor(1.0), x), r"gemm, argument a: a tensor \(..., M, K\) expected, got one of shape \(\)"),
                              (lambda: tilelab.ops.flash_attention(x, x, x), r"flash_attention, argument q: a tensor \(batch"),
                              (lambda: nn.Linear(4, 2)(x), r"layer Linear, argument x: a tensor \(..., K\) with K = 4 expected, got one of shape \(2, 3\)"),
                              (lambda: nn.LayerNorm(4)(x), "layer LayerNorm, argument x"),
                              (lambda: nn.LayerNorm((2, 4))(x), r"\(2, 3\) does not end with \(2, 4\)")):
            with self.assertRaisesRegex(tilelab.ArgumentError, message):
                call()
        one = torch.tensor(1.5)
        for name in ("softmax", "log_softmax", "sum", "max", "cumsum"):
            ours = getattr(tilelab.ops, name)(one, 0)
            self.assertEqual((ours.shape, float(ours)), ((), {"softmax": 1.0, "log_softmax": 0.0}.get(name, 1.5)))


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Optimizers(unittest.TestCase):
    def test_options(self):
        """torch's options: those of its loops are taken, others are refused."""
        for name, kwargs in (("AdamW", {"foreach": True}), ("AdamW", {"fused": True, "maximize": True}), ("SGD", {"lr": 0.1, "maximize": True})):
            pair = [torch.nn.Parameter(torch.ones(5)) for _ in range(2)]
            for p, library in zip(pair, (nn, torch.optim)):
                p.grad = torch.arange(5.0)
                getattr(library, name)([p], **kwargs).step()
            torch.testing.assert_close(*pair)
        p = torch.nn.Parameter(torch.ones(5))
        for name, kwargs in (("AdamW", {"amsgrad": True}), ("AdamW", {"lr": -1.0}), ("AdamW", {"betas": (1.5, 0.9)}), ("SGD", {"nesterov": True})):
            with self.assertRaisesRegex(tilelab.UsageError, f"{name}, argument {next(iter(kwargs))}: .* expected, got"):
                getattr(nn, name)([p], **kwargs)
            with self.assertRaisesRegex(tilelab.UsageError, f"{name}, argument {next(iter(kwargs))}: .* expected, got"):
                getattr(nn, name)([{"params": [p], **kwargs}])
            loaded, given = getattr(nn, name)([p]), getattr(torch.optim, name)([p], momentum=0.9) if name == "SGD" else torch.optim.AdamW([p])
            given.param_groups[0].update(kwargs)
            with self.assertRaisesRegex(tilelab.UsageError, f"{name}, argument {next(iter(kwargs))}: "):
                loaded.load_state_dict(given.state_dict())
        changed = nn.SGD([p])
        changed.param_groups[0]["nesterov"] = True
        with self.assertRaisesRegex(tilelab.UsageError, "argument nesterov"):
            changed.step()
        p.grad = torch.ones(5).to_sparse()
        with self.assertRaisesRegex(tilelab.UsageError, "dense gradients expected"):
            nn.AdamW([p]).step()

    def test_states(self):
        """A state of torch's continues here and the other way round; moments stay in float32."""
        for first, second in ((torch.optim.AdamW, nn.AdamW), (nn.AdamW, torch.optim.AdamW), (torch.optim.SGD, nn.SGD), (nn.SGD, torch.optim.SGD)):
            p = torch.nn.Parameter(torch.linspace(-1, 1, 6))
            q = copy.deepcopy(p)
            one, other = (kind([p], 1e-2, **({"momentum": 0.9} if "SGD" in kind.__name__ else {})) for kind, p in ((first, p), (second, q)))
            for n in range(4):
                p.grad, q.grad = torch.arange(6.0) - n, torch.arange(6.0) - n
                one.step()
                if n > 1:
                    other.step()
                if n == 1:
                    other.load_state_dict(copy.deepcopy(one.state_dict()))
                    q.data.copy_(p.data)
            torch.testing.assert_close(p, q)
        p = torch.nn.Parameter(torch.ones(4, dtype=torch.bfloat16))
        p.grad = torch.full((4,), 0.37, dtype=torch.bfloat16)
        optimizer, copied = nn.AdamW([p]), nn.AdamW([p])
        optimizer.step()
        copied.load_state_dict(optimizer.state_dict())
        self.assertEqual(copied.state[p]["exp_avg"].dtype, torch.float32)
        torch.testing.assert_close(copied.state[p]["exp_avg"], optimizer.state[p]["exp_avg"], rtol=0, atol=0)

    def test_counts_of_parameters(self):
        """Each parameter of a loaded state has its own count of steps, and the optimizer that it is from keeps its tensors."""
        def run(optimizer, parameters, without=None):
            for step in range(3):
                for p in parameters:
                    p.grad = None if p is without else p.detach().cos() + step
                optimizer.step()

        for first, capturable, late in ((torch.optim.AdamW, False, 0), (torch.optim.AdamW, False, 1), (nn.AdamW, False, 0), (nn.AdamW, True, None), (nn.AdamW, True, 0)):
            for second in (torch.optim.AdamW, nn.AdamW):
                pair = [[torch.nn.Parameter(torch.full((size,), 0.5)) for size in (3, 5)] for _ in range(2)]
                ours, theirs = first(pair[0], 0.1, capturable=capturable), torch.optim.AdamW(pair[1], 0.1)
                for optimizer, parameters in zip((ours, theirs), pair):
                    run(optimizer, parameters, None if late is None else parameters[late])
                state = ours.state_dict()
                state["param_groups"][0]["capturable"] = False  # torch has it on accelerators only
                counts = {index: float(one["step"]) for index, one in state["state"].items()}
                continued = second(pair[0], 0.1)
                continued.load_state_dict(state)
                run(continued, pair[0])
                run(theirs, pair[1])
                torch.testing.assert_close(*pair)
                if second is nn.AdamW:  # torch's counts in the tensors that it loads
                    self.assertEqual({index: float(one["step"]) for index, one in state["state"].items()}, counts)

    def test_float64(self):
        """Its steps have no number in float32."""
        for name, kwargs, own in (("AdamW", {}, {}), ("AdamW", {}, {"capturable": True}), ("SGD", {"momentum": 0.9}, {})):
            pair = [[torch.nn.Parameter(torch.ones(5, dtype=torch.float64)) for _ in range(9)] for _ in range(2)]
            for parameters, library in zip(pair, (nn, torch.optim)):
                optimizer = getattr(library, name)(parameters, lr=0.1, weight_decay=0.3, **kwargs, **(own if library is nn else {}))
                for step in range(3):
                    for p in parameters:
                        p.grad = p.detach().cos() + step
                    optimizer.step()
            torch.testing.assert_close(*pair, rtol=1e-13, atol=1e-13)

    def test_distributed_parameters(self):
        """Parameters of FSDP, of which each process has a part."""
        import torch.distributed as dist
        from torch.distributed.tensor import DTensor, Replicate, init_device_mesh

        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        self.addCleanup(dist.destroy_process_group)
        mesh = init_device_mesh("cpu", (1,))
        p, q = torch.nn.Parameter(DTensor.from_local(torch.ones(5), mesh, [Replicate()])), torch.nn.Parameter(torch.ones(5))
        p.grad, q.grad = DTensor.from_local(torch.arange(5.0), mesh, [Replicate()]), torch.arange(5.0)
        for one in (p, q):
            nn.AdamW([one]).step()
            nn.SGD([one], 0.1).step()
        torch.testing.assert_close(p.detach().to_local(), q.detach())

    def test_closures(self):
        p = torch.nn.Parameter(torch.ones(5))
        for optimizer in (nn.AdamW([p], 0.1), nn.SGD([p], 0.1)):
            def closure():
                p.grad = None
                loss = p.square().sum()
                loss.backward()
                return loss

            with torch.no_grad():
                self.assertGreater(float(optimizer.step(closure)), 0)


if __name__ == "__main__":
    unittest.main()
