# SPDX-License-Identifier: Apache-2.0
"""Rotary embeddings and self-attention."""

from .. import ops
from .layers import Linear
from .module import Module, torch


class RotaryEmbedding(Module):
    """Turns pairs of elements of x (batch, sequence, heads, dim) by angles of their positions."""

    def __init__(self, dim, length, base=10000.0, device=None):
        super().__init__()
        rates = base ** (-torch.arange(0, dim, 2, device=device).float() / dim)
        angles = torch.outer(torch.arange(length, device=device).float(), rates)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x):
        return ops.rotary(x, self.cos[:x.shape[1]], self.sin[:x.shape[1]])


class SelfAttention(Module):
    """Causal self-attention of x (batch, sequence, dim) with rotary embeddings; kv_heads < heads share keys and values."""

    def __init__(self, dim, heads, kv_heads=None, length=2048, is_causal=True, device=None, dtype=None):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.is_causal = heads, kv_heads or heads, dim // heads, is_causal
        kv = self.kv_heads * self.head_dim
        self.q_proj, self.k_proj, self.v_proj = (Linear(dim, n, False, device, dtype) for n in (dim, kv, kv))
        self.o_proj = Linear(dim, dim, False, device, dtype)
        self.rotary = RotaryEmbedding(self.head_dim, length, device=device)

    def forward(self, x):
        batch, length, dim = x.shape
        q = self.rotary(self.q_proj(x).view(batch, length, self.heads, self.head_dim))
        k = self.rotary(self.k_proj(x).view(batch, length, self.kv_heads, self.head_dim))
        v = self.v_proj(x).view(batch, length, self.kv_heads, self.head_dim)
        o = ops.flash_attention(q, k, v, self.is_causal, layout="bshd")
        return self.o_proj(o.reshape(batch, length, dim))
