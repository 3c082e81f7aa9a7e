# SPDX-License-Identifier: Apache-2.0
"""Models as users bring them, made of torch.nn, with tilelab's layers in place of torch's: an image transformer, a decoder with shared
embeddings, a mixture of experts that selects rows. Skipped without torch; with TILELAB_LONG also compiled and exported."""

import copy
import importlib.util
import io
import math
import os
import unittest

import support  # noqa: F401  (the path to the package)

HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch._dynamo") is not None
LONG = "TILELAB_LONG" in os.environ
if HAS_TORCH:
    import torch
    import torch.nn.functional as F

    import tilelab.nn


class Layers:
    """torch.nn, with tilelab's layers where there are some."""

    def __init__(self, ours):
        self.ours = ours

    def __getattr__(self, name):
        return getattr(tilelab.nn if self.ours and name in tilelab.nn.__all__ else torch.nn, name)


def image_transformer(nn, dim=16):
    """Patches by a convolution, a class token, projections of q, k and v in one layer, a scale for each layer."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(dim, eps=1e-6), nn.LayerNorm(dim, eps=1e-6)
            self.qkv, self.proj, self.gamma = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim), nn.Parameter(torch.full((dim,), 0.1))
            self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Dropout(0.0), nn.Linear(4 * dim, dim))

        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4).unbind(0)
            attention = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
            x = x + self.gamma * self.proj((attention @ v).transpose(1, 2).flatten(2))
            return x + self.mlp(self.norm2(x))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches, self.token = nn.Conv2d(3, dim, 4, 4), nn.Parameter(torch.zeros(1, 1, dim))
            self.blocks, self.norm, self.head = nn.Sequential(Block()), nn.LayerNorm(dim), nn.Linear(dim, 10)
            self.apply(self.init)

        def init(self, module):
            if isinstance(module, torch.nn.Linear):
                nn.init.trunc_normal_(module.weight, std=0.02)

        def forward(self, images):
            x = self.patches(images).flatten(2).mT
            x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
            return self.head(self.norm(self.blocks(x))[:, 0])

    target = torch.tensor([1, 2, 3])
    return Model(), torch.randn(3, 3, 8, 8), lambda y: nn.CrossEntropyLoss(label_smoothing=0.1)(y, target)


def decoder(nn, dim=16, words=30):
    """Rotary embeddings of halves, two query heads for each key head, the embedding as the last layer, targets that do not count."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(dim, eps=1e-5), nn.RMSNorm(dim, eps=1e-5)
            self.q, self.k, self.v, self.o = (nn.Linear(dim, n, bias=False) for n in (dim, dim // 2, dim // 2, dim))
            self.gate, self.up, self.down = nn.Linear(dim, 24, False), nn.Linear(dim, 24, False), nn.Linear(24, dim, False)
            self.act = nn.SiLU()

        def forward(self, x, cos, sin, mask):
            h = self.norm1(x)
            q, k, v = (p(h).unflatten(-1, (-1, dim // 4)).transpose(1, 2) for p in (self.q, self.k, self.v))
            q, k = (t * cos + torch.cat((-t.chunk(2, -1)[1], t.chunk(2, -1)[0]), -1) * sin for t in (q, k))
            k, v = (t.repeat_interleave(2, 1) for t in (k, v))
            weights = F.softmax(q @ k.mT / 2 + mask, -1, dtype=torch.float32).to(q.dtype)
            x = x + self.o((weights @ v).transpose(1, 2).flatten(2))
            h = self.norm2(x)
            return x + self.down(self.act(self.gate(h)) * self.up(h))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.blocks, self.norm = nn.Embedding(words, dim, padding_idx=0), nn.ModuleList([Block()]), nn.RMSNorm(dim, eps=1e-5)
            self.head = nn.Linear(dim, words, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, ids):
            angles = torch.outer(torch.arange(ids.shape[1]).float(), torch.tensor([1.0, 0.01])).repeat(1, 2)
            mask = torch.full((ids.shape[1],) * 2, float("-inf")).triu(1)
            x = self.embedding(ids)
            for block in self.blocks:
                x = block(x, angles.cos().to(x.dtype), angles.sin().to(x.dtype), mask.to(x.dtype))
            return self.head(self.norm(x)).float()

    ids = torch.randint(0, words, (2, 7))
    target = torch.where(ids == 3, -100, ids)
    return Model(), ids, lambda y: nn.CrossEntropyLoss()(y[:, :-1].reshape(-1, words), target[:, 1:].reshape(-1))


def experts(nn, dim=16):
    """Each expert gets the rows that chose it, whose number depends on the data: none, for some."""
    class Expert(nn.Module):
        def __init__(self):
            super().__init__()
            self.w1, self.w2, self.w3 = nn.Linear(dim, 24, False), nn.Linear(24, dim, False), nn.Linear(dim, 24, False)

        def forward(self, x):
            return self.w2(F.silu(self.w1(x)) * self.w3(x))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.router, self.experts = nn.RMSNorm(dim, eps=1e-5), nn.Linear(dim, 9, False), nn.ModuleList(Expert() for _ in range(9))
            self.out = nn.Sequential(nn.GroupNorm(4, dim), nn.ReLU(inplace=True))

        def forward(self, x):
            rows = self.norm(x).flatten(0, 1)
            weights, chosen = F.softmax(self.router(rows), 1, dtype=torch.float).topk(2, -1)
            y = torch.zeros_like(rows)
            for e, expert in enumerate(self.experts):
                row, place = torch.where(chosen == e)
                y.index_add_(0, row, (expert(rows[row]) * weights[row, place, None]).to(y.dtype))
            return self.out((x + y.view_as(x)).mT)

    return Model(), torch.randn(2, 3, dim), lambda y: y.float().square().mean()


MODELS = (image_transformer, decoder, experts)


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Models(unittest.TestCase):
    def pairs(self):
        """(name, model, model of torch, input, loss, loss of torch), with equal parameters."""
        for build in MODELS:
            torch.manual_seed(1)
            ours, x, loss = build(Layers(True))
            torch.manual_seed(1)
            theirs, x, their_loss = build(Layers(False))
            theirs.load_state_dict(ours.state_dict())
            ours.load_state_dict(theirs.state_dict())
            yield build.__name__, ours, theirs, x, loss, their_loss

    def close(self, found, wanted, within=2e-4):
        torch.testing.assert_close(found, wanted, atol=within, rtol=within)

    def test_training(self):
        """Two steps with groups of parameters, a schedule and clipped gradients; the state continues in torch's model and optimizer."""
        def optimizer(kind, model):
            wide, narrow = ([p for p in model.parameters() if (p.dim() > 1) == flag] for flag in (True, False))
            return kind([{"params": wide, "weight_decay": 0.1}, {"params": narrow, "weight_decay": 0.0}], lr=1e-2, betas=(0.9, 0.95), eps=1e-2)

        for name, *models, x, loss, their_loss in self.pairs():
            with self.subTest(name):
                self.close(models[0](x), models[1](x))
                kinds, losses = (tilelab.nn.AdamW, torch.optim.AdamW), (loss, their_loss)
                optimizers = [optimizer(kind, model) for kind, model in zip(kinds, models)]
                for model, steps, loss_of in zip(models, optimizers, losses):
                    rates = torch.optim.lr_scheduler.CosineAnnealingLR(steps, 10)
                    for _ in range(2):
                        steps.zero_grad()
                        loss_of(model(x)).backward()
                        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                        steps.step()
                        rates.step()
                self.close(dict(models[0].named_parameters()), dict(models[1].named_parameters()))
                saved = io.BytesIO()
                torch.save((models[0].state_dict(), optimizers[0].state_dict()), saved)
                saved.seek(0)
                for part, state in zip((models[1], optimizers[1]), torch.load(saved, weights_only=True)):
                    part.load_state_dict(state)
                for model, steps, loss_of in zip(models, optimizers, losses):
                    steps.zero_grad()
                    loss_of(model(x)).backward()
                    steps.step()
                self.close(dict(models[0].named_parameters()), dict(models[1].named_parameters()))

    def test_narrow_floats(self):
        for name, ours, theirs, x, loss, _ in self.pairs():
            with self.subTest(name):
                with torch.autocast("cpu", torch.bfloat16):
                    value, wanted = loss(ours(x)), loss(theirs(x))
                value.backward()
                self.close(value, wanted, within=0.05)
                self.assertTrue(all(p.grad is None or p.grad.isfinite().all() for p in ours.parameters()))
                narrow = x.bfloat16() if x.is_floating_point() else x
                self.close(ours.bfloat16()(narrow), theirs.bfloat16()(narrow), within=0.1)

    @unittest.skipUnless(LONG, "with TILELAB_LONG")
    def test_compiled_and_exported(self):
        for name, ours, _, x, loss, _ in self.pairs():
            with self.subTest(name):
                torch._dynamo.reset()
                whole = name != "experts"  # whose shapes depend on the data
                compiled, other = torch.compile(copy.deepcopy(ours), backend="aot_eager", fullgraph=whole), copy.deepcopy(ours)
                for model in (compiled, other):
                    loss(model(x)).backward()
                self.close([p.grad for p in compiled.parameters()], [p.grad for p in other.parameters()])
                if whole:
                    exported = torch.export.export(ours.eval(), (x,), dynamic_shapes=({0: torch.export.Dim("batch", min=2, max=64)},))
                    self.close(exported.module()(torch.cat([x, x])), ours(torch.cat([x, x])))


if __name__ == "__main__":
    unittest.main()
