# SPDX-License-Identifier: Apache-2.0
"""A mixture of experts."""

from .. import ops
from .layers import Linear
from .module import Module


class MoE(Module):
    """Each token of x (..., dim) goes to k of `experts` SwiGLU layers, whose results are weighted by the router."""

    def __init__(self, dim, hidden, experts, k=2, device=None, dtype=None):
        super().__init__()
        self.k, given = k, dict(device=device, dtype=dtype)
        self.router = Linear(dim, experts, False, **given)
        self.gate = self.parameter(experts, dim, hidden, std=dim ** -0.5, **given)
        self.up = self.parameter(experts, dim, hidden, std=dim ** -0.5, **given)
        self.down = self.parameter(experts, hidden, dim, std=hidden ** -0.5, **given)

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        return ops.moe_mlp(rows, self.router(rows), self.gate, self.up, self.down, self.k).reshape(x.shape)
