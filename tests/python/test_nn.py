# SPDX-License-Identifier: Apache-2.0
"""Layers and optimizers against torch's, and a small transformer that trains like the same model of plain torch. Skipped without torch."""

import copy
import importlib.util
import os
import unittest

import support  # noqa: F401  (the path to the package)

import tilelab

HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch._dynamo") is not None
STEPS = 200 if "TILELAB_LONG" in os.environ else 12


def transformer(layers, dim=32, vocabulary=17, length=24):
    """A model of two blocks, of these layers; its parameters have the same names with every library."""
    import torch

    class Block(torch.nn.Module):
        def __init__(self, experts):
            super().__init__()
            self.norm1, self.attention = layers.RMSNorm(dim), layers.SelfAttention(dim, 2, 1, length)
            self.norm2 = layers.RMSNorm(dim)
            self.mlp = layers.MoE(dim, 48, 4, 2) if experts else layers.SwiGLU(dim, 64)

        def forward(self, x):
            x = x + self.attention(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.blocks = layers.Embedding(vocabulary, dim), torch.nn.Sequential(Block(False), Block(True))
            self.norm, self.head = layers.RMSNorm(dim), layers.Linear(dim, vocabulary, False)

        def forward(self, ids):
            return self.head(self.norm(self.blocks(self.embedding(ids))))

    return Model()


def plain():
    """The layers in plain torch, with the parameters of tilelab.nn."""
    import torch
    import torch.nn.functional as F

    import tilelab.nn as nn

    class RMSNorm(nn.RMSNorm):
        def forward(self, x):
            return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight

    class Linear(nn.Linear):
        def forward(self, x):
            return F.linear(x, self.weight, self.bias)

    class Embedding(nn.Embedding):
        def forward(self, ids):
            return F.embedding(ids, self.weight)

    class SwiGLU(nn.SwiGLU):
        def forward(self, x):
            hidden = F.silu(F.linear(x, self.gate_proj.weight)) * F.linear(x, self.up_proj.weight)
            return F.linear(hidden, self.down_proj.weight)

    class SelfAttention(nn.SelfAttention):
        def turned(self, x):
            cos, sin = (t[:x.shape[1], None] for t in (self.rotary.cos, self.rotary.sin))
            a, b = x.chunk(2, -1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

        def forward(self, x):
            batch, length, dim = x.shape
            q, k, v = (F.linear(x, p.weight).view(batch, length, -1, self.head_dim) for p in (self.q_proj, self.k_proj, self.v_proj))
            q, k = self.turned(q), self.turned(k)
            k, v = (t.repeat_interleave(self.heads // self.kv_heads, 2) for t in (k, v))
            o = F.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=True)
            return F.linear(o.transpose(1, 2).reshape(batch, length, dim), self.o_proj.weight)

    class MoE(nn.MoE):
        def forward(self, x):
            rows = x.reshape(-1, x.shape[-1])
            values, experts = F.linear(rows, self.router.weight).topk(self.k)
            out = 0
            for weight, e in zip(values.softmax(-1).unbind(1), experts.unbind(1)):
                hidden = F.silu(torch.einsum("td,tdf->tf", rows, self.gate[e])) * torch.einsum("td,tdf->tf", rows, self.up[e])
                out = out + weight[:, None] * torch.einsum("tf,tfd->td", hidden, self.down[e])
            return out.reshape(x.shape)

    class Layers:
        pass

    for kind in (RMSNorm, Linear, Embedding, SwiGLU, SelfAttention, MoE):
        setattr(Layers, kind.__name__, kind)
    return Layers


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Layers(unittest.TestCase):
    def test_layers(self):
        import torch

        import tilelab.nn as nn

        x = torch.randn(2, 6, 10)
        for ours, theirs in ((nn.Linear(10, 7), torch.nn.Linear(10, 7)), (nn.LayerNorm(10), torch.nn.LayerNorm(10)),
                             (nn.GroupNorm(3, 6), torch.nn.GroupNorm(3, 6)), (nn.GELU("tanh"), torch.nn.GELU("tanh")),
                             (nn.GELU(), torch.nn.GELU()), (nn.SiLU(), torch.nn.SiLU()), (nn.ReLU(), torch.nn.ReLU()),
                             (nn.Softmax(1), torch.nn.Softmax(1)), (nn.RMSNorm(10), torch.nn.RMSNorm(10, eps=1e-6))):
            ours.load_state_dict(theirs.state_dict())
            torch.testing.assert_close(ours(x), theirs(x), atol=1e-4, rtol=1e-4)
        dropout = nn.Dropout(0.25)
        share = (dropout(torch.ones(20_000)) == 0).float().mean()
        self.assertLess(abs(float(share) - 0.25), 0.02)
        self.assertIs(dropout.eval()(x), x)

    def test_training(self):
        import torch
        import torch.nn.functional as F

        import tilelab.nn as nn

        torch.manual_seed(1)
        ours, theirs = transformer(nn), transformer(plain())
        theirs.load_state_dict(ours.state_dict())
        steps = nn.AdamW(ours.parameters(), 3e-3), torch.optim.AdamW(theirs.parameters(), 3e-3)
        loss_of = nn.CrossEntropyLoss()
        losses = []
        for _ in range(STEPS):
            start = torch.randint(0, 17, (4, 1))
            text = (start + 3 * torch.arange(21)) % 17
            pair = (loss_of(ours(text[:, :-1]), text[:, 1:]),
                    F.cross_entropy(theirs(text[:, :-1]).reshape(-1, 17), text[:, 1:].reshape(-1)))
            losses.append([float(one.detach()) for one in pair])
            for one, step in zip(pair, steps):
                step.zero_grad()
                one.backward()
                step.step()
        for ours, theirs in losses[:12]:
            self.assertLess(abs(ours - theirs), 1e-3 * theirs)
        self.assertLess(losses[-1][0], 0.6 * losses[0][0] if STEPS < 100 else 0.1)

    def test_capturable(self):
        """The steps counted on the device are those counted on the host, and the state can be saved and loaded."""
        import torch

        import tilelab.nn as nn

        torch.manual_seed(3)
        one, other, third = (torch.nn.ParameterList([torch.ones(5, 3), torch.ones(7)]) for _ in range(3))
        steps = [nn.AdamW(p, 1e-2, capturable=c) for p, c in ((one, False), (other, True))]
        for n in range(6):
            if n == 3:
                steps.append(nn.AdamW(third, 1e-2, capturable=True))
                steps[2].load_state_dict(copy.deepcopy(steps[1].state_dict()))  # which are its own tensors
                third.load_state_dict(other.state_dict())
            drawn = [torch.randn_like(p) for p in one]
            for parameters, step in zip((one, other, third), steps):
                for p, grad in zip(parameters, drawn):
                    p.grad = grad.clone()
                step.step()
        for p, q, r in zip(one, other, third):
            torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-7)
            torch.testing.assert_close(q, r, rtol=0, atol=0)

    def test_state_of_the_other_kind(self):
        """A state with one count for all parameters continues with a count for each, and the other way round."""
        import torch

        import tilelab.nn as nn

        for before in (False, True):
            torch.manual_seed(5)
            ours, theirs = (torch.nn.ParameterList([torch.ones(5, 3), torch.ones(7), torch.ones(2)]) for _ in range(2))
            step, reference = nn.AdamW(ours, 1e-2, capturable=before), torch.optim.AdamW(theirs, 1e-2)
            for n in range(6):
                if n == 3:
                    state = copy.deepcopy(step.state_dict())
                    state["param_groups"][0]["capturable"] = not before
                    step = nn.AdamW(ours, 1e-2)
                    step.load_state_dict(state)
                for p, q in zip(ours, theirs):
                    p.grad = torch.randn_like(p)
                    q.grad = p.grad.clone()
                step.step()
                reference.step()
            for p, q in zip(ours, theirs):
                torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-7)
            self.assertEqual(float(step.state[ours[0]]["step"]), 6)

    def test_strided_parameters(self):
        """A transposed parameter and one with channels last are stepped in place."""
        import torch

        import tilelab.nn as nn

        start = torch.randn(4, 3).t(), torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
        for ours, theirs in ((nn.AdamW, torch.optim.AdamW), (nn.SGD, torch.optim.SGD)):
            pairs = [[torch.nn.Parameter(x.clone()) for x in start] for _ in range(2)]
            for parameters, kind in zip(pairs, (ours, theirs)):
                for p in parameters:
                    p.grad = p.detach().cos()
                kind(parameters, lr=0.1, weight_decay=0.01).step()
            for p, q in zip(*pairs):
                self.assertEqual(p.stride(), q.stride())
                torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-6)
        with self.assertRaisesRegex(tilelab.ArgumentError, "not contiguous"):
            tilelab.ops.sgd_step(start[0], torch.zeros(3, 4), torch.zeros(3, 4), 0.1)

    def test_lists(self):
        """Eight parameters are one launch, unless it is captured. Each has as many steps as it had gradients, and its version is raised."""
        import torch

        import tilelab.nn as nn
        from tilelab.ops import launch

        torch.manual_seed(4)
        for captured in (False, True):
            ours, theirs = ([torch.nn.Parameter(torch.full((5 * n,), 1.0 + n)) for n in range(11)] for _ in range(2))
            steps = nn.AdamW(ours, 1e-2, capturable=captured), torch.optim.AdamW(theirs, 1e-2)
            versions = [p._version for p in ours]
            for step in range(3):
                for n, (p, q) in enumerate(zip(ours, theirs)):
                    p.grad = None if n == 1 and step == 0 and not captured else torch.randn_like(p)
                    q.grad = None if p.grad is None else p.grad.clone()
                with launch.recording() as kernels:
                    steps[0].step()
                steps[1].step()
            self.assertEqual(len(kernels), 11 if captured else 4)  # of eight tensors, of two single ones, and of the empty one
            for p, q, version in zip(ours, theirs, versions):
                torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-6)
                self.assertGreater(p._version, version)

    def test_whole_model_compiles(self):
        import torch

        import tilelab.nn as nn

        torch.manual_seed(2)
        model, ids = transformer(nn), torch.randint(0, 17, (2, 20))
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        loss_of = nn.CrossEntropyLoss()
        loss_of(compiled(ids), ids).backward()
        found = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        loss_of(model(ids), ids).backward()
        for a, p in zip(found, model.parameters()):
            torch.testing.assert_close(a, p.grad, atol=1e-4, rtol=1e-3)


@unittest.skipUnless(HAS_TORCH, "needs torch")
class AsTorchs(unittest.TestCase):
    """What programs do with torch's layers."""

    def test_classes_are_dimension_1(self):
        import torch

        logits, target = torch.randn(2, 5, 5, 3), torch.randint(0, 5, (2, 5, 3))
        torch.testing.assert_close(tilelab.nn.CrossEntropyLoss()(logits, target), torch.nn.CrossEntropyLoss()(logits, target))
        rows, ids = torch.randn(2, 4, 7), torch.randint(0, 7, (2, 4))
        torch.testing.assert_close(tilelab.nn.CrossEntropyLoss()(rows, ids), torch.nn.CrossEntropyLoss()(rows.flatten(0, 1), ids.flatten()))

    def test_argument_by_name(self):
        import torch

        x = torch.randn(3, 8)
        for layer in (tilelab.nn.Linear(8, 4), tilelab.nn.LayerNorm(8), tilelab.nn.GELU(), tilelab.nn.Softmax()):
            torch.testing.assert_close(layer(input=x), layer(x))

    def test_dropout_in_a_whole_graph(self):
        import torch

        model = torch.nn.Sequential(tilelab.nn.Linear(8, 8), tilelab.nn.Dropout(0.5)).train()
        y = torch.compile(model, fullgraph=True, backend="aot_eager")(torch.randn(40, 8))
        self.assertTrue(0 < (y == 0).sum() < y.numel())


if __name__ == "__main__":
    unittest.main()
