# SPDX-License-Identifier: Apache-2.0
"""A mixture of experts."""

from .. import ops
from .layers import Linear
from .module import Module, check, torch


class MoE(Module):
    """Each token of x (..., dim) goes to k of `experts` SwiGLU layers, whose results are weighted by the router."""

    def __init__(self, dim, hidden, experts, k=2, device=None, dtype=None):
        super().__init__()
        check(1 <= k <= experts, self, "k", f"a number from 1 to {experts}, the experts,", f"{k}", "a token goes to k different experts")
        self.k, given = k, dict(device=device, dtype=dtype)
        self.router = Linear(dim, experts, False, **given)
        self.gate, self.up = (self.parameter(experts, dim, hidden, std=dim ** -0.5, **given) for _ in range(2))
        self.down = self.parameter(experts, hidden, dim, std=hidden ** -0.5, **given)

    def reset_parameters(self):
        self.router.reset_parameters()
        for weight in (self.gate, self.up, self.down):
            torch.nn.init.normal_(weight, std=weight.shape[1] ** -0.5)

    def forward(self, x):
        self.expect("x", x, ("...", "dim"), self.router.in_features)
        rows = x.reshape(-1, x.shape[-1])
        return ops.moe_mlp(rows, self.router(rows), self.gate, self.up, self.down, self.k).reshape(x.shape)
