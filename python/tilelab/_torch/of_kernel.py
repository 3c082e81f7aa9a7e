# SPDX-License-Identifier: Apache-2.0
"""`kernel.as_torch_op`: a compiled kernel as an operator of torch.library."""

import inspect

from .._compiler.errors import ArgumentError
from .._kernel.kernel import Kernel
from . import library

_SCALARS = {"float": "float", "bfloat": "float", "int": "int", "uint": "int", "bool": "bool"}


def _tensor(param):
    return param["shape"] is not None


def _extents(kernel, given):
    """The dynamic extents of a call, from the shapes of its tensors."""
    found = {}
    for param in kernel._raw_params:
        if _tensor(param) and param["name"] in given:
            for entry, extent in zip(param["shape"], given[param["name"]].shape):
                if isinstance(entry, str):
                    found.setdefault(entry, extent)
    return found


def _extent(entry, extents):
    """An extent of a result: a number, a name, or arithmetic of names."""
    return entry if isinstance(entry, int) else eval(entry, {"__builtins__": {}}, extents)


class _Operator:
    """What torch must know of a kernel: its schema, its results, and its gradient."""

    def __init__(self, kernel, name, backward):
        self.kernel, self.name, self.backward = kernel, name, backward
        params = kernel._raw_params
        self.inputs = [p for i, p in enumerate(params) if i not in kernel._outputs]
        self.results = [params[i] for i in kernel._outputs]
        self.names = [p["name"] for p in self.inputs]
        self.mutates = [p["name"] for p in self.inputs if _tensor(p) and p["written"]]

    def schema(self):
        parts = []
        for p in self.inputs:
            if not _tensor(p):
                kind = _SCALARS[p["dtype"].rstrip("0123456789")]
            else:
                kind = f"Tensor({chr(97 + self.mutates.index(p['name']))}!)" if p["name"] in self.mutates else "Tensor"
            parts.append(f"{kind} {p['name']}")
        return f"({', '.join(parts)}) -> {_returned(len(self.results))}"

    def run(self, *values):
        return _as_tuple(self.kernel(*(v.contiguous() if hasattr(v, "contiguous") and p["name"] not in self.mutates else v
                                       for p, v in zip(self.inputs, values))))

    def fake(self, *values):
        import torch

        given = dict(zip(self.names, values))
        near = next((v for v in values if isinstance(v, torch.Tensor)), None)
        extents = _extents(self.kernel, given)
        made = [torch.empty([_extent(e, extents) for e in p["shape"]], dtype=self.kernel.params[i].dtype.as_torch(),
                            device=None if near is None else near.device)
                for i, p in zip(self.kernel._outputs, self.results)]
        return _as_tuple(made)

    # --- its gradient ------------------------------------------------------------------------------

    def floats(self):
        """The inputs that have a gradient."""
        return [p["name"] for p in self.inputs if _tensor(p) and "float" in p["dtype"] and p["name"] not in self.mutates]

    def backward_parameters(self):
        """The parameters of the backward kernel or function: names of inputs and results, and dNAME for the gradient of a result."""
        if isinstance(self.backward, Kernel):
            outputs = self.backward._outputs
            return [p["name"] for i, p in enumerate(self.backward._raw_params) if i not in outputs]
        return list(inspect.signature(self.backward).parameters)

    def define_backward(self):
        """An operator for the backward pass, opaque to torch.compile; returns the gradient function for library.define."""
        results = {p["name"]: f"result{i}" for i, p in enumerate(self.results)}
        gradients = {f"d{p['name']}": i for i, p in enumerate(self.results)}
        wanted, floats = self.backward_parameters(), self.floats()
        if strange := [n for n in wanted if n not in self.names and n not in results and n not in gradients]:
            raise ArgumentError(f"{self.name}: the parameter {strange[0]} of backward names no tensor of the kernel; there are its inputs and "
                                f"results ({', '.join([*self.names, *results])}) and the gradients of results ({', '.join(gradients)})")
        scalars = {p["name"]: _SCALARS[p["dtype"].rstrip("0123456789")] for p in self.inputs if not _tensor(p)}
        schema = ", ".join([*(f"{scalars.get(n, 'Tensor')} {n}" for n in wanted), *(f"Tensor like_{n}" for n in floats)])

        def run(*values):
            made = self._arranged(self.backward(*values[:len(wanted)]), dict(zip(floats, values[len(wanted):])))
            return _as_tuple(_separate(made, values))

        def fake(*values):
            import torch

            return _as_tuple([torch.empty_like(v, memory_format=torch.contiguous_format) for v in values[len(wanted):]])

        opaque = library.define(f"{self.name}_backward", f"({schema}) -> {_returned(len(floats))}", run, fake, wanted, public=len(floats))

        def gradient(saved, *given):
            values = [given[gradients[n]] if n in gradients else getattr(saved, results.get(n, n)) for n in wanted]
            made = opaque(*values, *(getattr(saved, n) for n in floats))
            return dict(zip(floats, made if isinstance(made, (tuple, list)) else (made,)))

        saves = [*self.names, *(results[n] for n in wanted if n in results)]
        return gradient, saves

    def _arranged(self, made, like):
        """The gradients in the order of the inputs `like`, zeros for None. ArgumentError unless there is one for each, of its shape."""
        listed = list(made) if isinstance(made, (tuple, list, dict)) else [made]
        if not isinstance(made, dict):
            names = list(like)
            if isinstance(self.backward, Kernel):
                names = [self.backward._raw_params[i]["name"].removeprefix("d") for i in self.backward._outputs]
            made = dict(zip(names, listed))
        if set(made) != set(like) or len(listed) != len(like):
            found = f"those of {', '.join(made)}" if set(made) - set(like) else len(listed)
            help = "add an output to the kernel for each" if isinstance(self.backward, Kernel) else "return None for one that is zero"
            raise ArgumentError(f"{self.name}: backward must return {len(like)} gradients, of {', '.join(like)}, but returned {found}; {help}")
        for name, near in like.items():
            if made[name] is not None and made[name].shape != near.shape:
                raise ArgumentError(f"{self.name}: backward must return the gradient of {name} with its shape {tuple(near.shape)}, "
                                    f"but returned one of shape {tuple(made[name].shape)}")
        return [near.new_zeros(near.shape) if made[name] is None else made[name].to(near.dtype).contiguous() for name, near in like.items()]


def _separate(results, values):
    """The results, each with memory that neither another result nor an argument has: torch requires it of an operator."""
    used = {v.untyped_storage().data_ptr() for v in values if hasattr(v, "untyped_storage")}
    out = []
    for one in results:
        out.append(one.clone() if one.untyped_storage().data_ptr() in used else one)
        used.add(out[-1].untyped_storage().data_ptr())
    return out


def _returned(count):
    return "()" if count == 0 else "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def _as_tuple(made):
    """One result alone, several as a tuple."""
    if made is None:
        return None
    listed = list(made) if isinstance(made, (tuple, list)) else [made]
    return None if not listed else listed[0] if len(listed) == 1 else tuple(listed)


def make(kernel, name, backward=None):
    """The operator `name` ("namespace::name") of a kernel, a function on tensors of torch."""
    if name.count("::") != 1 or not all(part.isidentifier() for part in name.split("::")):
        raise ArgumentError(f'as_torch_op: {name!r} is not a name with a namespace; write it as "namespace::name"')
    made = _Operator(kernel, name, backward)
    gradient, saves = (None, ()) if backward is None else made.define_backward()
    return library.define(name, made.schema(), made.run, made.fake, made.names, made.mutates, gradient, saves, max(len(made.results), 1))
