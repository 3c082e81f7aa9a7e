#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of tilelab.ops on a GPU, beside torch's: operators.py [--compile] [--no-examples] [--backward] [--table FILE] [NAME...]

First every example of the operator's tests runs on the GPU, with each dtype, and is compared with the specification in float64. Then the
operator runs at the size of a model beside torch's function, eager and with --compile also compiled, whichever is faster. Prints a table:
operator, milliseconds, torch's milliseconds, ratio (above 1: faster than torch), largest difference relative to 1 + |torch's value|. With
--backward a second row of forward and gradient together. Times are the median of the kernels' device time by CUPTI, with an empty L2 cache:
events around a call differ by 3 % between runs of one kernel.

--table writes the rows to a file, of which the pages of the operators are made: bench/operators.tsv."""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "python")]
import support  # noqa: E402,F401
from test_operators import TOLERANCE, Draw, exact, listed  # noqa: E402

from tilelab import ops  # noqa: E402
from tilelab._compiler.dtypes import name_of  # noqa: E402
from tilelab.ops.quantization import nf4  # noqa: E402
from tilelab.profiler import do_bench  # noqa: E402

HALF, FLOAT = torch.float16, torch.float32


def randn(*shape, dtype=HALF):
    return torch.randn(shape, device="cuda", dtype=dtype)


def elementwise(function, positive=False):
    """An operator of one tensor."""
    def make():
        x = randn(8192, 4096)
        return ((x.abs() + 0.25 if positive else x),), {}, function
    return make


def two(function, positive=False):
    def make():
        x, y = randn(8192, 4096), randn(8192, 4096)
        return ((x.abs() + 0.5, y.abs() + 0.5) if positive else (x, y)), {}, function
    return make


def reduced(function, *axis, dtype=HALF):
    return lambda: ((randn(8192, 4096, dtype=dtype), *axis), {}, lambda x, *rest: function(x, *rest))


def attention(**given):
    def make():
        q, k, v = randn(4, 32, 2048, 128), randn(4, 8, 2048, 128), randn(4, 8, 2048, 128)
        return (q, k, v), given, lambda q, k, v, **g: F.scaled_dot_product_attention(q, k, v, enable_gqa=True, **g)
    return make


def decode():
    q, k, v = randn(16, 32, 128), randn(16, 8, 4096, 128), randn(16, 8, 4096, 128)
    lengths = torch.full((16,), 4096, dtype=torch.int32, device="cuda")
    return (q, k, v, lengths), {}, lambda q, k, v, _: F.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]


def rms(x, w, eps=1e-6):
    return F.rms_norm(x, (x.shape[-1],), w, eps)


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    cos, sin = cos[:, None].to(x.dtype), sin[:, None].to(x.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def rotary():
    x, angles = randn(4, 2048, 32, 128), torch.randn(2048, 64, device="cuda")
    return (x, angles.cos(), angles.sin()), {}, rotated


def adamw():
    p, g = randn(4096, 4096, dtype=FLOAT), randn(4096, 4096, dtype=FLOAT)
    m, v = torch.zeros_like(p), torch.zeros_like(p)
    q = torch.nn.Parameter(p.clone())
    q.grad = g.clone()
    fused = torch.optim.AdamW([q], lr=1e-3, fused=True)
    return (p, g, m, v, 1), {}, lambda *_: fused.step()


def grouped():
    x, w = randn(8192, 2048), randn(8, 2048, 2048)
    offsets = torch.arange(0, 8193, 1024, dtype=torch.int32, device="cuda")
    return (x, w, offsets), {}, lambda x, w, _: torch.bmm(x.view(8, 1024, 2048), w).view(8192, 2048)


def eight(*shape):
    return randn(*shape).to(torch.float8_e4m3fn)


def fp8(x):
    scale = x.abs().amax().float() / 448
    return (x / scale).to(torch.float8_e4m3fn), scale.reshape(1)


def fp8_blocks(x):
    groups = x.unflatten(-1, (-1, 128))
    scale = groups.abs().amax(-1, keepdim=True).float() / 448
    return (groups / scale).to(torch.float8_e4m3fn).flatten(-2), scale[..., 0]


def gemm_fp8():
    one = torch.ones(1, device="cuda")
    return (eight(4096, 4096), eight(4096, 4096), one * 0.5, one * 0.25), {}, lambda a, b, sa, sb: torch._scaled_mm(
        a, b.T, scale_a=sa, scale_b=sb, out_dtype=torch.bfloat16)


def gemm_fp8_blocks():
    """Beside the product of the same values in bfloat16."""
    a, b = eight(4096, 4096), eight(4096, 4096)
    sa, sb = torch.rand(4096, 32, device="cuda"), torch.rand(32, 32, device="cuda")
    wide = (a.float() * sa.repeat_interleave(128, 1)).bfloat16(), (b.float() * sb.repeat_interleave(128, 0).repeat_interleave(128, 1)).bfloat16()
    return (a, b, sa, sb), {}, lambda *_: wide[0] @ wide[1].T


def conv2d():
    """Beside cuDNN with channels last, which is the same memory."""
    return (randn(32, 56, 56, 128), randn(128, 3, 3, 128) / 32, 1, 1), {}, lambda x, w, stride, padding: F.conv2d(
        x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), stride=stride, padding=padding).permute(0, 2, 3, 1)


def sliding():
    """Beside attention with a mask; a sink of -1e4 has no weight."""
    q, k, v = randn(4, 32, 2048, 128), randn(4, 8, 2048, 128), randn(4, 8, 2048, 128)
    i = torch.arange(2048, device="cuda")
    mask = (i[:, None] >= i) & (i[:, None] - i < 512)
    return (q, k, v, torch.full((32,), -1e4, device="cuda"), 512), {}, lambda q, k, v, *_: F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, enable_gqa=True)


def varlen():
    """Eight equal sequences, which torch computes as a batch."""
    q, k, v = (randn(8192, heads, 128) for heads in (32, 8, 8))
    starts = torch.arange(0, 8193, 1024, dtype=torch.int32, device="cuda")
    split = lambda x: x.unflatten(0, (8, 1024)).transpose(1, 2)
    return (q, k, v, starts, starts, 1024, True), {}, lambda q, k, v, *_: F.scaled_dot_product_attention(
        *map(split, (q, k, v)), is_causal=True, enable_gqa=True).transpose(1, 2).flatten(0, 1)


def mla():
    """Beside matrix products of torch and its softmax."""
    q, qr, c, cr = randn(32, 128, 512), randn(32, 128, 64), randn(32, 4096, 512), randn(32, 4096, 64)
    lengths = torch.full((32,), 4096, dtype=torch.int32, device="cuda")

    def reference(q, qr, c, cr, _):
        s = torch.baddbmm(q @ c.mT, qr, cr.mT) * 576 ** -0.5
        return s.float().softmax(-1).half() @ c

    return (q, qr, c, cr, lengths), {}, reference


def delta():
    """Beside the same chunks in torch, in float32."""
    B, S, H, D = 4, 4096, 16, 128
    q, k, v = randn(B, S, H, D), F.normalize(randn(B, S, H, D), dim=-1), randn(B, S, H, D)
    g, beta = -torch.rand(B, S, H, device="cuda") / 8, torch.rand(B, S, H, device="cuda")
    one = torch.eye(64, device="cuda")

    def reference(q, k, v, g, beta, state):
        q, k, v, g, beta = (x.transpose(1, 2).float().unflatten(2, (-1, 64)) for x in (q, k, v, g, beta))
        log = g.cumsum(-1)
        decay = (log[..., None] - log[..., None, :]).exp().tril()
        inverse = torch.linalg.solve_triangular((beta[..., None] * (k @ k.mT) * decay).tril(-1) + one, one.expand(*g.shape, 64), upper=False)
        p, decayed, out = q @ k.mT * decay, log.exp()[..., None], []
        last = (log[..., -1:] - log).exp()[..., None]
        for z in range(q.shape[2]):
            u = inverse[:, :, z] @ (beta[:, :, z, :, None] * (v[:, :, z] - decayed[:, :, z] * (k[:, :, z] @ state)))
            out.append((decayed[:, :, z] * (q[:, :, z] @ state) + p[:, :, z] @ u) * D ** -0.5)
            state = decayed[:, :, z, -1:] * state + (k[:, :, z] * last[:, :, z]).mT @ u
        return torch.cat(out, 2).transpose(1, 2), state

    return (q, k, v, g, beta, torch.zeros(B, H, D, D, device="cuda")), {}, reference


def kimi():
    """Beside the same chunks in torch, in float32, whose decays by channel are small enough for one factor of each step."""
    q, k, v, g, beta, state = delta()[0]
    g = -torch.rand_like(k, dtype=FLOAT) / 8

    def reference(q, k, v, g, beta, state):
        q, k, v, g = (x.transpose(1, 2).float().unflatten(2, (-1, 64)) for x in (q, k, v, g))
        beta = beta.transpose(1, 2).unflatten(2, (-1, 64))[..., None]
        log, one = g.cumsum(-2), torch.eye(64, device="cuda")
        ql, kl, inverse_k = q * log.exp() * q.shape[-1] ** -0.5, k * log.exp(), k * (-log).exp()
        inverse = torch.linalg.solve_triangular((beta * (kl @ inverse_k.mT)).tril(-1) + one, one.expand(*q.shape[:3], 64, 64), upper=False)
        p, ends, out = (ql @ inverse_k.mT).tril(), log[..., -1:, :], []
        ke = k * (ends - log).exp()
        for z in range(q.shape[2]):
            u = inverse[:, :, z] @ (beta[:, :, z] * (v[:, :, z] - kl[:, :, z] @ state))
            out.append(ql[:, :, z] @ state + p[:, :, z] @ u)
            state = ends[:, :, z].exp().mT * state + ke[:, :, z].mT @ u
        return torch.cat(out, 2).transpose(1, 2), state

    return (q, k, v, g, beta, state), {}, reference


def native_sparse():
    """Beside the whole attention, which computes something else: the difference says nothing."""
    q, k, v, gates = randn(1, 64, 8192, 128), randn(1, 4, 8192, 128), randn(1, 4, 8192, 128), randn(1, 64, 8192, 3)
    return (q, k, v, gates), {}, lambda q, k, v, _: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def sparse24():
    """Beside the dense product. Weights of a large layer, and rows of a batch that decodes."""
    a, w = randn(64, 8192), randn(8192, 8192) / 64
    values, places = ops.compress_sparse24(w)
    dense = ops.expand_sparse24(values, places)
    return (a, values, places), {}, lambda a, *_: a @ dense.T


def four_bits(quantize, dequantize, *table):
    """Beside the dense product, as sparse24."""
    def make():
        a, w = randn(64, 8192), randn(8192, 8192) / 64
        b, scale = quantize(w)
        dense = dequantize(b, scale, *table, dtype="float16")
        return (a, b, scale), {}, lambda a, *_: a @ dense.T
    return make


def retention():
    """Beside attention without softmax, with the decays as a mask."""
    q, k, v = randn(4, 16, 2048, 128) / 8, randn(4, 16, 2048, 128) / 8, randn(4, 16, 2048, 128)
    decay = -torch.linspace(0.01, 0.5, 16, device="cuda")
    i = torch.arange(2048, device="cuda")
    mask = ((i[:, None] - i) * decay[:, None, None]).exp2().tril().half()
    return (q, k, v, decay), {}, lambda q, k, v, _: (q @ k.mT * mask) @ v


def gated():
    """16 steps, beside the recurrence in torch."""
    q, k, v = randn(16, 16, 16, 128) / 8, randn(16, 16, 16, 128) / 8, randn(16, 16, 16, 128)
    decay, state = torch.rand_like(q), torch.zeros(16, 16, 128, 128, device="cuda")

    def reference(q, k, v, decay, state):
        out = []
        for t in range(q.shape[2]):
            state = state * decay[:, :, t, :, None] + k[:, :, t, :, None] * v[:, :, t, None]
            out.append((q[:, :, t, None].float() @ state)[:, :, 0])
        return torch.stack(out, 2), state

    return (q, k, v, decay, state), {}, reference


def sparse():
    """A quarter of the blocks; beside attention with a mask."""
    q, k, v = (randn(4, 16, 4096, 128) for _ in range(3))
    mask = torch.rand(4, 16, 64, 64, device="cuda") < 0.25
    mask[..., 0] = True
    wide = mask.repeat_interleave(64, 2).repeat_interleave(64, 3)
    return (q, k, v, mask), {}, lambda q, k, v, _: F.scaled_dot_product_attention(q, k, v, attn_mask=wide)


def mamba2():
    """Beside the chunked form of the paper in torch, with chunks of 256."""
    B, S, H, P, N = 8, 4096, 32, 64, 128
    x, b, c, dt = randn(B, S, H, P), randn(B, S, 1, N) / 8, randn(B, S, 1, N) / 8, torch.rand(B, S, H, device="cuda") / 8
    a, state = -torch.rand(H, device="cuda"), torch.zeros(B, H, N, P, device="cuda")

    def reference(x, dt, a, b, c, state):
        x, dt, b, c = (t.unflatten(1, (-1, 256)) for t in (x, dt, b[:, :, 0], c[:, :, 0]))
        log = (dt * a).cumsum(2)
        u = x * dt[..., None].half()
        s = (c @ b.mT)[:, :, None] * (log[:, :, :, None] - log[:, :, None]).permute(0, 1, 4, 2, 3).exp().tril().half()
        y = (s @ u.transpose(2, 3)).transpose(2, 3)
        ends = torch.einsum("bzsn,bzsh,bzshp->bzhnp", b, (log[:, :, -1:] - log).exp().half(), u)
        for z in range(x.shape[1]):
            y[:, z] += torch.einsum("bsn,bhnp,bsh->bshp", c[:, z], state.half(), log[:, z].exp().half())
            state = state * log[:, z, -1].exp()[..., None, None] + ends[:, z]
        return y.flatten(1, 2), state

    return (x, dt, a, b, c, state), {}, reference


MODELS = {
    "relu": elementwise(F.relu), "gelu": elementwise(F.gelu), "gelu_tanh": elementwise(lambda x: F.gelu(x, approximate="tanh")),
    "silu": elementwise(F.silu), "sigmoid": elementwise(torch.sigmoid), "tanh": elementwise(torch.tanh), "softplus": elementwise(F.softplus),
    "leaky_relu": elementwise(F.leaky_relu), "elu": elementwise(F.elu), "mish": elementwise(F.mish), "hardswish": elementwise(F.hardswish),
    "softcap": elementwise(lambda x: 30 * torch.tanh(x / 30)), "exp": elementwise(torch.exp), "log": elementwise(torch.log, True),
    "sqrt": elementwise(torch.sqrt, True), "rsqrt": elementwise(torch.rsqrt, True), "square": elementwise(torch.square),
    "abs": elementwise(torch.abs), "sin": elementwise(torch.sin), "cos": elementwise(torch.cos), "erf": elementwise(torch.erf),
    "clamp": elementwise(lambda x: torch.clamp(x, -1, 1)), "add": two(torch.add), "sub": two(torch.sub), "mul": two(torch.mul),
    "div": two(torch.div, True), "maximum": two(torch.maximum), "minimum": two(torch.minimum), "pow": two(torch.pow, True),
    "swiglu": two(lambda x, y: F.silu(x) * y), "geglu": two(lambda x, y: F.gelu(x) * y),
    "bias_gelu": lambda: ((randn(8192, 4096), randn(4096)), {}, lambda x, b: F.gelu(x + b)),
    "sum": reduced(torch.sum, -1), "mean": reduced(torch.mean, -1), "max": reduced(torch.amax, -1), "min": reduced(torch.amin, -1),
    "norm": reduced(lambda x, a: torch.linalg.vector_norm(x, dim=a), -1), "var": reduced(torch.var, -1), "argmax": reduced(torch.argmax, -1),
    "argmin": reduced(torch.argmin, -1), "cumsum": reduced(torch.cumsum, -1), "sort": reduced(torch.sort, dtype=FLOAT),
    "topk": lambda: ((randn(8192, 64, dtype=FLOAT), 4), {}, torch.topk),
    "rms_norm": lambda: ((randn(8192, 4096), randn(4096)), {}, rms),
    "layer_norm": lambda: ((randn(8192, 4096), randn(4096), randn(4096)), {}, lambda x, w, b: F.layer_norm(x, (4096,), w, b)),
    "add_rms_norm": lambda: ((randn(8192, 4096), randn(8192, 4096), randn(4096)), {}, lambda x, r, w: (rms(x + r, w), x + r)),
    "group_norm": lambda: ((randn(32, 64, 32, 32), 8, randn(64), randn(64)), {}, lambda x, g, w, b: F.group_norm(x, g, w, b)),
    "batch_norm": lambda: ((randn(32, 256, 56, 56), randn(256), randn(256)), {}, lambda x, w, b: F.batch_norm(x, None, None, w, b, True)),
    "normalize": lambda: ((randn(8192, 4096),), {}, lambda x: F.normalize(x, dim=-1)),
    "softmax": reduced(torch.softmax, -1), "log_softmax": reduced(torch.log_softmax, -1),
    "cross_entropy": lambda: ((randn(4096, 32000), torch.randint(0, 32000, (4096,), device="cuda")), {}, F.cross_entropy),
    "mse_loss": two(F.mse_loss), "l1_loss": two(F.l1_loss),
    "gemm": lambda: ((randn(4096, 4096), randn(4096, 4096)), {}, torch.matmul),
    "linear": lambda: ((randn(8192, 4096), randn(4096, 4096), randn(4096)), {}, F.linear),
    "flash_attention": attention(is_causal=True), "attention_decode": decode,
    "embedding": lambda: ((randn(32000, 4096), torch.randint(0, 32000, (8192,), device="cuda")), {}, lambda w, i: F.embedding(i, w)),
    "gather": lambda: ((randn(8192, 4096), torch.randint(0, 4096, (8192, 1024), device="cuda")), {}, lambda x, i: x.gather(-1, i)),
    "quantize_fp8": elementwise(fp8), "quantize_fp8_blocks": elementwise(fp8_blocks), "gemm_fp8": gemm_fp8, "gemm_fp8_blocks": gemm_fp8_blocks,
    "conv2d": conv2d, "sliding_attention": sliding, "attention_varlen": varlen, "mla_decode": mla, "mamba2_scan": mamba2, "gated_delta_rule": delta,
    "kimi_delta_attention": kimi, "native_sparse_attention": native_sparse, "gemm_sparse24": sparse24,
    "gemm_w4a16": four_bits(ops.quantize_int4, ops.dequantize_int4),
    "gemm_w4a16_nf4": lambda: four_bits(ops.quantize_nf4, ops.dequantize_nf4, torch.tensor(nf4.LEVELS, device="cuda"))(),
    "retention": retention, "gated_linear_attention": gated, "block_sparse_attention": sparse, "gemm_split_k": lambda: ((randn(64, 16384), randn(16384, 512)), {}, torch.matmul),
    "rotary": rotary, "adamw_step": adamw, "grouped_gemm": grouped,
}


# Why an operator, or its gradient, takes more than 1.25 times as long as its peer.
REASONS = {
    "gemm_sparse24": "the peer is a dense product with the unpacked weights; weights are unpacked in the kernel, whose product is dense",
    "native_sparse_attention": "the peer is dense causal attention, which computes something else with the whole matrix unit",
    "conv2d": "the gradient of the weight is a product over all positions in parts, whose sums are written and read again",
    "grouped_gemm": "the peer is a batched product of groups that are known to be equal; here their sizes are read on the device, and rows of "
                    "other groups are cleared in the tiles of the weights' gradient",
}


def to_gpu(value):
    if not isinstance(value, np.ndarray):
        return value
    if (name := name_of(value.dtype)) in ("bfloat16", "float8_e4m3fn"):
        return torch.from_numpy(exact(value)).to(getattr(torch, name)).cuda()
    return torch.from_numpy(np.ascontiguousarray(value)).cuda()


def check_examples(name):
    """Runs the examples of the tests on the GPU; returns a list of problems."""
    operator, problems = getattr(ops, name), []
    for dtype in operator.dtypes:
        for n in (1, 2, 3):
            for args, kwargs in operator.example(Draw(dtype, n), n):
                bound = operator.signature.bind(*args, **kwargs)
                bound.apply_defaults()
                given = {k: to_gpu(v) for k, v in bound.arguments.items()}
                expected = operator.spec(**{k: exact(v) for k, v in bound.arguments.items()})
                try:
                    made = operator(**given)
                except Exception as error:
                    problems.append(f"{dtype}, size {n}: {type(error).__name__}: {str(error).strip()[:300]}")
                    continue
                results = tuple(given[k] for k in operator.mutates) if operator.mutates else listed(made)
                for got, wanted in zip(results, listed(expected)):
                    limit = operator.tolerance or max(TOLERANCE.get(str(got.dtype)[6:], 0), TOLERANCE.get(dtype, 0))
                    got = got.double().cpu().numpy()
                    if got.shape != np.shape(wanted) or not np.allclose(got, wanted, rtol=limit, atol=limit):
                        problems.append(f"{dtype}, size {n}: largest difference {np.max(np.abs(got - wanted), initial=0):.3g}")
    return problems


def difference(ours, theirs):
    pairs = [(a, b) for a, b in zip(listed(ours), listed(theirs)) if isinstance(b, torch.Tensor) and b.is_floating_point()]
    return max((((a.float() - b.float()).abs() / (1 + b.float().abs())).max().item() for a, b in pairs), default=0.0)


def milliseconds(call):
    return do_bench(call, backend="cupti", return_mode="median")


def milliseconds_compiled(reference, args, kwargs):
    """By torch.compile; infinity where that fails."""
    made = torch.compile(reference)
    try:
        made(*args, **kwargs)
    except Exception as error:
        print(f"torch.compile: {type(error).__name__}: {str(error).strip()[:100]}")
        return float("inf")
    return milliseconds(lambda: made(*args, **kwargs))


def shown(args):
    """The shapes and dtypes of the tensors."""
    return ", ".join(f"{' x '.join(map(str, a.shape)) or 1} {str(a.dtype)[6:]}" for a in args if isinstance(a, torch.Tensor))


def compare(name, compiled):
    """(tensors, milliseconds, torch's)"""
    args, kwargs, reference = MODELS[name]()
    operator = getattr(ops, name)
    with torch.no_grad():
        wanted = reference(*args, **kwargs)
        got = operator(*args, **kwargs)
        error = difference(got, wanted) if wanted is not None and got is not None else 0.0
        ours = milliseconds(lambda: operator(*args, **kwargs))
        theirs = milliseconds(lambda: reference(*args, **kwargs))
        if compiled and name not in ("adamw_step",):
            theirs = min(theirs, milliseconds_compiled(reference, args, kwargs))
    print(f"{name:20} {ours:9.4f} {theirs:9.4f} {theirs / ours:6.2f} {error:9.2e}", flush=True)
    return shown(args), ours, theirs


def compare_backward(name):
    """Forward and gradient together, of operators that have one: (milliseconds, torch's)"""
    args, kwargs, reference = MODELS[name]()
    leaves = [a.requires_grad_() for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]

    def run(function):
        result = listed(function(*args, **kwargs))[0]
        return torch.autograd.grad(result, leaves, torch.ones_like(result), allow_unused=True)

    operator = getattr(ops, name)
    error = difference(tuple(g for g in run(operator) if g is not None), tuple(g for g in run(reference) if g is not None))
    ours, theirs = (milliseconds(lambda: run(function)) for function in (operator, reference))
    print(f"{name + ' grad':20} {ours:9.4f} {theirs:9.4f} {theirs / ours:6.2f} {error:9.2e}", flush=True)
    return ours, theirs


def write_table(file, rows):
    """Tab-separated values: microseconds of an operator and of torch, forward and with the gradient, which is empty where there is none."""
    text = ["operator\ttensors\ttilelab us\ttorch us\tgradient us\ttorch's us\treason", f"# {torch.cuda.get_device_name()}, torch {torch.__version__}"]
    for name, (tensors, *times) in rows.items():
        text.append("\t".join((name, tensors, *(f"{1000 * ms:.1f}" for ms in times), *[""] * (4 - len(times)), REASONS.get(name, ""))))
    pathlib.Path(file).write_text("\n".join(text) + "\n")


def main(words):
    table = words.pop(words.index("--table") + 1) if "--table" in words else None
    names, rows = [word for word in words if not word.startswith("--")] or ops.names(), {}
    print(torch.cuda.get_device_name(), torch.__version__)
    failed = 0
    if "--no-examples" not in words:
        for name in names:
            problems = check_examples(name)
            failed += bool(problems)
            print(f"{name}: {'; '.join(problems[:3]) if problems else 'agrees'}", flush=True)
    for name in names:
        if name in MODELS:
            try:
                rows[name] = compare(name, "--compile" in words)
                if "--backward" in words and getattr(ops, name).grad:
                    rows[name] += compare_backward(name)
            except Exception as error:
                failed += 1
                print(f"{name:20} {type(error).__name__}: {str(error).strip()[:300]}", flush=True)
    if table:
        write_table(table, rows)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
