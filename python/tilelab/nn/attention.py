# SPDX-License-Identifier: Apache-2.0
"""Rotary embeddings and self-attention."""

from .. import ops
from .layers import Linear
from .module import Module, check, torch


class RotaryEmbedding(Module):
    """Turns pairs of elements of x (batch, sequence, heads, dim) by angles of their positions."""

    def __init__(self, dim, length, base=10000.0, device=None):
        super().__init__()
        check(dim % 2 == 0, self, "dim", "an even number", f"{dim}", "each angle rotates two elements")
        self.dim, self.base = dim, base
        for name in ("cos", "sin"):
            self.register_buffer(name, torch.empty(length, dim // 2, device=device), persistent=False)
        self.reset_parameters()

    def reset_parameters(self):
        """Computes the tables, for example after Module.to_empty()."""
        device = self.cos.device
        rates = self.base ** (-torch.arange(0, self.dim, 2, device=device).float() / self.dim)
        angles = torch.outer(torch.arange(len(self.cos), device=device).float(), rates)
        with torch.no_grad():
            self.cos.copy_(angles.cos())
            self.sin.copy_(angles.sin())

    def forward(self, x):
        self.expect("x", x, ("batch", "sequence", "heads", "dim"), self.dim)
        return ops.rotary(x, self.cos[:x.shape[1]], self.sin[:x.shape[1]])


class SelfAttention(Module):
    """Causal self-attention of x (batch, sequence, dim) with rotary embeddings; kv_heads < heads share keys and values."""

    def __init__(self, dim, heads, kv_heads=None, length=2048, is_causal=True, device=None, dtype=None):
        super().__init__()
        check(dim % heads == 0, self, "heads", f"a divisor of the dim, {dim},", f"{heads}", "all heads have dim / heads elements")
        check(heads % (kv_heads or heads) == 0, self, "kv_heads", f"a divisor of the heads, {heads},", f"{kv_heads}", "groups of heads share keys")
        self.heads, self.kv_heads, self.head_dim, self.is_causal = heads, kv_heads or heads, dim // heads, is_causal
        kv = self.kv_heads * self.head_dim
        self.q_proj, self.k_proj, self.v_proj = (Linear(dim, n, False, device, dtype) for n in (dim, kv, kv))
        self.o_proj = Linear(dim, dim, False, device, dtype)
        self.rotary = RotaryEmbedding(self.head_dim, length, device=device)

    def forward(self, x):
        self.expect("x", x, ("batch", "sequence", "dim"), self.q_proj.in_features)
        batch, length, dim = x.shape
        q = self.rotary(self.q_proj(x).view(batch, length, self.heads, self.head_dim))
        k = self.rotary(self.k_proj(x).view(batch, length, self.kv_heads, self.head_dim))
        v = self.v_proj(x).view(batch, length, self.kv_heads, self.head_dim)
        o = ops.flash_attention(q, k, v, self.is_causal, layout="bshd")
        return self.o_proj(o.reshape(batch, length, dim))
