# SPDX-License-Identifier: Apache-2.0
"""The base classes of layers: torch's own, where torch is installed."""

import importlib.util

from .._compiler.errors import UsageError
from .._compiler.messages import message
from .._torch.absent import NeedsTorch

torch = None
if importlib.util.find_spec("torch") is not None:
    import torch


def check(good, layer, argument, wanted, got, help):
    """Raises UsageError for an argument of a layer or optimizer unless it is `good`."""
    if not good:
        kind = "optimizer" if isinstance(layer, Optimizer) else "layer"
        raise UsageError(message("operator-argument", f"{kind} {type(layer).__name__}", argument, wanted, got, help=help))


def layer(name):
    """torch's layer of this name as a base: its arguments, parameters, state and representation. A layer of tilelab replaces `forward`, and
    leaves options that no operator has to torch's."""
    return getattr(torch.nn, name) if torch else NeedsTorch


class Module(torch.nn.Module if torch else NeedsTorch):
    """A layer that torch does not have."""

    def parameter(self, *shape, value=None, std=None, device=None, dtype=None):
        """A parameter with equal elements, or normal ones with this standard deviation."""
        made = torch.empty(shape, device=device, dtype=dtype)
        return torch.nn.Parameter(torch.nn.init.normal_(made, std=std) if value is None else torch.nn.init.constant_(made, value))

    def expect(self, name, x, shape, width):
        """Raises UsageError unless x has a shape of these names, of which the last one is `width`; "..." is any number of extents."""
        rank = len(x.shape)
        if (rank != len(shape) and "..." not in shape) or rank == 0 or x.shape[-1] != width:
            check(False, self, name, f"a tensor ({', '.join(shape)}) with {shape[-1]} = {width}", f"one of shape {tuple(x.shape)}",
                  "the width is that of the layer's constructor")


class Optimizer(torch.optim.Optimizer if torch else NeedsTorch):
    """An optimizer whose steps are kernels. The moments have `wide` dtypes whatever that of the parameters is. A parameter group has all of
    torch's options, so that torch's optimizer continues from the state."""

    numbers = unsupported = ()  # options that must not be negative; those of torch's that must be off

    def _check_supported(self, group):
        for option in self.unsupported:
            if group.get(option):
                check(False, self, option, "False or 0", f"{group[option]!r}", f"leave it out, or use torch.optim.{type(self).__name__}")

    def _check_group(self, group):
        """Raises UsageError unless the options of a parameter group, or of a state's, are supported and in range."""
        self._check_supported(group)
        for option in self.numbers:
            value = group[option]
            check(_number(value) and value >= 0, self, option, "a number that is not negative", f"{value!r}", f"pass {option}=0 or more")
        value = group.get("betas", (0, 0))
        good = isinstance(value, (tuple, list)) and len(value) == 2 and all(_number(beta) and 0 <= beta < 1 for beta in value)
        check(good, self, "betas", "two numbers from 0 to 1, without 1,", f"{value!r}", "use betas=(0.9, 0.999)")

    def add_param_group(self, param_group):
        if isinstance(param_group, dict):
            self._check_group({**self.defaults, **param_group})
        super().add_param_group(param_group)

    def step(self, closure=None):
        """Makes a step; `closure` computes the loss and the gradients again, and the loss is the result."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                self._check_supported(group)
                parameters = [p for p in group["params"] if p.grad is not None]
                check(not any(p.grad.is_sparse for p in parameters), self, "params", "dense gradients", "a sparse one",
                      "use torch.nn.Embedding(..., sparse=False)")
                with contiguous(parameters) as dense:
                    self.step_group(group, parameters, dense)
        return loss

    def load_state_dict(self, state_dict):
        """Loads a state of this optimizer or of torch's; the moments stay wide, which torch narrows to the parameters' dtype."""
        for group in state_dict["param_groups"]:
            self._check_group({**self.defaults, **group})
        super().load_state_dict(state_dict)
        for group in self.param_groups:
            group.update({**self.defaults, **group})
        for values, p in zip(_in_order(state_dict), (p for group in self.param_groups for p in group["params"])):
            for name, value in values.items():
                if name != "step" and torch.is_tensor(value) and value.shape == p.shape:
                    self.state[p][name] = value.to(p.device, wide(p)).contiguous()


def _number(value):
    """Whether it is a number, or a tensor of one."""
    return isinstance(value, (int, float)) or torch.is_tensor(value) and value.numel() == 1


def _in_order(state_dict):
    """The state of each parameter, in the order of the groups."""
    return [state_dict["state"].get(index, {}) for group in state_dict["param_groups"] for index in group["params"]]


def wide(p):
    """The dtype of the moments of a parameter."""
    return torch.float64 if p.dtype == torch.float64 else torch.float32


def local(x):
    """The tensor; of a distributed one (FSDP) the part of this process, which has the same memory."""
    return x if type(x) in (torch.Tensor, torch.nn.Parameter) or not hasattr(x, "to_local") else x.to_local()


class contiguous:
    """The parameters, with contiguous copies of those with other strides (channels_last), which get the values of the copies afterwards."""

    def __init__(self, parameters):
        self.parameters = [local(p) for p in parameters]
        self.dense = [p.contiguous() for p in self.parameters]

    def __enter__(self):
        return self.dense

    def __exit__(self, *_):
        for p, copy in zip(self.parameters, self.dense):
            if copy is not p:
                p.copy_(copy)
