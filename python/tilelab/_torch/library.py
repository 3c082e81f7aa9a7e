# SPDX-License-Identifier: Apache-2.0
"""Defines operators of torch.library: one mechanism for the operators of tilelab.ops and for `kernel.as_torch_op`."""

import types

from .._compiler.errors import UsageError
from .._compiler.messages import message
from . import namespace


class Saved(types.SimpleNamespace):
    """What a gradient gets: saved tensors and all other arguments by name, results as `result` or `result0`, `result1`, ..."""

    def needs(self, name):
        """Whether the gradient of this argument is wanted, which was given."""
        return getattr(self, name, 0) is not None if self.wanted is None else name in self.wanted


def named_results(results):
    """{"result": first, "result0": first, "result1": second, ...}"""
    listed = results if isinstance(results, tuple) else (results,)
    return {"result": listed[0], **{f"result{i}": one for i, one in enumerate(listed)}}


def _place(name, parameters):
    """(True, index of the parameter) or (False, index of the result) of a name that a gradient saves."""
    return (True, parameters.index(name)) if name in parameters else (False, int(name.removeprefix("result") or 0))


def saved_of(names, given, results, wanted=None):
    """The Saved of a call without autograd: `given` are its arguments by name."""
    return Saved(wanted=wanted, **given, **{k: v for k, v in named_results(results).items() if k in names})


def gradients(gradient, saved, parameters, results):
    """The gradients of all parameters, None where a parameter has none. A single tensor belongs to the first parameter."""
    made = gradient(saved, *results)
    if not isinstance(made, dict):
        made = {parameters[0]: made}
    return tuple(made.get(name) for name in parameters)


def raise_versions(tensors):
    """Raises the version counters of tensors that a kernel wrote: a gradient that saved their old values reports it."""
    import torch

    written = [t for t in tensors if isinstance(t, torch.Tensor) and not t.is_inference()]
    if hasattr(torch.autograd.graph, "increment_version"):
        torch.autograd.graph.increment_version(written)


def _autograd(torch, name, gradient, saves, parameters, public):
    """(setup_context, backward) of torch.library for a gradient function of the operator `name`."""
    places = [_place(name, parameters) for name in saves]

    def setup_context(ctx, inputs, output):
        listed = output if isinstance(output, tuple) else (output,)
        kept = [inputs[i] if given else listed[i] for given, i in places]
        ctx.save_for_backward(*(one if isinstance(one, torch.Tensor) else None for one in kept))
        ctx.plain = {name: value for name, value in zip(parameters, inputs) if not isinstance(value, torch.Tensor)}
        if len(listed) > public:
            ctx.mark_non_differentiable(*listed[public:])

    def backward(ctx, *results):
        wanted = [name for name, needed in zip(parameters, ctx.needs_input_grad) if needed]
        saved = Saved(wanted=wanted, **{name: one for name, one in zip(saves, ctx.saved_tensors) if one is not None}, **ctx.plain)
        made = gradients(gradient, saved, parameters, [r.contiguous() for r in results[:public]])
        for parameter, one in zip(parameters, made):
            if one is None and parameter in wanted:
                no_gradient(name, f" (argument `{parameter}`)")()
        return tuple([one if parameter in wanted else None for parameter, one in zip(parameters, made)])

    return setup_context, backward


def _function(torch, name, **methods):
    """An operator as a function of torch.autograd, of these methods."""
    methods["jvp"] = no_tangent(name)
    return type(name.rpartition("::")[2], (torch.autograd.Function,), {name: staticmethod(one) for name, one in methods.items()}).apply


def _whole(x):
    """The tensor, not as a view: torch allows no operator in place on a view that a function of autograd returns."""
    return x.new_empty(0).set_(x) if x._is_view() else x


def recorded(function, gradient, saves, parameters, public):
    """The function of positional arguments as autograd records it, at half of the cost of the operator that define() makes. The
    arguments are those of define()."""
    import torch

    setup_context, backward = _autograd(torch, function.__name__, gradient, tuple(saves), parameters, public)

    def forward(ctx, *values):  # torch reads the signature in each call where a class has a separate setup_context
        made = function(*values)
        made = tuple(_whole(one) for one in made) if isinstance(made, tuple) else _whole(made)
        setup_context(ctx, values, made)
        return made

    return _function(torch, function.__name__, forward=forward, backward=backward)


def _transformed(torch, name, overload, setup_context, backward):
    """The function for grad, jacrev, vmap and the other transforms of torch.func, for which torch's own operators have no gradients. Inside
    of all transforms it calls the operator, so that modes such as that of make_fx see it."""
    from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter as current

    made = _function(torch, name, forward=lambda *values: overload(*values), setup_context=setup_context, backward=backward,
                     vmap=_batched(torch, lambda *values: made(*values)))

    defaults = [argument.default_value for argument in overload._schema.arguments]

    def call(*values):
        values = (*values, *defaults[len(values):])  # torch leaves out arguments that have their defaults
        if current().key() != torch._C._functorch.TransformType.Functionalize:
            return made(*values)
        from torch._subclasses.functional_tensor import FunctorchFunctionalizeAPI

        functional = FunctorchFunctionalizeAPI(current())
        with functional.redispatch_to_next():
            results = overload(*functional.unwrap_tensors(values))
        return functional.wrap_tensors(results)

    return call


def no_gradient(name, what=""):
    """The gradient of an operator without one: a function that raises UsageError."""
    def gradient(*_):
        raise UsageError(message("operator-gradient", name.rpartition("::")[2] + what,
                                 help="detach its arguments: x.detach(); or compute it by operators of torch"))

    return gradient


def no_tangent(name):
    """The forward-mode derivative of an operator: a function that raises UsageError."""
    def tangent(*_):
        raise UsageError(message("operator-gradient", f"{name.rpartition('::')[2]} in forward mode",
                                 help="use reverse mode: torch.func.vjp, grad or jacrev"))

    return tangent


def _batched(torch, call):
    """The rule of vmap: one call for each element of the batch, and the results stacked. An empty batch has the shapes of an element of
    zeros."""
    def element(v, dim, i):
        return v if dim is None else v.select(dim, i) if v.shape[dim] else v.new_zeros((*v.shape[:dim], *v.shape[dim:][1:]))

    def rule(info, in_dims, *values):
        rows = [call(*(element(v, dim, i) for v, dim in zip(values, in_dims))) for i in range(max(info.batch_size, 1))]
        if not isinstance(rows[0], (tuple, list)):
            return torch.stack(rows)[:info.batch_size], 0
        made = tuple(torch.stack(results)[:info.batch_size] for results in zip(*rows))
        return made, (0,) * len(made)

    return rule


def define(name, schema, function, fake, parameters, mutates=(), gradient=None, saves=(), public=1):
    """Defines `name` ("namespace::name") and returns its overload, which torch.compile, torch.export and autograd understand.

    `schema`: as torch writes it, "(Tensor x, int axis=-1) -> Tensor". `function` computes, on tensors of any device. `fake` returns results
    of the right shape and dtype without data. `mutates`: parameters that the function writes, whose version counters torch then raises.
    `gradient(saved, *gradients)` returns {parameter: gradient}; `saves` names the tensors that it reads, parameters or "result0", ...
    Results from `public` on have no gradient."""
    import torch

    with namespace.defining():
        made = torch.library.custom_op(name, function, mutates_args=tuple(mutates), schema=schema)
    made.register_fake(fake)
    setup_context, backward = _autograd(torch, name, gradient or no_gradient(name), tuple(saves), parameters, public)
    if gradient is not None:
        made.register_autograd(backward, setup_context=setup_context)
    if not mutates and hasattr(made, "register_vmap"):
        made.register_vmap(_batched(torch, made._opoverload))
    if not mutates and hasattr(made, "_lib"):  # where a call under torch.func arrives first
        made._lib.impl(made._opoverload, _transformed(torch, name, made._opoverload, setup_context, backward), "FuncTorchDynamicLayerFrontMode")
    return made._opoverload
