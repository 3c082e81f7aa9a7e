# SPDX-License-Identifier: Apache-2.0
"""Optimizers whose step is one kernel per parameter. The state is float32, or float64 for parameters in float64."""

from .. import ops
from .module import Optimizer, torch


def _state(p):
    return torch.zeros_like(p, dtype=torch.float64 if p.dtype == torch.float64 else torch.float32, memory_format=torch.contiguous_format)


class AdamW(Optimizer):
    """AdamW with decoupled weight decay."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def step(self, closure=None):
        loss = None if closure is None else closure()
        with torch.no_grad():
            for group in self.param_groups:
                for p in (p for p in group["params"] if p.grad is not None):
                    state = self.state[p]
                    if not state:
                        state.update(step=0, exp_avg=_state(p), exp_avg_sq=_state(p))
                    state["step"] += 1
                    ops.adamw_step(p, p.grad.contiguous(), state["exp_avg"], state["exp_avg_sq"], state["step"], group["lr"],
                                   *group["betas"], group["eps"], group["weight_decay"])
        return loss


class SGD(Optimizer):
    """Stochastic gradient descent with momentum."""

    def __init__(self, params, lr=1e-3, momentum=0.0, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    def step(self, closure=None):
        loss = None if closure is None else closure()
        with torch.no_grad():
            for group in self.param_groups:
                for p in (p for p in group["params"] if p.grad is not None):
                    state = self.state[p]
                    if not state:
                        state["momentum_buffer"] = _state(p)
                    ops.sgd_step(p, p.grad.contiguous(), state["momentum_buffer"], group["lr"], group["momentum"], group["weight_decay"])
        return loss
