# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels with torch's tensors: gradients that end at a kernel, and version counters of the tensors that it writes."""

import sys
import warnings

from .._compiler.kernel_warnings import TilelabWarning


def written_inputs(kernel):
    """The positions of tensors that a call passes and the kernel writes: (of a call that passes the outputs, of one that does not)."""
    params = kernel._raw_params
    inputs = [i for i in range(len(params)) if i not in kernel._outputs]
    return (tuple(i for i, p in enumerate(params) if p["written"]),
            tuple(n for n, i in enumerate(inputs) if params[i]["written"]))


def raise_versions(kernel, values):
    """Raises the version counters of the tensors that a call wrote: a backward pass that saved their old values then reports it."""
    positions = kernel._written_inputs[len(values) != len(kernel._raw_params)]
    torch = sys.modules.get("torch") if positions else None
    if torch is None or not hasattr(getattr(torch, "_C", None), "_autograd"):
        return
    tensors = [values[i] for i in positions if i < len(values) and isinstance(values[i], torch.Tensor) and not values[i].is_inference()]
    if tensors and (raised := getattr(torch.autograd.graph, "increment_version", None)):
        raised(tensors)


def warn_of_lost_gradient(kernel, values):
    """Warns once per kernel if an argument requires a gradient, which the result cannot have."""
    torch = sys.modules.get("torch")
    if torch is None or kernel._warned_gradient or not hasattr(torch, "is_grad_enabled") or not torch.is_grad_enabled():
        return
    if not any(getattr(value, "requires_grad", False) is True for value in values):
        return
    kernel._warned_gradient = True
    names = [p["name"] for i, p in enumerate(kernel._raw_params) if p["shape"] is not None and i not in kernel._outputs]
    outputs = [kernel._raw_params[i]["name"] for i in kernel._outputs] or [p["name"] for p in kernel._raw_params if p["written"]]
    inputs = [name for name in names if name not in outputs]
    arguments = ", ".join([*inputs, *(f"d{name}" for name in outputs)])
    warnings.warn(f"gradient lost: the result of kernel {kernel.name} is not part of the autograd graph, although an argument requires a "
                  f"gradient. Use it under torch.no_grad(), or define its gradient:\n"
                  f"    def backward({arguments}):\n        return {', '.join(f'd{name}' for name in inputs)}\n"
                  f"    {kernel.name} = kernel.as_torch_op(\"my::{kernel.name}\", backward=backward)", TilelabWarning, 4)
