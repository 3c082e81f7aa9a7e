#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""train.py [--size toy|small|base] [--steps N] [--compile] [--graphs]: trains a transformer with the layers of tilelab.nn and with plain torch.

Both models start with the same weights and see the same batches. Prints both losses, their largest difference, and on a GPU the time of a
step for each, also for torch.compile and for a step that is captured as a CUDA graph (--graphs). `toy` runs on the CPU device in float32; `small` and `base` on a GPU, with autocast to bfloat16.

Training amplifies differences of rounding: the step at which a model learns the successors of symbols moves by tens of steps. The scale of
that is the loss of plain torch from weights that are changed by 1e-4 of each, which is printed as well.

The model is a decoder as in nanoGPT, with rotary embeddings, RMSNorm, SwiGLU layers and a mixture of experts in the last block. Its text is
a chain of symbols, each of which has a few likely successors, so that the loss has a known floor."""

import argparse
import functools
import os
import time
from types import SimpleNamespace

SIZES = {
    "toy": dict(vocabulary=64, dim=64, heads=4, blocks=2, hidden=96, experts=4, length=32, batch=4, rate=3e-3),
    "small": dict(vocabulary=4096, dim=512, heads=8, blocks=6, hidden=1408, experts=8, length=512, batch=16, rate=1e-3),
    "base": dict(vocabulary=32768, dim=768, heads=12, blocks=12, hidden=2048, experts=8, length=1024, batch=16, rate=6e-4),
}
SUCCESSORS = 4  # likely symbols after each symbol
CHANGED = "torch, weights changed"


def plain_layers(torch):
    """torch's layers with the names and the parameters of tilelab.nn."""
    F, nn, Linear = torch.nn.functional, torch.nn, torch.nn.Linear

    class RMSNorm(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(dim))

        def forward(self, x):
            return F.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)

    class SwiGLU(nn.Module):
        def __init__(self, dim, hidden):
            super().__init__()
            self.gate_proj, self.up_proj = Linear(dim, hidden, False), Linear(dim, hidden, False)
            self.down_proj = Linear(hidden, dim, False)

        def forward(self, x):
            return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

    class SelfAttention(nn.Module):
        def __init__(self, dim, heads, length):
            super().__init__()
            self.heads = heads
            self.q_proj, self.k_proj, self.v_proj, self.o_proj = (Linear(dim, dim, False) for _ in range(4))
            rates = 10000.0 ** (-torch.arange(0, dim // heads, 2).float() / (dim // heads))
            angles = torch.outer(torch.arange(length).float(), rates)
            self.register_buffer("cos", angles.cos(), persistent=False)
            self.register_buffer("sin", angles.sin(), persistent=False)

        def turned(self, x):
            a, b = x.chunk(2, -1)
            cos, sin = self.cos[:, None].to(x.dtype), self.sin[:, None].to(x.dtype)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

        def forward(self, x):
            q, k, v = (p(x).unflatten(-1, (self.heads, -1)) for p in (self.q_proj, self.k_proj, self.v_proj))
            q, k, v = (y.transpose(1, 2) for y in (self.turned(q), self.turned(k), v))
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.o_proj(o.transpose(1, 2).flatten(2))

    class MoE(nn.Module):
        def __init__(self, dim, hidden, experts, k=2):
            super().__init__()
            self.k, self.router = k, Linear(dim, experts, False)
            self.gate, self.up = (nn.Parameter(torch.empty(experts, dim, hidden)) for _ in range(2))
            self.down = nn.Parameter(torch.empty(experts, hidden, dim))

        def forward(self, x):
            rows = x.flatten(0, -2)
            weights, experts = self.router(rows).float().softmax(-1).topk(self.k)
            weights = (weights / weights.sum(-1, keepdim=True)).to(x.dtype)
            shares = torch.zeros(len(rows), len(self.gate), dtype=x.dtype, device=x.device).scatter(1, experts, weights)
            # every expert sees every row: no size depends on data, which torch.compile needs
            hidden = F.silu(rows @ self.gate) * (rows @ self.up)
            return ((hidden @ self.down) * shares.T[..., None]).sum(0).view_as(x)

    return SimpleNamespace(Linear=Linear, RMSNorm=RMSNorm, SwiGLU=SwiGLU, SelfAttention=SelfAttention, MoE=MoE, Embedding=nn.Embedding,
                           CrossEntropyLoss=nn.CrossEntropyLoss)


def model_of(torch, layers, size):
    """The transformer, of either set of layers."""
    class Block(torch.nn.Module):
        def __init__(self, mixed):
            super().__init__()
            self.before_attention, self.before_mlp = layers.RMSNorm(size.dim), layers.RMSNorm(size.dim)
            self.attention = layers.SelfAttention(size.dim, size.heads, length=size.length)
            self.mlp = layers.MoE(size.dim, size.hidden, size.experts) if mixed else layers.SwiGLU(size.dim, size.hidden)

        def forward(self, x):
            x = x + self.attention(self.before_attention(x))
            return x + self.mlp(self.before_mlp(x))

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = layers.Embedding(size.vocabulary, size.dim)
            self.blocks = torch.nn.ModuleList(Block(n == size.blocks - 1) for n in range(size.blocks))
            self.norm, self.head = layers.RMSNorm(size.dim), layers.Linear(size.dim, size.vocabulary, False)
            self.loss = layers.CrossEntropyLoss()

        def forward(self, ids, targets):
            x = self.embedding(ids)
            for block in self.blocks:
                x = block(x)
            logits = self.head(self.norm(x))
            return self.loss(logits.flatten(0, 1), targets.flatten())

    return Decoder()


class Text:
    """Batches of a random chain of symbols."""

    def __init__(self, torch, size, device):
        self.torch, self.size, self.device = torch, size, device
        self.generator = torch.Generator().manual_seed(1)
        self.successors = torch.randint(0, size.vocabulary, (size.vocabulary, SUCCESSORS), generator=self.generator)

    def batch(self):
        chosen = self.torch.randint(0, SUCCESSORS, (self.size.length + 1, self.size.batch), generator=self.generator)
        ids = [self.torch.randint(0, self.size.vocabulary, (self.size.batch,), generator=self.generator)]
        for one in chosen[1:]:
            ids.append(self.successors[ids[-1], one])
        ids = self.torch.stack(ids, 1).to(self.device)
        return ids[:, :-1].contiguous(), ids[:, 1:].contiguous()


def one_step(model, optimizer, ids, targets, autocast):
    with autocast():
        loss = model(ids, targets)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach()


class Captured:
    """A step as a CUDA graph, captured at its fourth call."""

    def __init__(self, torch, model, optimizer, autocast):
        self.torch, self.step, self.calls, self.graph = torch, lambda *batch: one_step(model, optimizer, *batch, autocast), 0, None

    def __call__(self, ids, targets):
        self.calls += 1
        if self.calls < 4:  # compiles kernels, and allocates the optimizer's state
            stream = self.torch.cuda.Stream()
            stream.wait_stream(self.torch.cuda.current_stream())
            with self.torch.cuda.stream(stream):
                loss = self.step(ids, targets)
            self.torch.cuda.current_stream().wait_stream(stream)
            return loss
        if not self.graph:
            self.batch, self.graph = [ids.clone(), targets.clone()], self.torch.cuda.CUDAGraph()
            with self.torch.cuda.graph(self.graph):
                self.loss = self.step(*self.batch)
        for mine, given in zip(self.batch, (ids, targets)):
            mine.copy_(given)
        self.graph.replay()
        return self.loss.clone()


def trained(torch, step, batches):
    """The losses of the steps, and on a GPU the milliseconds of one in the second half of them."""
    losses, begun = [], None
    for n, (ids, targets) in enumerate(batches):
        if n == len(batches) // 2 and ids.is_cuda:
            torch.cuda.synchronize()
            begun = time.perf_counter()
        losses.append(step(ids, targets))
    if begun is not None:
        torch.cuda.synchronize()
        begun = (time.perf_counter() - begun) / (len(batches) - len(batches) // 2) * 1e3
    return [float(loss) for loss in losses], begun


def run(size_name, steps, compiled=False, graphs=False):
    """({name: losses}, {name: milliseconds of a step or None})"""
    size = SimpleNamespace(**SIZES[size_name])
    if size_name == "toy":
        os.environ.setdefault("TILELANG_DEFAULT_TARGET", "cpu")
    import torch

    from tilelab import nn

    device = "cpu" if size_name == "toy" else "cuda"
    # captured casts of weights would be those of the capture's weights: no cache
    autocast = (lambda: torch.autocast("cuda", torch.bfloat16, cache_enabled=not graphs)) if device == "cuda" else (
        lambda: torch.autocast("cpu", enabled=False))
    torch.manual_seed(0)
    ours = model_of(torch, nn, size)
    with torch.no_grad():
        for weight in (ours.head.weight, ours.embedding.weight):
            weight.normal_(std=0.02)
    text = Text(torch, size, device)
    batches = [text.batch() for _ in range(steps)]
    models = {"tilelab": ours, "torch": model_of(torch, plain_layers(torch), size)}
    if compiled:
        models["torch.compile"] = model_of(torch, plain_layers(torch), size)
    changed = models[CHANGED] = model_of(torch, plain_layers(torch), size)
    for model in models.values():
        model.load_state_dict(ours.state_dict())
    with torch.no_grad():
        for weight in changed.parameters():
            weight.mul_(1 + 1e-4 * torch.randn_like(weight))
    losses, times = {}, {}
    for name, model in models.items():
        model.to(device)
        kind = nn.AdamW if name == "tilelab" else torch.optim.AdamW
        optimizer = kind(model.parameters(), lr=size.rate, weight_decay=0.1, capturable=graphs)
        called = torch.compile(model) if name == "torch.compile" else model
        step = (Captured(torch, called, optimizer, autocast) if graphs else
                functools.partial(one_step, called, optimizer, autocast=autocast))
        losses[name], times[name] = trained(torch, step, batches)
    return losses, times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", choices=SIZES, default="toy")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--graphs", action="store_true")
    options = parser.parse_args()
    losses, times = run(options.size, options.steps, options.compile, options.graphs)
    names = list(losses)
    print("step", *names, sep="; ")
    for n in sorted({*range(0, options.steps, max(1, options.steps // 10)), options.steps - 1}):
        print(n, *(f"{losses[name][n]:.5f}" for name in names))
    for name in ("tilelab", CHANGED):
        print(f"largest difference of {name}:", f"{max(abs(a - b) for a, b in zip(losses[name], losses['torch'])):.2e}")
    for name, one in times.items():
        if one is not None:
            print(f"{name}: {one:.2f} ms a step")


if __name__ == "__main__":
    main()
