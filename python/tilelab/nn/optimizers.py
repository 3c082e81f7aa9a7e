# SPDX-License-Identifier: Apache-2.0
"""Optimizers whose step is one kernel for each parameter, or for several parameters. The state is float32, or float64 for parameters in float64."""

from .. import ops
from ..ops.optimizers.adamw_list import adamw_list
from ..ops.optimizers.adamw_step import adamw_step_captured
from .module import Optimizer, local, torch, wide


def _state(p):
    return torch.zeros_like(p, dtype=wide(p), memory_format=torch.contiguous_format)


def _gradient(p, group):
    grad = local(p.grad)
    return grad.neg().contiguous() if group.get("maximize") else grad.contiguous()


class AdamW(Optimizer):
    """AdamW with decoupled weight decay. capturable: the steps are counted on the device, so that torch.cuda.graph can capture step(), as
    in torch.optim.AdamW; every parameter of a group then has taken the same number of steps."""

    numbers, unsupported = ("lr", "eps", "weight_decay"), ("amsgrad", "differentiable")

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01, capturable=False, *, amsgrad=False, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        """The arguments of torch.optim.AdamW. Steps are fused with any value of `foreach` and `fused`."""
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, capturable=capturable, maximize=maximize,
                                      amsgrad=amsgrad, foreach=foreach, differentiable=differentiable, fused=fused, decoupled_weight_decay=True))

    def state_dict(self):
        """The state, where each parameter has a separate count of steps, as in torch's."""
        made = super().state_dict()
        for group in made["param_groups"]:
            count = made["state"].get(group["params"][0], {}).get("step")
            if torch.is_tensor(count):
                for index in set(group["params"]) & set(made["state"]):
                    own = made["state"].pop(index)
                    if "exp_avg" in own:  # the first parameter has the count without moments, if it had no gradient
                        made["state"][index] = {**own, "step": count.reshape(()).clone()}
        return made

    def load_state_dict(self, state_dict):
        super().load_state_dict(state_dict)
        for group in self.param_groups:
            states = [self.state[p] for p in group["params"] if p in self.state]
            common = self.state.get(group["params"][0], {}).get("step")  # in a capturable state of an earlier release
            for state in states:
                count = state.pop("step", common)
                if "exp_avg" in state:
                    state["step"] = int(count)

    def step_group(self, group, parameters, dense):
        settings = (group["lr"], *group["betas"], group["eps"], group["weight_decay"])
        captured = self._corrections(group, parameters) if group["capturable"] and parameters else None
        if not group["capturable"]:
            self._count_alone(group)
        by_step = {}  # number of the step: its tensors
        for p, values in zip(parameters, dense):
            state = self.state[p]
            if "exp_avg" not in state:
                state.update(exp_avg=_state(p), exp_avg_sq=_state(p), **({} if captured else {"step": 0}))
            if not captured:
                state["step"] += 1
            by_step.setdefault(0 if captured else state["step"], []).append(
                (values, _gradient(p, group), local(state["exp_avg"]), local(state["exp_avg_sq"])))
        for step, entries in by_step.items():
            if captured:
                counted = {dtype: [one.to(dtype) for one in captured] for dtype in {m.dtype for _, _, m, _ in entries}}
                for entry in entries:
                    adamw_step_captured(*entry, *counted[entry[2].dtype], *settings)
                continue
            corrections = [1 / (1 - beta**step) for beta in group["betas"]]
            for entry in entries if torch.compiler.is_compiling() else adamw_list(entries, corrections, *settings):
                ops.adamw_step(*entry, step, *settings)

    def _corrections(self, group, parameters):
        """Counts a step; 1 / (1 - b^t) of both betas, (1,) float64 each. The count is state of the group's first parameter: a tensor."""
        state = self.state[group["params"][0]]
        if not torch.is_tensor(state.get("step")):  # the first step, or one after those of a state that was not capturable
            counts = [self.state[p].pop("step", 0) for p in group["params"] if p in self.state]
            state["step"] = torch.full((1,), float(max(counts, default=0)), device=parameters[0].device)
        state["step"] += 1
        return [1 / (1 - beta ** state["step"].double()) for beta in group["betas"]]

    def _count_alone(self, group):
        """Gives each parameter its own count, where they have a common one: in a state that was capturable."""
        first = group["params"][0]
        if first in self.state and torch.is_tensor(self.state[first].get("step")):
            count = int(self.state[first].pop("step"))
            for p in group["params"]:
                if "exp_avg" in self.state.get(p, ()):
                    self.state[p]["step"] = count


class SGD(Optimizer):
    """Stochastic gradient descent with momentum."""

    numbers, unsupported = ("lr", "momentum", "weight_decay"), ("dampening", "nesterov", "differentiable")

    def __init__(self, params, lr=1e-3, momentum=0.0, weight_decay=0.0, *, dampening=0, nesterov=False, maximize=False, foreach=None,
                 differentiable=False, fused=None):
        """Most arguments of torch.optim.SGD. Steps are fused with any value of `foreach` and `fused`."""
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay, dampening=dampening, nesterov=nesterov,
                                      maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused))

    def step_group(self, group, parameters, dense):
        for p, values in zip(parameters, dense):
            state = self.state[p]
            if not torch.is_tensor(state.get("momentum_buffer")):
                state["momentum_buffer"] = _state(p)
            ops.sgd_step(values, _gradient(p, group), local(state["momentum_buffer"]), group["lr"], group["momentum"], group["weight_decay"])
